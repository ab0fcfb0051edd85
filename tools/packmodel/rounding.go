package main

import "math"

// rounder turns the named matrix into int8 values and a scale for each row.
type rounder func(name string, w []float32, columns int) (q []int8, scales []float32)

// nearest rounds each row to ±127 times a scale of its own.
func nearest(_ string, w []float32, columns int) (q []int8, scales []float32) {
	q = make([]int8, len(w))
	for start := 0; start < len(w); start += columns {
		scale := rowScale(w[start : start+columns])
		scales = append(scales, scale)
		for i, v := range w[start : start+columns] {
			q[start+i] = toInt8(float64(v / scale))
		}
	}
	return q, scales
}

// compensated rounds column by column and lets the later columns make up for
// each rounding error, as far as the inputs are correlated (GPTQ). That keeps
// the layer's output, not its weights, closest to the original.
func compensated(inputs map[string]*moments) rounder {
	return func(name string, w []float32, columns int) (q []int8, scales []float32) {
		upper := inputs[name].inverseFactor()
		q = make([]int8, len(w))
		row := make([]float64, columns)
		for start := 0; start < len(w); start += columns {
			scale := rowScale(w[start : start+columns])
			scales = append(scales, scale)
			for i, v := range w[start : start+columns] {
				row[i] = float64(v)
			}
			for k := range row {
				q[start+k] = toInt8(row[k] / float64(scale))
				factors := upper[k*columns:][:columns]
				off := (row[k] - float64(q[start+k])*float64(scale)) / factors[k]
				for j := k + 1; j < columns; j++ {
					row[j] -= off * factors[j]
				}
			}
		}
		return q, scales
	}
}

func rowScale(row []float32) float32 {
	var largest float32
	for _, v := range row {
		largest = max(largest, v, -v)
	}
	return max(largest/127, math.SmallestNonzeroFloat32)
}

func toInt8(v float64) int8 { return int8(max(-127, min(127, math.RoundToEven(v)))) }

// moments are the summed outer products of a layer's inputs.
type moments struct {
	n   int
	sum []float64 // lower triangle of n × n
}

func (m *moments) add(x []float32) {
	for i := range m.n {
		xi := float64(x[i])
		row := m.sum[i*m.n:][:i+1]
		for j := range row {
			row[j] += xi * float64(x[j])
		}
	}
}

// damping is what is added to the diagonal, as a part of its mean. A few inputs
// are far larger than the rest and dominate that mean, so it is small.
const damping = 0.001

// inverseFactor returns the upper triangular U with UᵀU = M⁻¹, where M is the
// moments with a little added to the diagonal.
func (m *moments) inverseFactor() []float64 {
	n := m.n
	trace := 0.0
	for i := range n {
		trace += m.sum[i*n+i]
	}
	damp := damping * trace / float64(n)
	// With rows and columns reversed, the Cholesky factor L of M gives
	// M⁻¹ = L⁻ᵀL⁻¹; reversing back makes L⁻¹ upper triangular.
	reversed := make([]float64, n*n)
	for i := range n {
		for j := 0; j <= i; j++ {
			reversed[(n-1-j)*n+(n-1-i)] = m.sum[i*n+j]
		}
	}
	for i := range n {
		reversed[i*n+i] += damp
	}
	inverse := invertLower(cholesky(reversed, n), n)
	upper := make([]float64, n*n)
	for i := range n {
		for j := 0; j <= i; j++ {
			upper[(n-1-i)*n+(n-1-j)] = inverse[i*n+j]
		}
	}
	return upper
}

// cholesky replaces the lower triangle of a by its factor.
func cholesky(a []float64, n int) []float64 {
	for i := range n {
		for j := 0; j <= i; j++ {
			v := a[i*n+j] - dot(a[i*n:i*n+j], a[j*n:j*n+j])
			if i == j {
				a[i*n+i] = math.Sqrt(v)
			} else {
				a[i*n+j] = v / a[j*n+j]
			}
		}
	}
	return a
}

func invertLower(l []float64, n int) []float64 {
	inverse := make([]float64, n*n)
	for i := range n {
		row := inverse[i*n:][:i+1]
		for k := range i {
			factor := l[i*n+k]
			for j, v := range inverse[k*n:][:k+1] {
				row[j] -= factor * v
			}
		}
		for j := range i {
			row[j] /= l[i*n+i]
		}
		row[i] = 1 / l[i*n+i]
	}
	return inverse
}
