package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"codememory"
)

// CodeMiraWords is how many words of a memory CodeMira shows when nothing else is configured.
const CodeMiraWords = 20

// CodeMiraHUD renders the <developer_context> block of CodeMira: the actions
// and the first words of each memory. Without either it returns "".
func CodeMiraHUD(actions []codememory.Action, ms []codememory.Memory, words int) string {
	var b strings.Builder
	if len(actions) > 0 {
		b.WriteString("<recent_actions>\n")
		for _, a := range actions {
			fmt.Fprintf(&b, "<action tool=\"%s\" target=\"%s\" result=\"%s\" />\n", attribute(a.Tool), attribute(a.Target), attribute(a.Result))
		}
		b.WriteString("</recent_actions>\n")
	}
	if len(ms) > 0 {
		b.WriteString("<memories>\n")
		for i := range ms {
			fmt.Fprintf(&b, "<memory id=\"%s\" category=\"%s\">%s</memory>\n", shownID(&ms[i]), label(&ms[i]), xmlText(firstWords(ms[i].Text, words)))
		}
		b.WriteString("</memories>\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "<developer_context>\n" + b.String() + "</developer_context>"
}

// CodeMiraPinned renders the list of pinned memories for CodeMira's query
// expansion, one per line, or "None".
func CodeMiraPinned(ms []codememory.Memory, words int) string {
	if len(ms) == 0 {
		return "None"
	}
	lines := make([]string, len(ms))
	for i := range ms {
		lines[i] = shownID(&ms[i]) + " - " + firstWords(ms[i].Text, words)
	}
	return strings.Join(lines, "\n")
}

// firstWords returns the first words of s on one line, with a mark when there are more.
func firstWords(s string, most int) string {
	words := strings.Fields(visible(s))
	if len(words) <= most {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:most], " ") + "..."
}

func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

func attribute(s string) string {
	return strings.ReplaceAll(xmlText(strings.Join(strings.Fields(visible(s)), " ")), `"`, "&quot;")
}

// The rules of opencode-memory for what is relevant.
const (
	relevantTitle   = "Relevant to Current Task"
	relevantFloor   = 0.60
	excerptFloor    = 0.55
	excerptMaxChars = 400
)

// MemoryBlock renders the [MEMORY] block of opencode-memory: the sections of
// the stable block and the hits for the current task with their similarity.
// Without any it returns "".
func MemoryBlock(ms []codememory.Memory, relevant []codememory.Hit) string {
	var parts []string
	for _, s := range sections(ms) {
		if s.title == pitfallsTitle { // newer than that system
			continue
		}
		lines := []string{s.heading()}
		for _, e := range s.entries {
			lines = append(lines, e.line())
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if lines := relevantLines(relevant); len(lines) > 0 {
		parts = append(parts, "## "+relevantTitle+"\n"+strings.Join(lines, "\n"))
	}
	if len(parts) == 0 {
		return ""
	}
	return memoryMark + "\n\n" + strings.Join(parts, "\n\n")
}

func relevantLines(hits []codememory.Hit) []string {
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b codememory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	var lines []string
	for _, h := range hits {
		text := inline(h.Memory.Text)
		if h.Score < relevantFloor || text == "" || h.Memory.State() != codememory.Active {
			continue
		}
		about := fmt.Sprintf("%.0f%%", math.Round(h.Score*100))
		if date := day(&h.Memory); date != "" {
			about += ", " + date
		}
		lines = append(lines, "- ["+about+"] "+text)
		if h.Score >= excerptFloor {
			lines = append(lines, excerptLines(&h.Memory)...)
		}
	}
	return lines
}

// excerptLines quotes the words a memory was taken from, when they add
// something: not the memory itself again, and not the turns of a chat.
func excerptLines(m *codememory.Memory) []string {
	excerpt := strings.TrimSpace(visible(m.Source.Excerpt))
	if excerpt == strings.TrimSpace(m.Text) || strings.HasPrefix(excerpt, "[user]") || strings.HasPrefix(excerpt, "[assistant]") {
		return nil
	}
	if rs := []rune(excerpt); len(rs) > excerptMaxChars {
		excerpt = string(rs[:excerptMaxChars])
	}
	var lines []string
	for line := range strings.SplitSeq(excerpt, "\n") {
		if line = inline(line); line != "" {
			lines = append(lines, "  > "+line)
		}
	}
	return lines
}
