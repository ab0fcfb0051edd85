package encoder

// bestKernels needs no check: every arm64 processor Go runs on has NEON.
func bestKernels() kernels {
	all := availableKernels()
	return all[len(all)-1]
}

// availableKernels lists what this processor can run, fastest last.
func availableKernels() []kernels {
	neon := plainKernels()
	neon.name = "neon"
	neon.linear = neonLinear
	neon.matmul = neonMatmul
	return []kernels{plainKernels(), neon}
}

// linearN adds up one block of 16 packed weight rows for N tokens that lie
// inputs apart in x.

//go:noescape
func linear4NEON(sums *int32, x *int16, inputs int, w *int8)

//go:noescape
func linear1NEON(sums *int32, x *int16, inputs int, w *int8)

// matmulN computes 16 columns of N rows.

//go:noescape
func matmul4NEON(y *float32, yStride int, x *float32, xStride int, w *float32, wStride, inner int)

//go:noescape
func matmul1NEON(y, x, w *float32, wStride, inner int)

func neonLinear(y []float32, x []int16, xScale []float32, l *linear, tokens int) {
	var sums [4][rowBlock]int32
	for row := 0; row < l.out; row += rowBlock {
		w := &l.weights[row*l.in]
		for t := 0; t < tokens; {
			n := 1
			if tokens-t >= 4 {
				n = 4
				linear4NEON(&sums[0][0], &x[t*l.in], l.in, w)
			} else {
				linear1NEON(&sums[0][0], &x[t*l.in], l.in, w)
			}
			for i := range n {
				finishRows(y[(t+i)*l.out+row:], &sums[i], xScale[t+i], l, row)
			}
			t += n
		}
	}
}

func neonMatmul(y, x, w matrix, tokens, inner, columns int) {
	for c := 0; c < columns; c += 16 {
		weights := &w.data[c]
		for t := 0; t < tokens; {
			out, in := &y.data[t*y.stride+c], &x.data[t*x.stride]
			if tokens-t >= 4 {
				matmul4NEON(out, y.stride, in, x.stride, weights, w.stride, inner)
				t += 4
				continue
			}
			matmul1NEON(out, in, weights, w.stride, inner)
			t++
		}
	}
}
