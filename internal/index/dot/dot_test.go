package dot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestKernelAgreesWithPlainGo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{16, 32, 48, 64, 368, 384, 768} {
		for _, n := range []int{1, 2, 3, 33} {
			t.Run(fmt.Sprintf("%d rows of %d", n, dim), func(t *testing.T) {
				q := make([]int16, dim)
				rows := make([]int8, dim*n)
				for i := range q {
					q[i] = int16(r.IntN(2*QueryMax+1) - QueryMax)
				}
				for i := range rows {
					rows[i] = int8(r.IntN(255) - 127)
				}
				got, want := make([]int32, n), make([]int32, n)
				Rows(q, rows, got)
				rowsGo(q, rows, want)
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		}
	}
}

func TestExtremeValuesDoNotOverflow(t *testing.T) {
	const dim = 1536
	q, row := make([]int16, dim), make([]int8, dim)
	for i := range q {
		q[i], row[i] = QueryMax, -127
	}
	out := make([]int32, 1)
	Rows(q, row, out)
	if want := int32(-dim * QueryMax * 127); out[0] != want {
		t.Errorf("got %d, want %d", out[0], want)
	}
}

func TestQuantisedCosineIsCloseToTheRealOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		a, b := unit(r, 384), unit(r, 384)
		var want float64
		for i := range a {
			want += float64(a[i]) * float64(b[i])
		}
		q, row := make([]int16, 384), make([]int8, 384)
		scale := QuantizeQuery(q, a) * QuantizeRow(row, b)
		out := make([]int32, 1)
		Rows(q, row, out)
		if got := float64(out[0]) * float64(scale); math.Abs(got-want) > 0.005 {
			t.Errorf("cosine %v, want %v", got, want)
		}
	}
}

func unit(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	var sum float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func BenchmarkRows100k(b *testing.B) {
	const n, dim = 100_000, 384
	rows := make([]int8, n*dim)
	for i := range rows {
		rows[i] = int8(i * 7)
	}
	q, out := make([]int16, dim), make([]int32, n)
	for i := range q {
		q[i] = int16(i)
	}
	b.SetBytes(n * dim)
	for b.Loop() {
		Rows(q, rows, out)
	}
}
