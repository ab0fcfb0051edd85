package encoder

import "math"

// plainKernels run everywhere and are what the others are tested against.
func plainKernels() kernels {
	return kernels{
		name:     "go",
		linear:   plainLinear,
		matmul:   plainMatmul,
		quantize: plainQuantize,
		gelu:     plainGelu,
		softmax:  plainSoftmax,
	}
}

func plainLinear(y []float32, x []int16, xScale []float32, l *linear, tokens int) {
	for row := 0; row < l.out; row += rowBlock {
		weights := l.weights[row*l.in : (row+rowBlock)*l.in]
		for t := range tokens {
			var sums [rowBlock]int32
			xs := x[t*l.in : (t+1)*l.in]
			for k := 0; k+1 < len(xs); k += 2 {
				x0, x1 := int32(xs[k]), int32(xs[k+1])
				w := (*[2 * rowBlock]int8)(weights[k*rowBlock:])
				for r := range sums {
					sums[r] += x0*int32(w[2*r]) + x1*int32(w[2*r+1])
				}
			}
			finishRows(y[t*l.out+row:], &sums, xScale[t], l, row)
		}
	}
}

// finishRows turns the integer sums of one token and one row block into floats.
func finishRows(y []float32, sums *[rowBlock]int32, xScale float32, l *linear, row int) {
	y = y[:rowBlock]
	scale, bias := l.scale[row:row+rowBlock], l.bias[row:row+rowBlock]
	for r, sum := range sums {
		y[r] = float32(sum)*(xScale*scale[r]) + bias[r]
	}
}

func plainMatmul(y, x, w matrix, tokens, inner, columns int) {
	for t := range tokens {
		out := y.data[t*y.stride:][:columns]
		clear(out)
		for k, v := range x.data[t*x.stride:][:inner] {
			row := w.data[k*w.stride:][:len(out)]
			for c := range out {
				out[c] += v * row[c]
			}
		}
	}
}

func plainQuantize(q []int16, x []float32) float32 {
	var largest float32
	for _, v := range x {
		largest = max(largest, v, -v)
	}
	if largest == 0 {
		clear(q)
		return 0
	}
	factor := activationMax / largest
	for i, v := range x {
		q[i] = int16(math.RoundToEven(float64(v * factor)))
	}
	return largest / activationMax
}

// plainGelu is x·Φ(x) with Abramowitz and Stegun's 7.1.26 for Φ, within 1e-6:
// gelu(x) = max(x,0) − |x|·h, where h = ½·erfc(|x|/√2).
func plainGelu(x []float32) {
	for i, v := range x {
		a := max(v, -v)
		t := 1 / (1 + 0.23164189*a)
		poly := t * (0.12741479 + t*(-0.14224836+t*(0.71070687+t*(-0.72657601+t*0.53070271))))
		x[i] = max(v, 0) - a*poly*exp32(-0.5*a*a)
	}
}

func plainSoftmax(row []float32) {
	largest := row[0]
	for _, v := range row {
		largest = max(largest, v)
	}
	var sum float32
	for i, v := range row {
		e := exp32(v - largest)
		row[i] = e
		sum += e
	}
	for i := range row {
		row[i] /= sum
	}
}

// exp32 is e^x for x ≤ 0 with a relative error near 2e-7 (Cody and Waite's
// reduction, then a polynomial).
func exp32(x float32) float32 {
	x = max(x, -87)
	n := float32(int32(x*1.44269504 - 0.5))
	r := x - n*0.693359375 + n*2.12194440e-4
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}
