package dot

import "golang.org/x/sys/cpu"

// rowsAVX2 needs dim ≥ 16 and a multiple of 16, n ≥ 1.
//
//go:noescape
func rowsAVX2(query *int16, rows *int8, out *int32, dim, n int)

func rowsKernel(query []int16, rows []int8, out []int32) {
	if cpu.X86.HasAVX2 {
		rowsAVX2(&query[0], &rows[0], &out[0], len(query), len(out))
		return
	}
	rowsGo(query, rows, out)
}
