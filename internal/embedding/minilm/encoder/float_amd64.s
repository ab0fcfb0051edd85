#include "textflag.h"

#define COLUMNS \
	VMOVUPS (DX), Y12   \
	VMOVUPS 32(DX), Y13 \
	ADDQ    R11, DX

#define ROW(x, a, b) \
	VBROADCASTSS x, Y14        \
	VFMADD231PS  Y12, Y14, a   \
	VFMADD231PS  Y13, Y14, b

#define STORE(a, b) \
	VMOVUPS a, (DI)   \
	VMOVUPS b, 32(DI) \
	ADDQ    R8, DI

#define ZERO2(a, b) \
	VXORPS a, a, a \
	VXORPS b, b, b

// func matmul6AVX2(y *float32, yStride int, x *float32, xStride int, w *float32, wStride, inner int)
TEXT ·matmul6AVX2(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ yStride+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ xStride+24(FP), R10
	MOVQ w+32(FP), DX
	MOVQ wStride+40(FP), R11
	MOVQ inner+48(FP), CX
	SHLQ $2, R8
	SHLQ $2, R10
	SHLQ $2, R11
	LEAQ (SI)(R10*2), R9
	ADDQ R10, R9
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)
	ZERO2(Y4, Y5)
	ZERO2(Y6, Y7)
	ZERO2(Y8, Y9)
	ZERO2(Y10, Y11)

loop6:
	COLUMNS
	ROW((SI), Y0, Y1)
	ROW((SI)(R10*1), Y2, Y3)
	ROW((SI)(R10*2), Y4, Y5)
	ROW((R9), Y6, Y7)
	ROW((R9)(R10*1), Y8, Y9)
	ROW((R9)(R10*2), Y10, Y11)
	ADDQ $4, SI
	ADDQ $4, R9
	DECQ CX
	JNZ  loop6
	STORE(Y0, Y1)
	STORE(Y2, Y3)
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)
	VZEROUPPER
	RET

// func matmul1AVX2(y, x, w *float32, wStride, inner int)
TEXT ·matmul1AVX2(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ wStride+24(FP), R11
	MOVQ inner+32(FP), CX
	SHLQ $2, R11
	ZERO2(Y0, Y1)

loop1:
	COLUMNS
	ROW((SI), Y0, Y1)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	RET

// func maxAbsAVX2(x *float32, n int) float32
TEXT ·maxAbsAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VPCMPEQD Y3, Y3, Y3
	VPSRLD   $1, Y3, Y3
	ZERO2(Y0, Y1)

loop:
	VANDPS (SI), Y3, Y2
	VMAXPS Y2, Y0, Y0
	VANDPS 32(SI), Y3, Y2
	VMAXPS Y2, Y1, Y1
	ADDQ   $64, SI
	SUBQ   $16, CX
	JG     loop
	VMAXPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0x4e, X0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSS       X0, ret+16(FP)
	VZEROUPPER
	RET

// func quantizeAVX2(q *int16, x *float32, n int, factor float32)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-28
	MOVQ q+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS factor+24(FP), Y3

loop:
	VMULPS    (SI), Y3, Y0
	VMULPS    32(SI), Y3, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JG        loop
	VZEROUPPER
	RET
