package term

import (
	"strings"
	"unicode"
)

// Clean makes foreign text safe to print. Memories come from transcripts and
// other people's repositories: escape sequences in them must not move the
// cursor or set the window title, and direction overrides must not disguise
// what is written. Tabs and line breaks stay.
func Clean(s string) string {
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unsafe(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// OneLine is Clean with every run of white space made a single space.
func OneLine(s string) string { return Clean(strings.Join(strings.Fields(s), " ")) }

func unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true // bidirectional controls
	case r >= 0xe0000 && r <= 0xe007f:
		return true // invisible tag characters
	default:
		return false
	}
}
