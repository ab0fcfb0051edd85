package main

import (
	"context"
	"math"
	"strings"
	"unicode"

	"codememory"
	"codememory/internal/text"
)

// mixer embeds documents as the mean of their words' vectors, with the words'
// token states one after the other. Encoding a hundred thousand texts for
// real takes more than ten minutes; these take seconds and have nearly the same
// size. What they say should not change the cost of a search, which looks at
// every vector and, without a floor, returns as much as it may; the flag -real is
// there to check that. Questions are always encoded for real.
type mixer struct {
	codememory.Embedder
	known map[string]codememory.Embedding
}

// newMixer encodes every word of the vocabulary once.
func newMixer(ctx context.Context, real codememory.Embedder) (*mixer, error) {
	m := &mixer{Embedder: real, known: map[string]codememory.Embedding{}}
	v := words()
	for _, list := range [][]string{v.function, v.subject, v.action} {
		es, err := real.EmbedDocuments(ctx, list)
		if err != nil {
			return nil, err
		}
		for i, w := range list {
			e := es[i][0]
			if text.IsStopWord(w) {
				e.Tokens = codememory.TokenStates{} // none are kept of those in a text
			}
			m.known[w] = e
		}
	}
	return m, nil
}

// EmbedDocuments implements codememory.Embedder.
func (m *mixer) EmbedDocuments(_ context.Context, texts []string) ([][]codememory.Embedding, error) {
	out := make([][]codememory.Embedding, len(texts))
	for i, t := range texts {
		out[i] = []codememory.Embedding{m.mix(t)}
	}
	return out, nil
}

func (m *mixer) mix(t string) codememory.Embedding {
	e := codememory.Embedding{Vector: make([]float32, m.Model().Dim)}
	for _, w := range plainWords(t) {
		k, ok := m.known[w]
		if !ok { // a number
			k = m.known["value"]
		}
		for d, x := range k.Vector {
			e.Vector[d] += x
		}
		e.Tokens.Data = append(e.Tokens.Data, k.Tokens.Data...)
	}
	var sum float64
	for _, x := range e.Vector {
		sum += float64(x) * float64(x)
	}
	for d := range e.Vector {
		e.Vector[d] /= float32(math.Sqrt(sum))
	}
	return e
}

// plainWords takes a text of the corpus, with its identifiers, apart.
func plainWords(t string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range t {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.Fields(b.String())
}
