package encoder

import "math"

// scratch holds the buffers of one forward pass.
type scratch struct {
	states, qkv, mixed, delta, wide []float32
	keys, scores                    []float32
	quantised                       []int16
	scales                          []float32
}

// Forward runs the encoder over ids (at most Window, with [CLS] and [SEP]) and
// hands the last hidden states, len(ids) rows of Hidden, to use. The states are
// only valid during the call.
func (m *Model) Forward(ids []int32, use func(states []float32)) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	s.fit(len(ids))
	m.input(s, ids)
	for i := range m.layers {
		m.layer(s, &m.layers[i], len(ids))
	}
	use(s.states)
}

func (s *scratch) fit(tokens int) {
	padded := padTokens(tokens)
	s.states = resize(s.states, tokens*Hidden)
	s.qkv = resize(s.qkv, tokens*3*Hidden)
	s.mixed = resize(s.mixed, tokens*Hidden)
	s.delta = resize(s.delta, tokens*Hidden)
	s.wide = resize(s.wide, tokens*feedForward)
	s.keys = resize(s.keys, headDim*padded)
	s.scores = resize(s.scores, tokens*padded)
	s.quantised = resize(s.quantised, tokens*feedForward)
	s.scales = resize(s.scales, tokens)
}

func resize[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}

// padTokens rounds up to the column block of matmul.
func padTokens(tokens int) int { return (tokens + 15) &^ 15 }

func (m *Model) input(s *scratch, ids []int32) {
	for t, id := range ids {
		row := s.states[t*Hidden:][:Hidden]
		word := m.words[int(id)*Hidden:][:Hidden]
		position := m.positions[t*Hidden:][:Hidden]
		scale := m.wordScale[id]
		for i := range row {
			row[i] = float32(word[i])*scale + position[i]
		}
		m.inputNorm.apply(row)
	}
}

func (m *Model) layer(s *scratch, l *layer, tokens int) {
	m.apply(s, &l.qkv, s.qkv, s.states, tokens)
	m.attend(s, tokens)
	m.apply(s, &l.attention, s.delta, s.mixed, tokens)
	l.attentionNorm.addAndApply(s.states, s.delta)
	m.apply(s, &l.up, s.wide, s.states, tokens)
	m.kernels.gelu(s.wide)
	m.apply(s, &l.down, s.delta, s.wide, tokens)
	l.norm.addAndApply(s.states, s.delta)
}

func (m *Model) apply(s *scratch, l *linear, y, x []float32, tokens int) {
	if m.observe != nil {
		m.observe(l.name, x[:tokens*l.in])
	}
	for t := range tokens {
		s.scales[t] = m.kernels.quantize(s.quantised[t*l.in:][:l.in], x[t*l.in:][:l.in])
	}
	m.kernels.linear(y, s.quantised, s.scales, l, tokens)
}

// attend mixes the values of all tokens, head by head. Queries were scaled by
// 1/√headDim when the weights were packed.
func (m *Model) attend(s *scratch, tokens int) {
	padded := padTokens(tokens)
	scores := matrix{s.scores, padded}
	for head := range heads {
		query := s.qkv[head*headDim:]
		key := s.qkv[Hidden+head*headDim:]
		value := s.qkv[2*Hidden+head*headDim:]
		transpose(s.keys, padded, key, tokens)
		m.kernels.matmul(scores, matrix{query, 3 * Hidden}, matrix{s.keys, padded}, tokens, headDim, padded)
		for t := range tokens {
			row := s.scores[t*padded:][:padded]
			for i := tokens; i < padded; i++ {
				row[i] = -math.MaxFloat32
			}
			m.kernels.softmax(row)
		}
		m.kernels.matmul(matrix{s.mixed[head*headDim:], Hidden}, scores, matrix{value, 3 * Hidden}, tokens, tokens, headDim)
	}
}

// transpose lays one head's keys out as [headDim][padded], zero beyond tokens.
func transpose(out []float32, padded int, key []float32, tokens int) {
	for t := range tokens {
		for c, v := range key[t*3*Hidden:][:headDim] {
			out[c*padded+t] = v
		}
	}
	for c := range headDim {
		clear(out[c*padded+tokens : (c+1)*padded])
	}
}

func (n *layerNorm) addAndApply(x, delta []float32) {
	for i, d := range delta {
		x[i] += d
	}
	for t := 0; t < len(x); t += Hidden {
		n.apply(x[t : t+Hidden])
	}
}

// apply normalises one row. Four partial sums keep the adder busy.
func (n *layerNorm) apply(row []float32) {
	row = row[:Hidden]
	var s0, s1, s2, s3 float32
	for i := 0; i+3 < len(row); i += 4 {
		s0, s1, s2, s3 = s0+row[i], s1+row[i+1], s2+row[i+2], s3+row[i+3]
	}
	mean := (s0 + s1 + s2 + s3) / Hidden
	s0, s1, s2, s3 = 0, 0, 0, 0
	for i := 0; i+3 < len(row); i += 4 {
		d0, d1, d2, d3 := row[i]-mean, row[i+1]-mean, row[i+2]-mean, row[i+3]-mean
		s0, s1, s2, s3 = s0+d0*d0, s1+d1*d1, s2+d2*d2, s3+d3*d3
	}
	inverse := float32(1 / math.Sqrt(float64((s0+s1+s2+s3)/Hidden)+normEpsilon))
	gain, bias := n.gain[:len(row)], n.bias[:len(row)]
	for i := range row {
		row[i] = (row[i]-mean)*inverse*gain[i] + bias[i]
	}
}
