// Package text turns documents and questions into what the index and the
// lifecycle compare: terms, stems, normal forms, similarities, named entities
// and token estimates. It knows nothing of memories or stores.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tokens estimates how many tokens a language model sees in s: four bytes each
// in alphabetic scripts, about one per character in scripts written without
// spaces, whose characters are three bytes long and seldom share a token.
func Tokens(s string) int {
	dense := 0
	rest := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			rest++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isDense(r) || unicode.Is(unicode.Hangul, r) {
			dense++
		} else {
			rest += n
		}
		i += n
	}
	return dense + (rest+3)/4
}

// Normalize returns the form of s in which two wordings count as the same
// text: lower case, compatibility characters unified, punctuation and runs of
// space reduced to single spaces. Signs that carry meaning inside a word
// (`c++`, `a.b`, `-x`, `/p`) or between them (`=`, `<`) stay.
func Normalize(s string) string {
	s = fold(s)
	var b strings.Builder
	b.Grow(len(s))
	space := false
	rs := []rune(s)
	for i, r := range rs {
		if !keepsMeaning(rs, i, r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func keepsMeaning(rs []rune, i int, r rune) bool {
	if isWord(r) {
		return true
	}
	if unicode.IsSpace(r) || unicode.IsControl(r) {
		return false
	}
	next := i+1 < len(rs) && isWord(rs[i+1])
	prev := i > 0 && isWord(rs[i-1])
	switch r {
	case '.', '/', ':', '@', '\'', '’':
		return prev && next || next && (r == '.' || r == '/')
	case '-':
		return next
	case '+', '#':
		return prev || i > 1 && rs[i-1] == r && isWord(rs[i-2])
	case '%', '$', '<', '>', '=', '&', '|':
		return true
	case '`', '^', '~', '*':
		return false
	}
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sc, r) || unicode.Is(unicode.Sm, r)
}

// fold lower-cases s and unifies compatibility characters (full width forms,
// ligatures, decomposed accents).
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFKC.String(strings.ToLower(norm.NFKC.String(s)))
}

// stripMarks removes accents: "café" gives "cafe".
func stripMarks(s string) string {
	if isASCII(s) {
		return s
	}
	d := norm.NFD.String(s)
	var b strings.Builder
	b.Grow(len(d))
	for _, r := range d {
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ø':
			b.WriteByte('o')
		case r == 'ł':
			b.WriteByte('l')
		case r == 'ı':
			b.WriteByte('i')
		case unicode.Is(unicode.Mn, r) && r < 0x0900: // later marks spell vowels, not accents
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isWord reports whether r can be part of a word or an identifier.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// isDense reports whether r belongs to a script written without spaces
// between words.
func isDense(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF: // Thai, Lao
		return true
	case r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF: // Myanmar, Khmer
		return true
	case r >= 0x2E80 && r <= 0x2FDF, r == 0x3005, r == 0x3007:
		return true
	case r >= 0x3040 && r <= 0x30FF, r >= 0x31F0 && r <= 0x31FF: // kana
		return true
	case r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF:
		return true
	case r >= 0xFF66 && r <= 0xFF9D: // half width kana
		return true
	case r >= 0x20000 && r <= 0x3FFFF:
		return true
	}
	return false
}
