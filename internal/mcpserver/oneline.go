package mcpserver

import (
	"strings"
	"unicode"
)

// oneLine puts a text on one line, without characters that do not show, and
// cuts it to this many characters.
func oneLine(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
