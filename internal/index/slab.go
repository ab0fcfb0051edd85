package index

import (
	"codememory"
	"codememory/internal/index/dot"
)

// slab holds quantised vectors in blocks, so that growing copies nothing. The
// rows of a document are neighbours and never cross a block.
type slab struct {
	dim    int // as the owner sees it
	width  int // padded
	blocks [][]int8
	owner  []uint32  // document of each row; noDocument: unused
	scale  []float32 // turns a product into a cosine
	unused int       // rows whose document is gone
}

const (
	blockRows  = 1024
	noDocument = ^uint32(0)
)

func newSlab(dim int) slab { return slab{dim: dim, width: dot.Padded(dim)} }

// reserve returns the first of n neighbouring rows for a document.
func (s *slab) reserve(n int, doc uint32) uint32 {
	if left := blockRows - len(s.owner)%blockRows; n > left {
		for range left % blockRows {
			s.owner = append(s.owner, noDocument)
			s.scale = append(s.scale, 0)
			s.unused++
		}
	}
	first := uint32(len(s.owner))
	for range n {
		s.owner = append(s.owner, doc)
		s.scale = append(s.scale, 0)
	}
	for len(s.blocks)*blockRows < len(s.owner) {
		s.blocks = append(s.blocks, make([]int8, blockRows*s.width))
	}
	return first
}

func (s *slab) row(i uint32) []int8 {
	at := int(i) % blockRows * s.width
	return s.blocks[i/blockRows][at : at+s.width]
}

// span returns n neighbouring rows.
func (s *slab) span(first, n uint32) []int8 {
	at := int(first) % blockRows * s.width
	return s.blocks[first/blockRows][at : at+int(n)*s.width]
}

func (s *slab) drop(first, n uint32) {
	for i := first; i < first+n; i++ {
		s.owner[i] = noDocument
	}
	s.unused += int(n)
}

func (s *slab) copyFrom(from *slab, first, n, doc uint32) uint32 {
	if n == 0 {
		return 0
	}
	to := s.reserve(int(n), doc)
	copy(s.span(to, n), from.span(first, n))
	copy(s.scale[to:to+n], from.scale[first:first+n])
	return to
}

// maxPassages bounds the vectors of one document.
const maxPassages = 64

// PutVectors sets the vectors of a document's passages, replacing earlier
// ones. It fails with Invalid on a vector that would poison a ranking and with
// NotFound when the document is not there.
func (x *Index) PutVectors(id string, vectors [][]float32) error {
	vectors = vectors[:min(len(vectors), maxPassages)]
	for _, v := range vectors {
		if err := codememory.CheckVector(v, x.rows.dim); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	number, ok := x.byID[id]
	if !ok {
		return codememory.Errorf(codememory.NotFound, "document %s is not in the index", id)
	}
	d := &x.docs[number]
	x.rows.drop(d.row, d.rows)
	d.row, d.rows = 0, 0
	if len(vectors) == 0 {
		return nil
	}
	d.row, d.rows = x.rows.reserve(len(vectors), number), uint32(len(vectors))
	for i, v := range vectors {
		r := d.row + uint32(i)
		x.rows.scale[r] = dot.QuantizeRow(x.rows.row(r), v)
	}
	x.compact()
	return nil
}
