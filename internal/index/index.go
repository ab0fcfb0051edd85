// Package index searches short documents in memory by words and by vectors.
// It is a cache: it holds no text, knows nothing of what its documents are,
// and is rebuilt from its owner's records. Many readers, one writer at a time.
package index

import (
	"sync"

	"codememory/internal/text"
)

// Document is something to be found.
type Document struct {
	ID     string
	Text   string
	Extras []string // names it is also found by, whole and in words
	// Handle is the owner's number for the document. Filters get it, so that
	// they can look into a slice instead of a map.
	Handle uint32
}

// Index is an inverted index with a slab of quantised vectors. The zero value
// is not usable; see New.
type Index struct {
	mu    sync.RWMutex
	words dictionary
	docs  []document
	// lengths of the documents, 0 for deleted ones, apart from docs so that
	// going through postings stays in the processor's cache.
	lengths []uint16
	byID    map[string]uint32
	dead    int    // documents in docs that were deleted or replaced
	total   uint64 // sum of the lengths of the live ones
	rows    slab

	scratch sync.Pool // *accumulators
}

type document struct {
	id      string
	terms   []byte // its term numbers and counts, packed by appendPair
	handle  uint32
	row     uint32 // first row of its vectors
	rows    uint32
	deleted bool
}

// New returns an empty index for vectors of this dimension; 0 means no vectors.
func New(dim int) *Index {
	return &Index{words: newDictionary(), byID: map[string]uint32{}, rows: newSlab(dim)}
}

// Put adds documents or replaces those with the same id. The vectors of a
// replaced document are dropped.
func (x *Index) Put(docs ...Document) {
	// Analysing is most of the work and needs no lock.
	analysed := make([]text.Document, len(docs))
	for i, d := range docs {
		analysed[i] = analyse(d)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, d := range docs {
		x.remove(d.ID)
		x.add(d, analysed[i])
	}
	x.compact()
}

// Delete removes documents; ids that are not there are ignored.
func (x *Index) Delete(ids ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.remove(id)
	}
	x.compact()
}

// Len is the number of documents.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.byID)
}

// Has reports whether there is a document with this id.
func (x *Index) Has(id string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, ok := x.byID[id]
	return ok
}

// extraPrefix keeps names as such apart from the words of texts.
const extraPrefix = "\x00"

func analyse(d Document) text.Document {
	a := text.AnalyzeDocument(d.Text)
	if len(d.Extras) == 0 {
		return a
	}
	have := make(map[string]bool, len(a.Terms))
	for _, t := range a.Terms {
		have[t.Text] = true
	}
	add := func(term string) {
		if !have[term] {
			have[term] = true
			a.Terms = append(a.Terms, text.DocumentTerm{Text: term, Count: 1})
		}
	}
	for _, name := range d.Extras {
		for _, t := range text.AnalyzeDocument(name).Terms {
			add(t.Text)
		}
		add(extraPrefix + text.EntityKey(name))
	}
	return a
}

func (x *Index) add(d Document, a text.Document) {
	number := uint32(len(x.docs))
	x.docs = append(x.docs, document{id: d.ID, handle: d.Handle, terms: x.words.post(number, a.Terms)})
	length := min(max(a.Length, 1), maxLength)
	x.lengths = append(x.lengths, uint16(length))
	x.byID[d.ID] = number
	x.total += uint64(length)
}

// maxLength is the length from which documents are treated as equally long.
const maxLength = 1023

func (x *Index) remove(id string) {
	number, ok := x.byID[id]
	if !ok {
		return
	}
	d := &x.docs[number]
	x.words.unpost(d.terms)
	x.rows.drop(d.row, d.rows)
	x.total -= uint64(x.lengths[number])
	x.lengths[number] = 0
	*d = document{deleted: true}
	delete(x.byID, id)
	x.dead++
}

// compact renumbers the documents when too many numbers or rows are dead. Postings are
// written anew from the documents' own term lists, in the old order, so that
// answers stay the same.
func (x *Index) compact() {
	manyDocs := x.dead >= 512 && x.dead*4 >= len(x.docs)
	manyRows := x.rows.unused >= 2*blockRows && x.rows.unused*3 >= len(x.rows.owner)
	if manyDocs || manyRows {
		x.rewrite()
	}
}

func (x *Index) rewrite() {
	x.words.clearPostings()
	live := make([]document, 0, len(x.docs)-x.dead)
	lengths := make([]uint16, 0, len(x.docs)-x.dead)
	rows := newSlab(x.rows.dim)
	for i, d := range x.docs {
		if d.deleted {
			continue
		}
		number := uint32(len(live))
		x.words.repost(number, d.terms)
		d.row = rows.copyFrom(&x.rows, d.row, d.rows, number)
		x.byID[d.id] = number
		live = append(live, d)
		lengths = append(lengths, x.lengths[i])
	}
	x.docs, x.lengths, x.rows, x.dead = live, lengths, rows, 0
}
