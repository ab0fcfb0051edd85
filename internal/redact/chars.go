package redact

import (
	"math"
	"strings"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool { return isLower(c) || isUpper(c) || isDigit(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// hasPrefixFold reports whether s begins with prefix, which is in lower case,
// in any case.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// atWordStart reports whether a word may begin at text[i]: there is no word
// character before it, unless that is the letter of an escape such as \n.
func atWordStart(text string, i int) bool {
	if i == 0 || !isWord(text[i-1]) {
		return true
	}
	c := text[i-1]
	return i > 1 && text[i-2] == '\\' && (c == 'n' || c == 'r' || c == 't')
}

// entropy is the Shannon entropy of s in bits per byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	var h float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
