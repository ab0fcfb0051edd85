package cli

import (
	"fmt"
	"strings"
)

// shellWords splits the part of a shell line that belongs to one call: quotes are
// taken off, and a pipe, a redirection or the end of $( ends it.
func shellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord := false
	end := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			end()
		case strings.ContainsRune("|<>)&;", r):
			end()
			return words, nil
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%s: a quotation is not closed", line)
	}
	end()
	return words, nil
}
