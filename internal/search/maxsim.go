package search

import (
	"math"

	"codememory"
	"codememory/internal/index/dot"
)

// matcher compares a question with documents token by token: every token of
// the question looks for its most similar token in the document, and rare
// tokens count for more (late interaction, "MaxSim").
type matcher struct {
	dim, width int
	rows       []int16 // the question's token states, padded
	norms      []float64
	weights    []float64
	total      float64
	products   []int32
	padded     []int8
}

// Two tokens are taken for the same word, in any form, around this cosine.
const (
	sameToken      = 0.85
	sameTokenWidth = 0.04
)

// newMatcher prepares a question. It returns nil when there is nothing to compare.
func newMatcher(question codememory.TokenStates, dim int) *matcher {
	n := len(question.Weights)
	if dim <= 0 || n == 0 || len(question.Data) < n*dim {
		return nil
	}
	m := &matcher{dim: dim, width: dot.Padded(dim)}
	m.rows = make([]int16, n*m.width)
	for i := range n {
		row := m.rows[i*m.width : i*m.width+dim]
		var sum float64
		for j, v := range question.Data[i*dim : (i+1)*dim] {
			row[j] = int16(v)
			sum += float64(v) * float64(v)
		}
		m.norms = append(m.norms, math.Sqrt(sum))
		w := max(float64(question.Weights[i]), 0)
		m.weights = append(m.weights, w)
		m.total += w
	}
	if m.total == 0 {
		return nil
	}
	return m
}

// tokenMatch says how well a document's tokens match a question's.
type tokenMatch struct {
	mean float64 // weighted mean of the best cosines
	same float64 // share of the weight whose best cosine says "the same word"

	count int // tokens of the document
}

// match finds for every token of the question its best cosine in any passage
// of the document. It reports whether the document has tokens.
func (m *matcher) match(passages []codememory.TokenStates) (tokenMatch, bool) {
	best := make([]float64, len(m.weights))
	for i := range best {
		best[i] = -1
	}
	var t tokenMatch
	for _, p := range passages {
		n := len(p.Data) / m.dim
		if n == 0 {
			continue
		}
		t.count += n
		m.passage(m.aligned(p.Data, n), n, best)
	}
	if t.count == 0 {
		return tokenMatch{}, false
	}
	for i, b := range best {
		share := m.weights[i] / m.total
		t.mean += share * b
		t.same += share / (1 + math.Exp(-(b-sameToken)/sameTokenWidth))
	}
	return t, true
}

// passage raises best[i] to the highest cosine of question token i in rows.
func (m *matcher) passage(rows []int8, n int, best []float64) {
	if cap(m.products) < n {
		m.products = make([]int32, n)
	}
	products := m.products[:n]
	lengths := make([]float64, n)
	for j := range lengths {
		var sum int32
		for _, v := range rows[j*m.width : (j+1)*m.width] {
			sum += int32(v) * int32(v)
		}
		lengths[j] = 1 / math.Sqrt(max(float64(sum), 1))
	}
	for i := range best {
		dot.Rows(m.rows[i*m.width:(i+1)*m.width], rows, products)
		top := -math.MaxFloat64
		for j, p := range products {
			top = max(top, float64(p)*lengths[j])
		}
		if m.norms[i] > 0 {
			best[i] = max(best[i], top/m.norms[i])
		}
	}
}

// aligned returns rows in the width that the kernel wants.
func (m *matcher) aligned(data []int8, n int) []int8 {
	if m.width == m.dim {
		return data[:n*m.dim]
	}
	if cap(m.padded) < n*m.width {
		m.padded = make([]int8, n*m.width)
	}
	rows := m.padded[:n*m.width]
	clear(rows)
	for i := range n {
		copy(rows[i*m.width:], data[i*m.dim:(i+1)*m.dim])
	}
	return rows
}

// TokenMatch is the token-level similarity of a question and a document's
// passages, dim values per token; false when either has no tokens.
func TokenMatch(question codememory.TokenStates, passages []codememory.TokenStates, dim int) (float64, bool) {
	m := newMatcher(question, dim)
	if m == nil {
		return 0, false
	}
	t, ok := m.match(passages)
	return t.mean, ok
}
