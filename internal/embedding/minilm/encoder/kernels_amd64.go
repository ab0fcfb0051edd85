package encoder

import "golang.org/x/sys/cpu"

// bestKernels asks the processor once, when a model is loaded.
func bestKernels() kernels {
	all := availableKernels()
	return all[len(all)-1]
}

// availableKernels lists what this processor can run, fastest last.
func availableKernels() []kernels {
	list := []kernels{plainKernels()}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return list
	}
	avx2 := kernels{
		name:     "avx2",
		linear:   avx2Linear,
		matmul:   avx2Matmul,
		quantize: avx2Quantize,
		gelu:     func(x []float32) { geluAVX2(&x[0], len(x)) },
		softmax:  func(row []float32) { softmaxAVX2(&row[0], len(row)) },
	}
	list = append(list, avx2)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
		avx512 := avx2
		avx512.name = "avx512"
		avx512.linear = avx512Linear
		list = append(list, avx512)
	}
	return list
}

func avx2Linear(y []float32, x []int16, xScale []float32, l *linear, tokens int) {
	for row := 0; row < l.out; row += rowBlock {
		w, scale, bias := &l.weights[row*l.in], &l.scale[row], &l.bias[row]
		for t := 0; t < tokens; {
			out, in, xs := &y[t*l.out+row], &x[t*l.in], &xScale[t]
			switch left := tokens - t; {
			case left >= 6:
				linear6AVX2(out, l.out, in, l.in, xs, w, scale, bias)
				t += 6
			case left >= 4:
				linear4AVX2(out, l.out, in, l.in, xs, w, scale, bias)
				t += 4
			case left >= 2:
				linear2AVX2(out, l.out, in, l.in, xs, w, scale, bias)
				t += 2
			default:
				linear1AVX2(out, l.out, in, l.in, xs, w, scale, bias)
				t++
			}
		}
	}
}

func avx512Linear(y []float32, x []int16, xScale []float32, l *linear, tokens int) {
	for row := 0; row < l.out; row += rowBlock {
		w, scale, bias := &l.weights[row*l.in], &l.scale[row], &l.bias[row]
		for t := 0; t < tokens; {
			out, in, xs := &y[t*l.out+row], &x[t*l.in], &xScale[t]
			switch left := tokens - t; {
			case left >= 12:
				linear12AVX512(out, l.out, in, l.in, xs, w, scale, bias)
				t += 12
			case left >= 6:
				linear6AVX512(out, l.out, in, l.in, xs, w, scale, bias)
				t += 6
			case left >= 3:
				linear3AVX512(out, l.out, in, l.in, xs, w, scale, bias)
				t += 3
			default:
				linear1AVX512(out, l.out, in, l.in, xs, w, scale, bias)
				t++
			}
		}
	}
}

func avx2Matmul(y, x, w matrix, tokens, inner, columns int) {
	for c := 0; c < columns; c += 16 {
		weights := &w.data[c]
		for t := 0; t < tokens; {
			out, in := &y.data[t*y.stride+c], &x.data[t*x.stride]
			if tokens-t >= 6 {
				matmul6AVX2(out, y.stride, in, x.stride, weights, w.stride, inner)
				t += 6
				continue
			}
			matmul1AVX2(out, in, weights, w.stride, inner)
			t++
		}
	}
}

func avx2Quantize(q []int16, x []float32) float32 {
	largest := maxAbsAVX2(&x[0], len(x))
	if largest == 0 {
		clear(q)
		return 0
	}
	quantizeAVX2(&q[0], &x[0], len(x), activationMax/largest)
	return largest / activationMax
}
