package hook

import (
	"strings"
	"unicode/utf8"
)

// closeTag ends every block that internal/render makes.
const closeTag = "</codememory>"

// limit is how long a context may be before the agent itself cuts it, which
// costs the model the end of the block or sends it to a file.
type limit struct {
	most int
	size func(rune) int
}

// The limits. Most agents are written in JavaScript, where the length of a text
// counts a character outside of the basic plane twice. Codex counts about 2,500
// tokens of four bytes.
func limitOf(agent string) limit {
	if agent == Codex {
		return limit{9_500, utf8.RuneLen}
	}
	return limit{10_000, func(r rune) int {
		if r > 0xFFFF {
			return 2
		}
		return 1
	}}
}

// fit returns how many bytes of text, in whole characters, are within n.
func (l limit) fit(text string, n int) int {
	for i, r := range text {
		if n -= l.size(r); n < 0 {
			return i
		}
	}
	return len(text)
}

// shorten drops lines from the end of a block until it keeps to the limit. Its
// closing tag stays, so that the block can be told from what follows it, and
// headings that lost all their entries go.
func shorten(text string, l limit) string {
	if l.fit(text, l.most) == len(text) {
		return text
	}
	body, end := text, ""
	if trimmed := strings.TrimRight(text, " \r\n"); strings.HasSuffix(trimmed, closeTag) {
		body, end = strings.TrimSuffix(trimmed, closeTag), "\n"+closeTag
	}
	room := l.most - len(end)
	n := l.fit(body, room)
	if n < len(body) {
		if line := strings.LastIndexByte(body[:n], '\n'); line > n/2 {
			n = line
		} else { // one line has nearly all of it
			n = l.fit(body, room-len("…"))
			return strings.TrimRight(body[:n], " \n") + "…" + end
		}
	}
	lines := strings.Split(strings.TrimRight(body[:n], " \r\n"), "\n")
	for len(lines) > 1 {
		last := strings.TrimSpace(lines[len(lines)-1])
		if last != "" && !strings.HasPrefix(last, "## ") {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n") + end
}
