package encoder

import (
	"math"
	"math/rand/v2"
	"testing"
)

// forEachKernel runs the test on every set of inner loops this processor has,
// beside the plain one.
func forEachKernel(t *testing.T, test func(t *testing.T, k kernels)) {
	for _, k := range availableKernels() {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

func randomFloats(r *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64()) * 3
	}
	return out
}

func TestLinearKernelsSumTheSameIntegers(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernels) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, in := range []int{Hidden, feedForward} {
			const out, most = 48, 31
			l := linear{in: in, out: out, weights: make([]int8, in*out), scale: randomFloats(r, out), bias: randomFloats(r, out)}
			for i := range l.weights {
				l.weights[i] = int8(r.IntN(255) - 127)
			}
			x := make([]int16, most*in)
			for i := range x {
				x[i] = int16(r.IntN(2*activationMax+1) - activationMax)
			}
			scales := randomFloats(r, most)
			for tokens := 1; tokens <= most; tokens++ {
				want, got := make([]float32, tokens*out+1), make([]float32, tokens*out+1)
				got[tokens*out] = 42
				plainLinear(want, x, scales, &l, tokens)
				k.linear(got, x, scales, &l, tokens)
				compare(t, got[:tokens*out], want[:tokens*out], 1e-6)
				if got[tokens*out] != 42 {
					t.Fatalf("%d tokens: wrote beyond the result", tokens)
				}
			}
		}
	})
}

func TestLinearKernelsHoldTheLargestPossibleSum(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernels) {
		l := linear{in: feedForward, out: rowBlock, weights: make([]int8, feedForward*rowBlock), scale: make([]float32, rowBlock), bias: make([]float32, rowBlock)}
		x := make([]int16, feedForward)
		for i := range l.weights {
			l.weights[i] = -127
		}
		for i := range x {
			x[i] = activationMax
		}
		for i := range l.scale {
			l.scale[i] = 1
		}
		y := make([]float32, rowBlock)
		k.linear(y, x, []float32{1}, &l, 1)
		if want := -float32(feedForward * 127 * activationMax); y[3] != want {
			t.Errorf("sum is %v, want %v", y[3], want)
		}
	})
}

func TestPackRowsKeepsTheProduct(t *testing.T) {
	const in, out = 32, 32
	r := rand.New(rand.NewPCG(5, 6))
	rows := make([]int8, in*out)
	for i := range rows {
		rows[i] = int8(r.IntN(255) - 127)
	}
	x := make([]int16, in)
	for i := range x {
		x[i] = int16(r.IntN(200) - 100)
	}
	ones := make([]float32, out)
	for i := range ones {
		ones[i] = 1
	}
	l := linear{in: in, out: out, weights: PackRows(rows, out, in), scale: ones, bias: make([]float32, out)}
	got := make([]float32, out)
	plainLinear(got, x, []float32{1}, &l, 1)
	for row := range out {
		var want int32
		for i := range in {
			want += int32(rows[row*in+i]) * int32(x[i])
		}
		if got[row] != float32(want) {
			t.Errorf("row %d is %v, want %d", row, got[row], want)
		}
	}
}

func TestMatmulKernelsAgree(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernels) {
		r := rand.New(rand.NewPCG(3, 4))
		x := matrix{randomFloats(r, 20*50), 50}
		w := matrix{randomFloats(r, 40*70), 70}
		for tokens := 1; tokens <= 20; tokens++ {
			for _, inner := range []int{1, 7, 32, 40} {
				want, got := matrix{make([]float32, 20*40), 40}, matrix{make([]float32, 20*40), 40}
				plainMatmul(want, x, w, tokens, inner, 32)
				k.matmul(got, x, w, tokens, inner, 32)
				compare(t, got.data, want.data, 1e-5)
			}
		}
	})
}

func TestQuantizeKernelsAgree(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernels) {
		x := randomFloats(rand.New(rand.NewPCG(7, 8)), Hidden)
		want, got := make([]int16, Hidden), make([]int16, Hidden)
		if w, g := plainQuantize(want, x), k.quantize(got, x); w != g {
			t.Errorf("scale is %v, want %v", g, w)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("value %d is %d, want %d", i, got[i], want[i])
			}
		}
		if scale := k.quantize(got, make([]float32, Hidden)); scale != 0 || got[5] != 0 {
			t.Errorf("a row of zeros becomes %d at scale %v", got[5], scale)
		}
	})
}

func TestGeluIsTheExactOne(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernels) {
		var x, want []float32
		for v := -12.0; v < 12; v += 1.0 / 64 {
			x = append(x, float32(v))
			want = append(want, float32(0.5*v*math.Erfc(-v/math.Sqrt2)))
		}
		k.gelu(x)
		compare(t, x, want, 2e-6)
	})
}

func TestSoftmaxSumsToOneAndIgnoresPadding(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k kernels) {
		row := randomFloats(rand.New(rand.NewPCG(9, 1)), 32)
		for i := 19; i < len(row); i++ {
			row[i] = -math.MaxFloat32
		}
		var want [32]float32
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(float64(v))
		}
		for i, v := range row {
			want[i] = float32(math.Exp(float64(v)) / sum)
		}
		k.softmax(row)
		compare(t, row, want[:], 1e-6)
	})
}

// compare allows an error relative to the larger of the value and 1.
func compare(t *testing.T, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if diff := math.Abs(float64(got[i] - want[i])); !(diff <= tolerance*max(1, math.Abs(float64(want[i])))) {
			t.Fatalf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
}
