package encoder

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SplitIdentifiers puts spaces into camelCase words ("getUserByID" becomes
// "get User By ID"), because the uncased vocabulary would cut the lower-cased
// run at arbitrary places. Words the vocabulary knows whole (YouTube, MacBook)
// stay whole. Punctuation, and so snake_case and paths, is left to the tokenizer.
func (t *Tokenizer) SplitIdentifiers(text string) string {
	var out strings.Builder
	copied := 0
	for start := 0; start < len(text); {
		end := start
		mixed := false
		for end < len(text) && isASCIIAlphanumeric(rune(text[end])) {
			mixed = mixed || end > start && isUpper(text[end])
			end++
		}
		if mixed && !t.HasWord(text[start:end]) {
			out.WriteString(text[copied:start])
			splitCamel(&out, text[start:end])
			copied = end
		}
		start = end
		for start < len(text) && !isASCIIAlphanumeric(rune(text[start])) {
			_, size := utf8.DecodeRuneInString(text[start:])
			start += size
		}
	}
	if copied == 0 {
		return text
	}
	out.WriteString(text[copied:])
	return out.String()
}

func splitCamel(out *strings.Builder, word string) {
	for i := range len(word) {
		if i > 0 && startsWord(word, i) {
			out.WriteByte(' ')
		}
		out.WriteByte(word[i])
	}
}

// startsWord reports whether an upper-case letter begins a new word: after a
// small letter or a digit, or as the last of a run before small letters
// (HTTPServer), except for the plural of an acronym (URLs).
func startsWord(word string, i int) bool {
	if !isUpper(word[i]) {
		return false
	}
	if !isUpper(word[i-1]) {
		return true
	}
	rest := word[i+1:]
	return rest != "" && unicode.IsLower(rune(rest[0])) && rest != "s"
}

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
