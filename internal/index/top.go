package index

import "container/heap"

// top keeps the best of many documents. Equal scores go to the older document,
// so that answers do not depend on the order of arrival.
type top struct {
	limit int
	items topHeap
}

type scored struct {
	score float64
	doc   uint32
}

func newTop(limit int) *top { return &top{limit: limit} }

// wants reports whether a document with this score could enter; it is the
// cheap test before any filter.
func (t *top) wants(score float64) bool {
	return len(t.items) < t.limit || score > t.items[0].score
}

func (t *top) add(score float64, doc uint32) {
	switch {
	case len(t.items) < t.limit:
		heap.Push(&t.items, scored{score, doc})
	case t.items.worse(t.items[0], scored{score, doc}):
		t.items[0] = scored{score, doc}
		heap.Fix(&t.items, 0)
	}
}

func (t *top) documents() []uint32 {
	docs := make([]uint32, len(t.items))
	for i, s := range t.items {
		docs[i] = s.doc
	}
	return docs
}

// topHeap is a heap with the worst document at its root.
type topHeap []scored

func (h topHeap) worse(a, b scored) bool {
	return a.score < b.score || a.score == b.score && a.doc > b.doc
}

func (h topHeap) Len() int           { return len(h) }
func (h topHeap) Less(i, j int) bool { return h.worse(h[i], h[j]) }
func (h topHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *topHeap) Push(v any)        { *h = append(*h, v.(scored)) }
func (h *topHeap) Pop() any {
	old := *h
	v := old[len(old)-1]
	*h = old[:len(old)-1]
	return v
}
