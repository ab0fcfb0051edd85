package redact

import "strings"

const (
	maxRepeated = 32 // different secrets of one text whose repetitions are looked for
	minRepeated = 8  // bytes; shorter ones also stand in other words
	maxRounds   = 4  // a repetition may leave a piece of text that holds a secret of its own
)

// repeatable reports whether a secret is distinct enough to be one wherever it
// stands again. A word that someone chose as password is not.
func repeatable(secret string) bool {
	return len(secret) >= minRepeated && hasDigit(secret) && !isNumber(secret)
}

// repetitions finds the secrets in known that stand again in s between the
// barriers, which are sorted: a value that its name gave away is no less secret
// where it stands alone.
func repetitions(s string, known, barriers []Finding) []Finding {
	var again []Finding
	seen := map[string]bool{}
	for _, k := range known {
		secret := s[k.Start:k.End]
		if k.Rule == PrivateRule || seen[secret] || !repeatable(secret) {
			continue
		}
		if len(seen) == maxRepeated {
			break
		}
		seen[secret] = true
		at := 0
		search := func(end int) {
			for at < end {
				i := strings.Index(s[at:end], secret)
				if i < 0 {
					return
				}
				at += i + len(secret)
				again = append(again, Finding{Rule: k.Rule, Start: at - len(secret), End: at})
			}
		}
		for _, b := range barriers {
			search(b.Start)
			at = max(at, b.End)
		}
		search(len(s))
	}
	return again
}
