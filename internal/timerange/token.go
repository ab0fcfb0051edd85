package timerange

import (
	"strings"
	"time"
)

// token is one word of a query.
type token struct {
	word       string // lower case, without punctuation and possessive
	start, end int    // in the query, punctuation included
	stop       bool   // a sentence ends here: no phrase goes on behind it
}

// tokenize splits at white space. Quotes and backticks stay part of a word,
// so that a quoted date is no date.
func tokenize(query string) []token {
	var tokens []token
	offset := 0
	for field := range strings.FieldsSeq(query) {
		start := offset + strings.Index(query[offset:], field)
		offset = start + len(field)
		word := strings.TrimLeft(field, "([")
		core := strings.TrimRight(word, ".,;:!?)]")
		tail := word[len(core):]
		core = strings.ToLower(core)
		core = strings.TrimSuffix(strings.TrimSuffix(core, "'s"), "’s")
		tokens = append(tokens, token{
			word: core, start: start, end: offset, stop: strings.ContainsAny(tail, ".;:!?"),
		})
	}
	return tokens
}

// parser reads one phrase that begins at the token first. Its methods take
// the index of a token and return the index behind what they understood.
type parser struct {
	tokens []token
	first  int
	now    time.Time
}

// word returns the word at i, or nothing behind the end of the sentence.
func (p parser) word(i int) string {
	if i < 0 || i >= len(p.tokens) || i > p.first && p.tokens[i-1].stop {
		return ""
	}
	return p.tokens[i].word
}

// is reports whether the word at i is one of these.
func (p parser) is(i int, words ...string) bool {
	w := p.word(i)
	for _, candidate := range words {
		if w == candidate {
			return true
		}
	}
	return false
}
