package index

import (
	"cmp"
	"slices"

	"codememory/internal/index/dot"
)

// Neighbour is a document near another one.
type Neighbour struct {
	ID     string
	Cosine float64
}

// Handle returns the handle of a document, or -1.
func (x *Index) Handle(id string) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	doc, ok := x.byID[id]
	if !ok {
		return -1
	}
	return int(x.docs[doc].handle)
}

// Near returns the documents whose vectors are at least this close to the first
// passage of a document, closest first and at most limit. keep is as in Query.
func (x *Index) Near(id string, least float64, limit int, keep func(handle uint32) bool) []Neighbour {
	x.mu.RLock()
	defer x.mu.RUnlock()
	own, ok := x.byID[id]
	if !ok || x.docs[own].rows == 0 || limit <= 0 {
		return nil
	}
	d := &x.docs[own]
	query := make([]int16, x.rows.width)
	for i, v := range x.rows.row(d.row) {
		query[i] = int16(v)
	}
	scale := x.rows.scale[d.row]
	q := Query{Keep: keep}
	var out []Neighbour
	products := make([]int32, blockRows)
	for b, block := range x.rows.blocks {
		first := b * blockRows
		n := min(blockRows, len(x.rows.owner)-first)
		dot.Rows(query, block[:n*x.rows.width], products[:n])
		for i := range n {
			doc := x.rows.owner[first+i]
			if doc == noDocument || doc == own {
				continue
			}
			cosine := float64(float32(products[i]) * x.rows.scale[first+i] * scale)
			if cosine >= least && x.keep(&q, doc) {
				out = append(out, Neighbour{x.docs[doc].id, min(cosine, 1)})
			}
		}
	}
	slices.SortFunc(out, func(a, b Neighbour) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID)) })
	out = slices.CompactFunc(out, func(a, b Neighbour) bool { return a.ID == b.ID })
	return out[:min(len(out), limit)]
}
