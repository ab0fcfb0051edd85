package encoder

// linearN multiplies one block of 16 packed weight rows with N tokens: yStride
// floats apart in y, inputs apart in x (16-bit) and one apart in xScale.

//go:noescape
func linear6AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear4AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear2AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear1AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear12AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear6AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear3AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

//go:noescape
func linear1AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)

// matmulN computes 16 columns of N rows.

//go:noescape
func matmul6AVX2(y *float32, yStride int, x *float32, xStride int, w *float32, wStride, inner int)

//go:noescape
func matmul1AVX2(y, x, w *float32, wStride, inner int)

//go:noescape
func maxAbsAVX2(x *float32, n int) float32

//go:noescape
func quantizeAVX2(q *int16, x *float32, n int, factor float32)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func softmaxAVX2(row *float32, n int)
