package main

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"codememory/internal/embedding/minilm/encoder"
)

const hidden = encoder.Hidden

// statistics gathers what the embedder needs to know about ordinary text.
type statistics struct {
	moments []float64 // sum of the outer products of unit token states
	holding []int     // texts that hold each token id
	texts   int
}

func computeStatistics(m *encoder.Model, texts []string) []encoder.Section {
	s := statistics{
		moments: make([]float64, hidden*hidden),
		holding: make([]int, encoder.VocabSize),
	}
	for i, text := range texts {
		ids := m.Tokenize(m.SplitIdentifiers(text), encoder.Window-2).IDs
		if len(ids) == 0 {
			continue
		}
		s.count(ids)
		m.Forward(m.Wrap(ids), func(states []float32) { s.add(states) })
		if (i+1)%1000 == 0 {
			fmt.Println(i+1, "texts")
		}
	}
	return []encoder.Section{
		encoder.FloatSection(encoder.ProjectionSection, principal(s.moments, encoder.TokenDim)),
		encoder.FloatSection(encoder.WeightSection, s.weights(m)),
	}
}

func copyStatistics(old string) ([]encoder.Section, error) {
	var out []encoder.Section
	for _, want := range []struct {
		name string
		size int
	}{
		{encoder.ProjectionSection, encoder.TokenDim * hidden},
		{encoder.WeightSection, encoder.VocabSize},
	} {
		values, err := encoder.ReadFloats(old, want.name, want.size)
		if err != nil {
			return nil, err
		}
		out = append(out, encoder.FloatSection(want.name, values))
	}
	return out, nil
}

func (s *statistics) count(ids []int32) {
	seen := map[int32]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			s.holding[id]++
		}
	}
	s.texts++
}

func (s *statistics) add(states []float32) {
	// The first and the last, [CLS] and [SEP], are not compared; of the others a
	// part says enough.
	const stride = 3
	for at := hidden; at < len(states)-hidden; at += stride * hidden {
		row := unit(states[at : at+hidden])
		for i, a := range row {
			sums := s.moments[i*hidden:][:hidden]
			for j, b := range row {
				sums[j] += a * b
			}
		}
	}
}

func unit(v []float32) []float64 {
	out := make([]float64, len(v))
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i, x := range v {
		out[i] = float64(x) / math.Sqrt(sum)
	}
	return out
}

// priorTexts is how many texts the prior of a token's frequency counts for.
// The vocabulary is roughly ordered by frequency, so the prior chance of a text
// to hold the token of rank r is about 4/r (Zipf, some forty kinds per text).
const priorTexts = 1000

// firstWord is the id where the vocabulary's words begin.
const firstWord = 1996

// weights returns the inverse document frequency of each token, scaled to 0…1.
// Stop words and punctuation keep a trace, so that a question made of them only
// still ranks.
func (s *statistics) weights(m *encoder.Model) []float32 {
	total := float64(s.texts + priorTexts)
	stop := map[string]bool{}
	for _, w := range strings.Fields(stopWords) {
		stop[w] = true
	}
	out := make([]float32, encoder.VocabSize)
	for id := range out {
		piece := m.Piece(int32(id))
		if strings.HasPrefix(piece, "[") && len(piece) > 2 {
			continue // [CLS], [SEP], [unused1] and the like
		}
		rank := max(1, float64(id-firstWord))
		expected := float64(s.holding[id]) + priorTexts*min(0.9, 4/rank)
		weight := math.Log(total/max(expected, 0.5)) / math.Log(total/0.5)
		if stop[piece] || isPunctuation(piece) {
			weight = encoder.TraceWeight
		}
		out[id] = float32(max(weight, encoder.TraceWeight))
	}
	return out
}

func isPunctuation(piece string) bool {
	r, size := utf8.DecodeRuneInString(piece)
	return size == len(piece) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

const stopWords = `a about after all also am an and any are as at be because been before being
 between both but by can could did do does doing don down for from had has have having he her here
 him his how i if in into is it its itself just me more most my of off on once only or other our
 out over own s same she should so some such t than that the their them then there these they this
 those through to too up us very was we were what when where which while who whom why will with
 would you your yours let please tell`
