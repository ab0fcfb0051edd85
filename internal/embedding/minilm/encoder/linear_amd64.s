#include "textflag.h"

// One block of 16 weight rows times N tokens.
//
// A step takes two inputs: 32 bytes of weights (16 rows × 2) widened to 16 bits,
// and for each token its two activations broadcast to all lanes. VPMADDWD (or
// VPDPWSSD) multiplies and adds the pair, so each lane sums one output row and
// no horizontal sums are needed.
//
// DI y, R8 its stride; SI x of tokens 0-2 and R9 of tokens 3-5, R10 their stride;
// DX weights; CX steps left; R11 token scales; R12 row scales; R13 bias.

#define LINEAR_ARGS \
	MOVQ y+0(FP), DI       \
	MOVQ yStride+8(FP), R8 \
	SHLQ $2, R8            \
	MOVQ x+16(FP), SI      \
	MOVQ inputs+24(FP), CX \
	MOVQ xScale+32(FP), R11 \
	MOVQ w+40(FP), DX      \
	MOVQ scale+48(FP), R12 \
	MOVQ bias+56(FP), R13  \
	MOVQ CX, R10           \
	SHLQ $1, R10           \
	SHRQ $1, CX            \
	LEAQ (SI)(R10*2), R9   \
	ADDQ R10, R9

#define ZERO2(a, b) \
	VPXOR a, a, a \
	VPXOR b, b, b

#define WEIGHTS2 \
	VPMOVSXBW (DX), Y12   \
	VPMOVSXBW 16(DX), Y13 \
	ADDQ      $32, DX

#define TOKEN2(x, a, b) \
	VPBROADCASTD x, Y14      \
	VPMADDWD Y12, Y14, Y15   \
	VPADDD   Y15, a, a       \
	VPMADDWD Y13, Y14, Y14   \
	VPADDD   Y14, b, b

// y = sum × (token scale × row scale) + bias, then on to the next token.
#define FINISH2(a, b) \
	VBROADCASTSS (R11), Y14       \
	VCVTDQ2PS    a, a             \
	VMULPS       (R12), Y14, Y15  \
	VFMADD213PS  (R13), Y15, a    \
	VMOVUPS      a, (DI)          \
	VCVTDQ2PS    b, b             \
	VMULPS       32(R12), Y14, Y15 \
	VFMADD213PS  32(R13), Y15, b  \
	VMOVUPS      b, 32(DI)        \
	ADDQ         $4, R11          \
	ADDQ         R8, DI

// func linear6AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear6AVX2(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)
	ZERO2(Y4, Y5)
	ZERO2(Y6, Y7)
	ZERO2(Y8, Y9)
	ZERO2(Y10, Y11)

loop6:
	WEIGHTS2
	TOKEN2((SI), Y0, Y1)
	TOKEN2((SI)(R10*1), Y2, Y3)
	TOKEN2((SI)(R10*2), Y4, Y5)
	TOKEN2((R9), Y6, Y7)
	TOKEN2((R9)(R10*1), Y8, Y9)
	TOKEN2((R9)(R10*2), Y10, Y11)
	ADDQ $4, SI
	ADDQ $4, R9
	DECQ CX
	JNZ  loop6
	FINISH2(Y0, Y1)
	FINISH2(Y2, Y3)
	FINISH2(Y4, Y5)
	FINISH2(Y6, Y7)
	FINISH2(Y8, Y9)
	FINISH2(Y10, Y11)
	VZEROUPPER
	RET

// func linear4AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear4AVX2(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)
	ZERO2(Y4, Y5)
	ZERO2(Y6, Y7)

loop4:
	WEIGHTS2
	TOKEN2((SI), Y0, Y1)
	TOKEN2((SI)(R10*1), Y2, Y3)
	TOKEN2((SI)(R10*2), Y4, Y5)
	TOKEN2((R9), Y6, Y7)
	ADDQ $4, SI
	ADDQ $4, R9
	DECQ CX
	JNZ  loop4
	FINISH2(Y0, Y1)
	FINISH2(Y2, Y3)
	FINISH2(Y4, Y5)
	FINISH2(Y6, Y7)
	VZEROUPPER
	RET

