package index

import (
	"cmp"
	"math"
	"slices"

	"codememory"
	"codememory/internal/text"
)

// BM25 with two readings of every word, exact form and stem. The constants were
// chosen on labelled sets of developer dialogue, notes and code search; the
// optimum is flat.
const (
	saturation  = 1.2 // k1
	lengthShare = 0.6 // b
	exactShare  = 0.3 // of a term's weight that only the exact form earns

	// Word frequencies of a small collection say little, so those of ordinary
	// technical English count as if that many documents more had been seen.
	priorDocuments = 40
	priorLength    = 30
)

// wanted is one word of a question with what it is worth in this index.
type wanted struct {
	exact    uint32 // number of the term as written, or noTerm
	forms    []uint32
	exactIDF float64 // weighted
	stemIDF  float64 // weighted
	postings int     // bytes of all forms, the cost of looking at them
}

// plan looks the question's words up. total is the weight of all of them,
// found or not.
func (x *Index) plan(terms []codememory.Term) (words []wanted, total float64) {
	n := float64(len(x.byID)) + priorDocuments
	for _, t := range terms {
		w := wanted{exact: noTerm, forms: x.words.forms(t.Stem)}
		prior := text.Commonness(t.Stem) * priorDocuments
		df := 0.0
		for _, f := range w.forms {
			df += float64(x.words.terms[f].df)
			w.postings += len(x.words.terms[f].postings)
		}
		w.stemIDF = t.Weight * idf(n, min(df, float64(len(x.byID)))+prior)
		total += w.stemIDF
		if df == 0 {
			continue
		}
		if number, ok := x.words.byText[t.Text]; ok && x.words.terms[number].df > 0 {
			w.exact = number
			w.exactIDF = t.Weight * idf(n, float64(x.words.terms[number].df)+prior)
		}
		words = append(words, w)
	}
	return words, total
}

func idf(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }

// lengthNorms holds what the length of a document does to its counts.
type lengthNorms [maxLength + 1]float32

func (x *Index) norms() *lengthNorms {
	const priorTexts = 4
	average := (float64(x.total) + priorTexts*priorLength) / (float64(len(x.byID)) + priorTexts)
	var l lengthNorms
	for n := range l {
		l[n] = float32(saturation * (1 - lengthShare + lengthShare*float64(n)/average))
	}
	return &l
}

func saturate(count, norm float32) float32 { return count * (saturation + 1) / (count + norm) }

// lookup maps term numbers to words of the question, sorted by term.
type lookup []struct{ term, word uint32 }

func newLookup(words []wanted) lookup {
	var l lookup
	for i, w := range words {
		for _, f := range w.forms {
			l = append(l, struct{ term, word uint32 }{f, uint32(i)})
		}
	}
	slices.SortFunc(l, func(a, b struct{ term, word uint32 }) int { return cmp.Compare(a.term, b.term) })
	return l
}

// score computes the exact BM25 of one document and the share of the
// question's weight that it covers. counts is scratch space.
func (x *Index) score(doc uint32, words []wanted, l lookup, total float64, norms *lengthNorms, counts []wordCount) (bm25, coverage float64) {
	if len(words) == 0 || total <= 0 {
		return 0, 0
	}
	clear(counts)
	at := 0
	for number, count := range pairs(x.docs[doc].terms) {
		for at < len(l) && l[at].term < number {
			at++
		}
		for i := at; i < len(l) && l[i].term == number; i++ {
			c := &counts[l[i].word]
			c.stem += count
			if words[l[i].word].exact == number {
				c.exact = count
			}
		}
	}
	norm := norms[x.lengths[doc]]
	covered := 0.0
	for i, c := range counts {
		if c.stem == 0 {
			continue
		}
		w := &words[i]
		bm25 += (1 - exactShare) * w.stemIDF * float64(saturate(float32(c.stem), norm))
		if c.exact > 0 {
			bm25 += exactShare * w.exactIDF * float64(saturate(float32(c.exact), norm))
		}
		covered += w.stemIDF
	}
	return bm25, covered / total
}

type wordCount struct{ exact, stem uint32 }
