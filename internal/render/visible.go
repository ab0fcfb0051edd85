package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// visible returns s with only what a reader can see: invisible characters are
// gone, every kind of space is a space, every kind of line end a newline, and
// brackets in disguise are the brackets that they would be normalised to.
func visible(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := terminalSequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\n"):
		case isLineEnd(r):
			b.WriteByte('\n')
		case unicode.IsSpace(r) || r == '\u2800': // the blank braille pattern
			b.WriteByte(' ')
		case isInvisible(r):
		case unicode.Is(unicode.Co, r) || r&0xFFFE == 0xFFFE: // private use, not a character
			b.WriteRune(utf8.RuneError)
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		default:
			b.WriteString(undisguised(r))
		}
	}
	return norm.NFC.String(b.String())
}

// plain reports whether s is printable ASCII and newlines, as most texts are.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	default:
		return false
	}
}

// isInvisible reports whether r shows nothing: control characters, zero-width
// and bidirectional ones, tag characters, variation selectors, fillers.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// undisguised returns r, or what NFKC makes of it where that is a character of
// markup or a plain letter. Everything else stays: ² is not 2, and full-width
// punctuation is how Chinese and Japanese are written.
func undisguised(r rune) string {
	same := string(r)
	compatible := norm.NFKC.String(same)
	switch {
	case compatible == same:
		return same
	case strings.ContainsAny(compatible, "<>[]{}|`#\n"):
		return compatible
	case len(compatible) == 1 && isLetter(rune(compatible[0])) && unicode.In(r, unicode.Lu, unicode.Ll):
		return compatible
	default:
		return same
	}
}

// terminalSequence returns the length of the ANSI escape sequence that s starts
// with, so that a pasted "\x1b[31m" does not leave "[31m" behind; 0 if none.
func terminalSequence(s string) int {
	const longest = 32
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s) && i < longest; i++ {
		switch c := s[i]; {
		case c >= '@' && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return 0
		}
	}
	return 0
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
