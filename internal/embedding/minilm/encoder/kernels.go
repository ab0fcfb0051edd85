package encoder

// rowBlock is the number of output rows a weight block holds.
const rowBlock = 16

// linear is a dense layer, y = W·x + b. Its weights are packed in blocks of 16
// output rows; a block holds, for each pair of inputs, the two weights of every
// row, so that one multiply-add step of a kernel feeds 16 sums with one
// broadcast of two activations.
type linear struct {
	name    string
	in, out int
	weights []int8
	scale   []float32 // of each output row
	bias    []float32
}

// PackRows arranges a row-major [rows][columns] matrix in the order the
// kernels read it.
func PackRows(w []int8, rows, columns int) []int8 {
	packed := make([]int8, 0, len(w))
	for block := 0; block < rows; block += rowBlock {
		for k := 0; k < columns; k += 2 {
			for r := block; r < block+rowBlock; r++ {
				packed = append(packed, w[r*columns+k], w[r*columns+k+1])
			}
		}
	}
	return packed
}

// kernels are the inner loops, chosen once for the processor.
type kernels struct {
	name string
	// linear computes y[t] = l(x[t]) for tokens rows of quantised activations;
	// xScale holds one scale per token.
	linear func(y []float32, x []int16, xScale []float32, l *linear, tokens int)
	// matmul computes y[t][c] = Σk x[t][k]·w[k][c]; columns is a multiple of 16.
	matmul func(y, x, w matrix, tokens, inner, columns int)
	// quantize rounds a row to ±activationMax and returns its scale; the length
	// is a multiple of 16.
	quantize func(q []int16, x []float32) float32
	// gelu works in place; the length is a multiple of 8.
	gelu func(x []float32)
	// softmax works in place; the length is a multiple of 8.
	softmax func(row []float32)
}

// matrix is a view of rows that lie stride floats apart.
type matrix struct {
	data   []float32
	stride int
}

// activationMax keeps the largest sum, 1536 inputs × 127 × 8191, within an int32.
const activationMax = 8191
