package encoder

import (
	"fmt"
	"sync"
)

type layer struct {
	qkv, attention, up, down linear
	attentionNorm, norm      layerNorm
}

type layerNorm struct{ gain, bias []float32 }

// Model is a loaded encoder, safe for concurrent use.
type Model struct {
	Tokenizer

	words     []int8
	wordScale []float32
	positions []float32
	inputNorm layerNorm
	layers    [Layers]layer
	kernels   kernels
	scratch   sync.Pool

	observe func(linear string, inputs []float32)
}

// Load opens a packed file. The matrices stay where they are, so data must not
// change while the model is in use.
func Load(data string) (*Model, error) { return load(data, bestKernels()) }

// LoadWith is Load with a chosen set of inner loops, for comparing them.
func LoadWith(data, kernels string) (*Model, error) {
	for _, k := range availableKernels() {
		if k.name == kernels {
			return load(data, k)
		}
	}
	return nil, fmt.Errorf("this processor has no %s kernels", kernels)
}

// KernelNames lists the inner loops this processor can run, fastest last.
func KernelNames() []string {
	var names []string
	for _, k := range availableKernels() {
		names = append(names, k.name)
	}
	return names
}

func load(data string, k kernels) (*Model, error) {
	p, err := openPacked(data)
	if err != nil {
		return nil, err
	}
	m := &Model{
		Tokenizer: newTokenizerFrom(p),
		words:     p.int8s("word.w", VocabSize*Hidden),
		wordScale: p.floats("word.scale", VocabSize),
		positions: p.floats("position", Window*Hidden),
		inputNorm: p.layerNorm("norm"),
		kernels:   k,
	}
	for i := range m.layers {
		name := fmt.Sprintf("layer%d.", i)
		m.layers[i] = layer{
			qkv:           p.linear(name+"qkv", Hidden, 3*Hidden),
			attention:     p.linear(name+"attn", Hidden, Hidden),
			up:            p.linear(name+"up", Hidden, feedForward),
			down:          p.linear(name+"down", feedForward, Hidden),
			attentionNorm: p.layerNorm(name + "norm1"),
			norm:          p.layerNorm(name + "norm2"),
		}
	}
	m.scratch.New = func() any { return new(scratch) }
	return m, p.err
}

// Observe makes Forward show the inputs of every linear layer, all tokens at
// once, to see. It is for calibrating weights; a model in use has no observer.
func (m *Model) Observe(see func(linear string, inputs []float32)) { m.observe = see }

// Kernels names the inner loops in use: avx512, avx2, neon or go.
func (m *Model) Kernels() string { return m.kernels.name }

func newTokenizerFrom(p *packed) Tokenizer {
	v := p.vocabulary()
	if p.err != nil {
		return Tokenizer{}
	}
	return newTokenizer(v)
}

func (p *packed) linear(name string, in, out int) linear {
	return linear{
		name: name, in: in, out: out,
		weights: p.int8s(name+".w", in*out),
		scale:   p.floats(name+".s", out),
		bias:    p.floats(name+".b", out),
	}
}

func (p *packed) layerNorm(name string) layerNorm {
	both := p.floats(name, 2*Hidden)
	if p.err != nil {
		return layerNorm{}
	}
	return layerNorm{gain: both[:Hidden], bias: both[Hidden:]}
}
