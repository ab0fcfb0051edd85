package redact

import "strings"

const (
	privateOpen  = "<private>"
	privateClose = "</private>"
)

// privateBlocks finds the blocks that their author marked. Blocks nest; one
// that is not closed reaches to the end of s.
func privateBlocks(s string) []Finding {
	var found []Finding
	depth, start := 0, 0
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			break
		}
		at += i
		switch {
		case hasPrefixFold(s[at:], privateOpen):
			if depth == 0 {
				start = at
			}
			depth++
			at += len(privateOpen)
		case hasPrefixFold(s[at:], privateClose):
			at += len(privateClose)
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 {
				found = append(found, Finding{Rule: PrivateRule, Start: start, End: at})
			}
		default:
			at++
		}
	}
	if depth > 0 {
		found = append(found, Finding{Rule: PrivateRule, Start: start, End: len(s)})
	}
	return found
}
