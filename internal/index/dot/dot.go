// Package dot multiplies one query with many stored int8 rows. All
// implementations compute the same integers, so a ranking does not depend on
// the machine it runs on.
package dot

import "math"

// Align is what row lengths must be a multiple of; shorter vectors are padded
// with zeros.
const Align = 16

// Padded returns the row length that holds dim values.
func Padded(dim int) int { return (dim + Align - 1) / Align * Align }

// Rows sets out[i] to the product of query and the i-th row of rows, which
// holds len(out) rows of len(query) values. len(query) is a multiple of Align,
// and its values are at most QueryMax in size, so that nothing overflows.
func Rows(query []int16, rows []int8, out []int32) {
	dim := len(query)
	if len(out) == 0 || dim == 0 {
		return
	}
	if dim%Align != 0 || len(rows) < dim*len(out) {
		panic("dot: rows are not of the query's length")
	}
	rowsKernel(query, rows, out)
}

// QueryMax is the largest size of a quantised query value: 13 bits are as fast
// as 8 and lose nothing.
const QueryMax = 4095

// QuantizeQuery writes v, padded, to dst and returns the factor that turns
// products back into real ones.
func QuantizeQuery(dst []int16, v []float32) float32 {
	clear(dst)
	top := maxAbs(v)
	if top == 0 {
		return 0
	}
	inv := QueryMax / top
	for i, x := range v {
		dst[i] = int16(math.RoundToEven(float64(x * inv)))
	}
	return top / QueryMax
}

// QuantizeRow writes v, padded, to dst and returns the factor that turns
// products back into real ones.
func QuantizeRow(dst []int8, v []float32) float32 {
	clear(dst)
	top := maxAbs(v)
	if top == 0 {
		return 0
	}
	inv := 127 / top
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x * inv)))
	}
	return top / 127
}

func maxAbs(v []float32) float32 {
	var top float32
	for _, x := range v {
		top = max(top, x, -x)
	}
	return top
}

func rowsGo(query []int16, rows []int8, out []int32) {
	dim := len(query)
	for i := range out {
		row := rows[i*dim : i*dim+dim]
		var a, b, c, d int32
		for j := 0; j+4 <= len(row) && j+4 <= len(query); j += 4 {
			a += int32(query[j]) * int32(row[j])
			b += int32(query[j+1]) * int32(row[j+1])
			c += int32(query[j+2]) * int32(row[j+2])
			d += int32(query[j+3]) * int32(row[j+3])
		}
		out[i] = a + b + c + d
	}
}
