package index

import (
	"cmp"
	"slices"

	"codememory"
	"codememory/internal/index/dot"
	"codememory/internal/text"
)

// Query asks for documents by words, by vector, by name and by id.
type Query struct {
	Terms  []codememory.Term
	Vector []float32 // nil: by words only
	Limit  int       // most to return by words and again by vector
	IDs    []string  // returned with their scores whatever their rank
	Extras []string  // names whose documents are wanted too
	// Keep reports whether the document with this handle may be returned; nil
	// keeps all. It is called under the index's read lock and must not call back.
	Keep func(handle uint32) bool
}

// Hit is a document with its scores, all of them exact.
type Hit struct {
	ID         string
	Handle     uint32
	BM25       float64 // 0: no word in common
	Coverage   float64 // share of the question's weight, by rarity, that it holds
	Cosine     float64 // of its best passage
	HasVector  bool
	ExtraMatch bool // has one of the names asked for
}

// maxExtras bounds how many documents a name adds: a hub that everything
// belongs to says nothing.
const maxExtras = 50

// Search returns possible answers, unordered and without duplicates. A query
// that asks for nothing in particular gets what was put in last. It fails with
// Invalid on a vector of another dimension.
func (x *Index) Search(q Query) ([]Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if q.Vector != nil {
		if err := codememory.CheckVector(q.Vector, x.rows.dim); err != nil {
			return nil, err
		}
	}
	if len(x.byID) == 0 {
		return nil, nil
	}
	words, total := x.plan(q.Terms)
	found := picked{at: map[uint32]int{}}
	if len(q.Terms)+len(q.Vector)+len(q.IDs)+len(q.Extras) == 0 {
		x.newest(q, &found)
	}
	norms := x.norms()
	forms := newLookup(words)
	for _, doc := range x.byWords(words, forms, norms, q) {
		found.add(doc)
	}
	var query []int16
	var scale float32
	if q.Vector != nil {
		query = make([]int16, x.rows.width)
		scale = dot.QuantizeQuery(query, q.Vector)
		for _, doc := range x.byVector(query, q) {
			found.add(doc)
		}
	}
	x.byName(q, &found)
	for _, id := range q.IDs {
		if doc, ok := x.byID[id]; ok {
			found.add(doc)
		}
	}
	hits := make([]Hit, len(found.docs))
	counts := make([]wordCount, len(words))
	products := make([]int32, maxPassages)
	for i, doc := range found.docs {
		d := &x.docs[doc]
		h := Hit{ID: d.id, Handle: d.handle, ExtraMatch: found.named[doc]}
		h.BM25, h.Coverage = x.score(doc, words, forms, total, norms, counts)
		h.HasVector = d.rows > 0
		if query != nil && d.rows > 0 {
			h.Cosine = x.cosine(d, query, scale, products)
		}
		hits[i] = h
	}
	return hits, nil
}

// picked is a set of documents in the order in which they were found.
type picked struct {
	docs  []uint32
	at    map[uint32]int
	named map[uint32]bool
}

func (p *picked) add(doc uint32) {
	if _, ok := p.at[doc]; !ok {
		p.at[doc] = len(p.docs)
		p.docs = append(p.docs, doc)
	}
}

func (x *Index) keep(q *Query, doc uint32) bool {
	d := &x.docs[doc]
	return !d.deleted && (q.Keep == nil || q.Keep(d.handle))
}

// newest finds the documents that were put in last.
func (x *Index) newest(q Query, found *picked) {
	for doc := len(x.docs) - 1; doc >= 0 && len(found.docs) < q.Limit; doc-- {
		if x.keep(&q, uint32(doc)) {
			found.add(uint32(doc))
		}
	}
}

// byName finds the newest documents that have one of the names asked for.
func (x *Index) byName(q Query, found *picked) {
	for _, name := range q.Extras {
		number, ok := x.words.byText[extraPrefix+text.EntityKey(name)]
		if !ok {
			continue
		}
		var docs []uint32
		for doc := range pairs(x.words.terms[number].postings) {
			if x.keep(&q, doc) {
				docs = append(docs, doc)
			}
		}
		if found.named == nil {
			found.named = map[uint32]bool{}
		}
		for _, doc := range docs {
			found.named[doc] = true
		}
		for _, doc := range docs[max(0, len(docs)-maxExtras):] {
			found.add(doc)
		}
	}
}

