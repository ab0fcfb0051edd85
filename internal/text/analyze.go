package text

import (
	"strings"

	"codememory"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Weights of question terms. Measured on the labelled sets: dropping stop words
// gains on short questions and loses on dialogue, so they count a little.
const (
	stopWeight = 0.3
	partWeight = 0.25
)

// DocumentTerm is a distinct term of a document and how often it occurs.
type DocumentTerm struct {
	Text  string
	Count int
}

// Document is an analysed text.
type Document struct {
	Terms  []DocumentTerm // in order of first appearance
	Length int            // words, without the parts of identifiers
}

// AnalyzeDocument returns the terms of a text to be found.
func AnalyzeDocument(s string) Document {
	var d Document
	at := make(map[string]int, len(s)/6+1)
	walk(s, func(term string, k kind) {
		if k != wordPart {
			d.Length++
		}
		if i, ok := at[term]; ok {
			d.Terms[i].Count++
			return
		}
		at[term] = len(d.Terms)
		d.Terms = append(d.Terms, DocumentTerm{Text: term, Count: 1})
	})
	return d
}

// AnalyzeQuery returns the distinct terms of a question with their weights.
func AnalyzeQuery(s string) []codememory.Term {
	var terms []codememory.Term
	at := map[string]int{}
	walk(s, func(term string, k kind) {
		weight := 1.0
		switch {
		case IsStopWord(term):
			weight = stopWeight
		case k == wordPart:
			weight = partWeight
		}
		if i, ok := at[term]; ok {
			terms[i].Weight = max(terms[i].Weight, weight)
			return
		}
		at[term] = len(terms)
		terms = append(terms, codememory.Term{Text: term, Stem: Stem(term), Weight: weight})
	})
	return terms
}

// Stem returns the class of a term: all forms of an English word, and a word
// with and without accents, share one.
func Stem(term string) string {
	t := stripMarks(term)
	if t == "" { // nothing but marks
		return term
	}
	if len(t) < 3 || !isASCII(t) || strings.ContainsAny(t, "0123456789_/.+#") {
		return t
	}
	return english.Stem(t, true)
}

func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFKC.String(strings.ToLower(s))
}

// foldKeepCase unifies compatibility characters and leaves the case, which
// camelCase is cut by.
func foldKeepCase(s string) string { return norm.NFKC.String(s) }