// func linear2AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear2AVX2(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)

loop2:
	WEIGHTS2
	TOKEN2((SI), Y0, Y1)
	TOKEN2((SI)(R10*1), Y2, Y3)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop2
	FINISH2(Y0, Y1)
	FINISH2(Y2, Y3)
	VZEROUPPER
	RET

// func linear1AVX2(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear1AVX2(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	ZERO2(Y0, Y1)

loop1:
	WEIGHTS2
	TOKEN2((SI), Y0, Y1)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop1
	FINISH2(Y0, Y1)
	VZEROUPPER
	RET

// The same with 512-bit registers: one register holds all 16 sums of a token,
// and the broadcast is part of the multiplication. R14 and AX are x of tokens
// 6-8 and 9-11.

#define WEIGHTS \
	VPMOVSXBW (DX), Z16 \
	ADDQ      $32, DX

#define TOKENS3(x, a, b, c) \
	VPDPWSSD.BCST (x), Z16, a        \
	VPDPWSSD.BCST (x)(R10*1), Z16, b \
	VPDPWSSD.BCST (x)(R10*2), Z16, c \
	ADDQ          $4, x

#define SCALES \
	VMOVUPS (R12), Z17 \
	VMOVUPS (R13), Z18

#define FINISH(a) \
	VBROADCASTSS (R11), Z19    \
	VCVTDQ2PS    a, a          \
	VMULPS       Z17, Z19, Z19 \
	VFMADD213PS  Z18, Z19, a   \
	VMOVUPS      a, (DI)       \
	ADDQ         $4, R11       \
	ADDQ         R8, DI

#define FINISH3(a, b, c) \
	FINISH(a) \
	FINISH(b) \
	FINISH(c)

#define ZERO3(a, b, c) \
	VPXORD a, a, a \
	VPXORD b, b, b \
	VPXORD c, c, c

// func linear12AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear12AVX512(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	LEAQ (R9)(R10*2), R14
	ADDQ R10, R14
	LEAQ (R14)(R10*2), AX
	ADDQ R10, AX
	ZERO3(Z0, Z1, Z2)
	ZERO3(Z3, Z4, Z5)
	ZERO3(Z6, Z7, Z8)
	ZERO3(Z9, Z10, Z11)

loop12:
	WEIGHTS
	TOKENS3(SI, Z0, Z1, Z2)
	TOKENS3(R9, Z3, Z4, Z5)
	TOKENS3(R14, Z6, Z7, Z8)
	TOKENS3(AX, Z9, Z10, Z11)
	DECQ CX
	JNZ  loop12
	SCALES
	FINISH3(Z0, Z1, Z2)
	FINISH3(Z3, Z4, Z5)
	FINISH3(Z6, Z7, Z8)
	FINISH3(Z9, Z10, Z11)
	VZEROUPPER
	RET

// func linear6AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear6AVX512(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	ZERO3(Z0, Z1, Z2)
	ZERO3(Z3, Z4, Z5)

loop6:
	WEIGHTS
	TOKENS3(SI, Z0, Z1, Z2)
	TOKENS3(R9, Z3, Z4, Z5)
	DECQ CX
	JNZ  loop6
	SCALES
	FINISH3(Z0, Z1, Z2)
	FINISH3(Z3, Z4, Z5)
	VZEROUPPER
	RET

// func linear3AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear3AVX512(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	ZERO3(Z0, Z1, Z2)

loop3:
	WEIGHTS
	TOKENS3(SI, Z0, Z1, Z2)
	DECQ CX
	JNZ  loop3
	SCALES
	FINISH3(Z0, Z1, Z2)
	VZEROUPPER
	RET

// func linear1AVX512(y *float32, yStride int, x *int16, inputs int, xScale *float32, w *int8, scale, bias *float32)
TEXT ·linear1AVX512(SB), NOSPLIT, $0-64
	LINEAR_ARGS
	VPXORD Z0, Z0, Z0

loop1:
	WEIGHTS
	VPDPWSSD.BCST (SI), Z16, Z0
	ADDQ $4, SI
	DECQ CX
	JNZ  loop1
	SCALES
	FINISH(Z0)
	VZEROUPPER
	RET
