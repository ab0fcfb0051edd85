package main

import "math"

// principal returns the n strongest directions of a symmetric matrix of second
// moments, as n rows: subspace iteration from a fixed start, so that the result
// is the same everywhere.
func principal(moments []float64, n int) []float32 {
	const rounds = 150
	rows := make([][]float64, n)
	state := uint64(1)
	for r := range rows {
		rows[r] = make([]float64, hidden)
		for i := range rows[r] {
			state = state*6364136223846793005 + 1442695040888963407
			rows[r][i] = float64(int64(state)>>11) / (1 << 52)
		}
	}
	for range rounds {
		for r, row := range rows {
			rows[r] = multiply(moments, row)
		}
		orthonormalize(rows)
	}
	out := make([]float32, 0, n*hidden)
	for _, row := range rows {
		for _, v := range row {
			out = append(out, float32(v))
		}
	}
	return out
}

func multiply(matrix, v []float64) []float64 {
	out := make([]float64, hidden)
	for i := range out {
		out[i] = dot(matrix[i*hidden:][:hidden], v)
	}
	return out
}

func orthonormalize(rows [][]float64) {
	for r, row := range rows {
		for _, earlier := range rows[:r] {
			d := dot(row, earlier)
			for i := range row {
				row[i] -= d * earlier[i]
			}
		}
		length := math.Sqrt(dot(row, row))
		for i := range row {
			row[i] /= length
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
