package lifecycle

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"codememory"
)

var skillHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^generated: ([0-9a-f]{16})$`) })

// Skill writes a memory as the candidate of a skill. It reports false when old,
// the candidate that is there, was edited by a person: then it stays.
func Skill(m codememory.Memory, old string) (string, bool) {
	if old != "" {
		found := skillHash().FindStringSubmatch(old)
		if found == nil || found[1] != hashLines([]string{strings.Replace(old, "generated: "+found[1], "generated: ", 1)}) {
			return old, false
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: memory-%s\ndescription: %q\nstatus: candidate\ngenerated: \n---\n\n", codememory.ShortID(m.ID), firstWords(m.Text, 120))
	b.WriteString("# Candidate\n\nThis file does nothing until you install it as a skill of your agent.\n\n")
	b.WriteString(Line(m) + "\n\nSaid by:\n\n")
	for _, s := range append([]codememory.Source{m.Source}, m.Seen...) {
		fmt.Fprintf(&b, "- %s, session %s\n", orUnknown(s.Agent), orUnknown(s.Session))
	}
	text := b.String()
	return strings.Replace(text, "generated: \n", "generated: "+hashLines([]string{text})+"\n", 1), true
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func firstWords(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(strings.ToValidUTF8(s[:most], "")) + "…"
}
