// Package encoder runs the all-MiniLM-L6-v2 transformer in Go: tokenizer,
// forward pass and the packed file the weights are read from. It knows nothing
// about retrieval; package minilm makes an embedder of it.
//
// Weights are int8 with one scale per output row, activations 14-bit integers
// with one scale per token, sums exact int32. Every kernel (AVX2, AVX-512 VNNI,
// NEON, plain Go) therefore computes the same integers, and only the last float
// operations may differ in rounding.
package encoder

// The geometry of all-MiniLM-L6-v2.
const (
	Hidden    = 384
	Layers    = 6
	Window    = 256 // positions kept, including [CLS] and [SEP]
	VocabSize = 30522

	heads       = 12
	headDim     = Hidden / heads
	feedForward = 4 * Hidden
	normEpsilon = 1e-12
)
