package render

import (
	"regexp"
	"strings"
	"sync"
)

// inline makes stored text safe to stand behind "- " on one line of a block.
// What is dangerous only at the start of a line (headings, fences, quotes, the
// labels of turns) is taken out there; the lines then become one.
func inline(s string) string {
	var parts []string
	for line := range strings.SplitSeq(visible(s), "\n") {
		if line = tame(line, len(parts) == 0); line != "" {
			parts = append(parts, line)
		}
	}
	joined := escape(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	// Taking something out may bring something else to the start.
	if again := tame(joined, true); again != joined {
		return inline(again)
	}
	return joined
}

// tame returns a line of stored text without what gives a line meaning in
// markdown or in a chat template.
func tame(line string, first bool) string {
	for {
		before := line
		line = strings.TrimSpace(line)
		if isRule(line) {
			return ""
		}
		line = strings.TrimLeft(line, ">")
		if hashes := strings.TrimLeft(line, "#"); hashes != line && (hashes == "" || hashes[0] == ' ') {
			line = hashes
		}
		if first && len(line) > 0 && strings.IndexByte("-*+", line[0]) >= 0 && (len(line) == 1 || line[1] == ' ') {
			line = line[1:]
		}
		if line == before {
			break
		}
	}
	if !strings.ContainsAny(line, ":：") {
		return line
	}
	return turnLabel().ReplaceAllString(line, "$1 –")
}

// isRule reports whether a line is a horizontal rule, an underline of a
// heading, or a bare fence.
func isRule(line string) bool {
	return len(line) >= 3 && strings.IndexByte("-=*_~`", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// turnLabel matches "Human:", "**Assistant**:" and the like at the start of a
// line, where a model may take them for the next turn.
var turnLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^([*_"'(\[\s]*(?:human|user|assistant|system|developer|tool|function|ai|model|claude|instructions?)[*_"')\]]*)\s*[:：]`)
})
