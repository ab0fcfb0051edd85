package render

import (
	"regexp"
	"strings"
	"sync"
)

// Strip removes from captured text the blocks that CodeMemory or one of the
// systems before it had put into the conversation, whole or cut off at either
// end. Text without such a block comes back as it is.
func Strip(text string) string {
	for {
		stripped := stripOnce(text)
		if stripped == text {
			return text
		}
		text = stripped
	}
}

// block describes the blocks of one system by how they begin and go on.
type block struct {
	opens  *regexp.Regexp
	closes string                 // ends it, on a line of its own
	inside func(line string) bool // is a line of a block that lost one end
}

var blocks = sync.OnceValue(func() []block {
	return []block{
		{regexp.MustCompile(`<codememory kind="[a-z]+">`), closeTag, isOurLine},
		{regexp.MustCompile(`<developer_context>`), `</developer_context>`, isDeveloperContextLine},
	}
})

func stripOnce(text string) string {
	for _, b := range blocks() {
		if start, end, found := b.find(text); found {
			return without(text, start, end)
		}
	}
	return stripMarked(text)
}

// find returns where the first block lies in text. A tag that is only spoken
// of, with no lines of a block beside it, is not one.
func (b block) find(text string) (start, end int, found bool) {
	from := 0
	for {
		closing := strings.Index(text[from:], b.closes)
		if closing < 0 {
			break
		}
		closing += from
		part := text[from:closing]
		if opens := b.opens.FindAllStringIndex(part, -1); len(opens) > 0 {
			return from + opens[len(opens)-1][0], closing + len(b.closes), true
		}
		if n := linesBefore(part, b.inside); n < len(part) {
			return from + n, closing + len(b.closes), true
		}
		from = closing + len(b.closes)
	}
	for _, at := range b.opens.FindAllStringIndex(text[from:], -1) {
		after := text[from+at[1]:]
		if n := linesFrom(after, b.inside); n > 0 || strings.TrimSpace(after) == "" {
			return from + at[0], from + at[1] + n, true
		}
	}
	return 0, 0, false
}

// without returns text less what lies between start and end. Where that was a
// paragraph of its own, its neighbours keep one empty line between them.
func without(text string, start, end int) string {
	before, after := text[:start], text[end:]
	head, tail := strings.TrimRight(before, " \t\r\n"), strings.TrimLeft(after, " \t\r\n")
	switch {
	case head == "" || tail == "":
		return head + tail
	case strings.Contains(before[len(head):], "\n") || strings.Contains(after[:len(after)-len(tail)], "\n"):
		return head + "\n\n" + tail
	case len(head) < len(before) || len(tail) < len(after):
		return head + " " + tail
	default:
		return head + tail
	}
}

// linesFrom returns how many bytes at the start of text are the rest of the
// opening line and lines that pass inside. The last line may be cut off.
func linesFrom(text string, inside func(string) bool) int {
	first := strings.IndexByte(text, '\n')
	if first < 0 || strings.TrimSpace(text[:first]) != "" {
		return 0
	}
	end, blank := 0, 0
	for pos := first + 1; pos < len(text); {
		line, rest, _ := strings.Cut(text[pos:], "\n")
		next := len(text) - len(rest)
		switch {
		case strings.TrimSpace(line) == "":
			blank++
		case inside(line) && blank < 2:
			end, blank = next, 0
		default:
			return end
		}
		pos = next
	}
	return end
}

// linesBefore returns where the whole lines that pass inside begin which text ends with.
func linesBefore(text string, inside func(string) bool) int {
	start := len(text)
	if !strings.HasSuffix(text, "\n") {
		return start
	}
	for start > 0 {
		from := strings.LastIndexByte(text[:start-1], '\n') + 1
		line := text[from:start]
		if strings.TrimSpace(line) != "" && !inside(strings.TrimRight(line, "\r\n")) {
			break
		}
		start = from
	}
	return start
}

func isOurLine(line string) bool {
	line = strings.TrimRight(line, "\r")
	for _, begin := range []string{"- ", "## ", "> **pattern:** ", "Context window: "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	for _, intro := range []string{stableIntro, hudIntro, sessionsIntro, handoffIntro} {
		if strings.HasPrefix(intro, line) {
			return true
		}
	}
	return false
}

func isDeveloperContextLine(line string) bool {
	line = strings.TrimSpace(line)
	for _, tag := range []string{"<recent_actions", "</recent_actions", "<action ", "<memories", "</memories", "<memory "} {
		if strings.HasPrefix(line, tag) || strings.HasPrefix(tag, line) {
			return true
		}
	}
	return false
}