// postingBudget is how many bytes of postings a search looks at before it
// leaves the most ordinary words to the final scoring. Up to about ten
// thousand documents every word is looked at.
const postingBudget = 64 << 10

// spare is how many times more documents than asked for go into the final
// scoring when some words were left out of the selection.
const spare = 3

// byWords returns the best documents by BM25.
func (x *Index) byWords(words []wanted, forms lookup, norms *lengthNorms, q Query) []uint32 {
	if len(words) == 0 || q.Limit <= 0 {
		return nil
	}
	acc := x.accumulators()
	defer x.scratch.Put(acc)
	order := slices.Clone(words)
	slices.SortStableFunc(order, func(a, b wanted) int { return cmp.Compare(b.stemIDF, a.stemIDF) })
	spent, skipped := 0, false
	for i := range order {
		w := &order[i]
		if i > 0 && spent+w.postings > postingBudget && len(acc.touched) >= q.Limit {
			skipped = true
			continue
		}
		spent += w.postings
		x.accumulate(acc, w, norms)
	}
	limit := q.Limit
	if skipped {
		limit *= spare
	}
	best := newTop(limit)
	for _, doc := range acc.touched {
		if s := acc.score[doc]; best.wants(float64(s)) && x.keep(&q, doc) {
			best.add(float64(s), doc)
		}
		acc.score[doc] = 0
	}
	docs := best.documents()
	if !skipped {
		return docs
	}
	counts := make([]wordCount, len(words))
	again := newTop(q.Limit)
	for _, doc := range docs {
		s, _ := x.score(doc, words, forms, 1, norms, counts)
		again.add(s, doc)
	}
	return again.documents()
}

// accumulate adds the scores of one word. It is the inner loop of a search and
// therefore unpacks the postings by itself.
func (x *Index) accumulate(acc *accumulators, w *wanted, norms *lengthNorms) {
	for _, f := range w.forms {
		gain := float32((1 - exactShare) * w.stemIDF)
		if f == w.exact {
			gain += float32(exactShare * w.exactIDF)
		}
		postings, lengths, scores := x.words.terms[f].postings, x.lengths, acc.score
		doc := uint32(0)
		for i := 0; i < len(postings); {
			v := uint32(postings[i])
			i++
			if v >= 0x80 {
				rest, n := uvarint(postings[i:])
				v = v&0x7f | rest<<7
				i += n
			}
			doc += v >> 1
			count := uint32(1)
			if v&1 != 0 {
				var n int
				count, n = uvarint(postings[i:])
				i += n
			}
			length := lengths[doc]
			if length == 0 {
				continue
			}
			if scores[doc] == 0 {
				acc.touched = append(acc.touched, doc)
			}
			scores[doc] += gain * saturate(float32(count), norms[length])
		}
	}
}

// accumulators is the memory of one search; score is all zero between uses.
type accumulators struct {
	score   []float32
	touched []uint32
}

func (x *Index) accumulators() *accumulators {
	acc, ok := x.scratch.Get().(*accumulators)
	if !ok {
		acc = &accumulators{}
	}
	if len(acc.score) < len(x.docs) {
		acc.score = make([]float32, len(x.docs)+len(x.docs)/8+64)
	}
	acc.touched = acc.touched[:0]
	return acc
}

// byVector returns the documents with the best passages.
func (x *Index) byVector(query []int16, q Query) []uint32 {
	if q.Limit <= 0 {
		return nil
	}
	best := newTop(q.Limit)
	s := &x.rows
	products := make([]int32, blockRows)
	for b, block := range s.blocks {
		first := b * blockRows
		n := min(blockRows, len(s.owner)-first)
		dot.Rows(query, block[:n*s.width], products[:n])
		owner, scale := s.owner[first:first+n], s.scale[first:first+n]
		for i := 0; i < n; {
			doc := owner[i]
			top := float32(products[i]) * scale[i]
			for i++; i < n && owner[i] == doc; i++ {
				top = max(top, float32(products[i])*scale[i])
			}
			if doc != noDocument && best.wants(float64(top)) && x.keep(&q, doc) {
				best.add(float64(top), doc)
			}
		}
	}
	return best.documents()
}

func (x *Index) cosine(d *document, query []int16, scale float32, products []int32) float64 {
	products = products[:d.rows]
	dot.Rows(query, x.rows.span(d.row, d.rows), products)
	top := float32(-1)
	for i, p := range products {
		top = max(top, float32(p)*x.rows.scale[int(d.row)+i]*scale)
	}
	return float64(min(top, 1))
}
