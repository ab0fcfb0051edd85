package embedding

import (
	"strings"
	"unicode/utf8"
)

// Limits for models whose window we do not know: about 1,500 tokens, which the
// common ones (2k to 8k) hold.
const (
	passageRunes = 6000
	overlapRunes = 400
	maxPassages  = 8
)

// splitPassages cuts a long text into overlapping passages, at a blank line, a
// line end or a space in the last third where there is one.
func splitPassages(text string) []string {
	var out []string
	for {
		window := firstRunes(text, passageRunes)
		if len(window) == len(text) || len(out) == maxPassages-1 {
			return append(out, window)
		}
		cut := cutPoint(window)
		out = append(out, window[:cut])
		text = text[cut-lastRunes(window[:cut], overlapRunes):]
	}
}

func cutPoint(window string) int {
	least := len(window) * 2 / 3
	for _, separator := range []string{"\n\n", "\n", ". ", " "} {
		if at := strings.LastIndex(window, separator); at >= least {
			return at + len(separator)
		}
	}
	return len(window)
}

// firstRunes returns at most n runes from the start of s.
func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastRunes returns the length in bytes of the last n runes of s.
func lastRunes(s string, n int) int {
	length := 0
	for ; n > 0 && length < len(s); n-- {
		_, size := utf8.DecodeLastRuneInString(s[:len(s)-length])
		length += size
	}
	return length
}
