package lifecycle

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"codememory/internal/text"
)

// Condense implements Judge by choosing sentences: those with decisions,
// causes, names and numbers, once each, in their order, until the limit.
func (Rules) Condense(_ context.Context, texts []string, limit int) (string, error) {
	type sentence struct {
		at    int
		text  string
		score float64
	}
	var all []sentence
	seen := map[string]bool{}
	for age, t := range texts {
		for _, s := range sentences(t) {
			key := text.Normalize(s)
			if key == "" || seen[key] {
				continue
			}
			seen[key] = true
			// The newest texts count a little more.
			all = append(all, sentence{len(all), s, worth(s) * (1 + float64(age)/float64(4*len(texts)))})
		}
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	var kept []sentence
	size := 0
	for _, s := range all {
		if size+len(s.text)+3 <= limit {
			kept, size = append(kept, s), size+len(s.text)+3
		}
	}
	slices.SortFunc(kept, func(a, b sentence) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, s := range kept {
		b.WriteString("- " + s.text + "\n")
	}
	return strings.TrimSpace(b.String()), nil
}

// sentences takes a text apart at line ends and full stops; headings and
// list marks are dropped.
func sentences(t string) []string {
	var out []string
	for line := range strings.Lines(t) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSpace(strings.TrimLeft(line, "-*+> \t"))
		for len(line) > 0 {
			end := strings.Index(line, ". ")
			if end < 0 {
				out = append(out, line)
				break
			}
			out = append(out, line[:end+1])
			line = strings.TrimSpace(line[end+2:])
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return len(s) < 8 })
}

// cues are words of sentences that somebody will want again.
var cues = []string{
	"decid", "because", "instead", "must", "never", "always", "fix", "fail", "error", "bug", "cause", "broke", "todo", "next",
	"open", "pending", "blocked", "prefer", "reject", "constraint", "migrat", "release", "deploy", "version", "security",
}

// worth says how much a sentence tells: cues, named things and numbers, against
// its length.
func worth(s string) float64 {
	low := strings.ToLower(s)
	score := 0.0
	for _, c := range cues {
		if strings.Contains(low, c) {
			score += 2
		}
	}
	score += 1.5 * float64(min(len(text.Entities(s)), 4))
	_, values := Content(s)
	score += 0.5 * float64(min(len(values), 3))
	return (score + 0.5) / (1 + float64(len(s))/400)
}
