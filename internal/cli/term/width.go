package term

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

const zeroWidthJoiner = '\u200d'

// Width returns how many columns s takes. East Asian wide characters and emoji
// take two, combining marks none, and what a joiner glues on takes none.
func Width(s string) int {
	n, joined := 0, false
	for _, r := range s {
		if !joined {
			n += runeWidth(r)
		}
		joined = r == zeroWidthJoiner
	}
	return n
}

func runeWidth(r rune) int {
	if r < 0x7f {
		if r < ' ' {
			return 0
		}
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// Truncate shortens s to at most columns, ending it with an ellipsis when
// something was cut.
func Truncate(s string, columns int) string {
	if Width(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	head, _ := split(s, columns-1)
	return strings.TrimRight(head, " ") + "…"
}

// Pad fills s with spaces up to columns.
func Pad(s string, columns int) string {
	if missing := columns - Width(s); missing > 0 {
		return s + strings.Repeat(" ", missing)
	}
	return s
}

// split cuts s after at most columns without tearing a character from its marks.
func split(s string, columns int) (head, tail string) {
	n, joined := 0, false
	for i, r := range s {
		w := runeWidth(r)
		if joined {
			w = 0
		}
		if n+w > columns {
			return s[:i], s[i:]
		}
		n += w
		joined = r == zeroWidthJoiner
	}
	return s, ""
}

// Wrap breaks text into lines of at most columns. Its own line breaks stay;
// words longer than a line, and text written without spaces, are cut.
func Wrap(text string, columns int) []string {
	columns = max(columns, 8)
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(strings.TrimRight(paragraph, " \t\r"), columns)...)
	}
	return lines
}

func wrapLine(line string, columns int) []string {
	if Width(line) <= columns {
		return []string{line}
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		switch {
		case current == "":
			current = word
		case Width(current)+1+Width(word) <= columns:
			current += " " + word
		default:
			lines = append(lines, current)
			current = word
		}
		for Width(current) > columns {
			head, tail := split(current, columns)
			lines = append(lines, head)
			current = tail
		}
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}
