package dot

// rowsNEON needs dim ≥ 16 and a multiple of 16, n ≥ 1. NEON is part of every
// arm64 machine that Go runs on.
//
//go:noescape
func rowsNEON(query *int16, rows *int8, out *int32, dim, n int)

func rowsKernel(query []int16, rows []int8, out []int32) {
	rowsNEON(&query[0], &rows[0], &out[0], len(query), len(out))
}
