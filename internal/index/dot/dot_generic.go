//go:build !amd64 && !arm64

package dot

func rowsKernel(query []int16, rows []int8, out []int32) { rowsGo(query, rows, out) }
