#include "textflag.h"

// Instructions the assembler has no names for. d, n and m are register numbers
// (m below 16), i is the lane of m.
#define SSHLL(d, n)       WORD $(0x0F08A400 | (n)<<5 | (d))
#define SSHLL2(d, n)      WORD $(0x4F08A400 | (n)<<5 | (d))
#define LANE(m, i)        (((i)>>2)<<11 | (((i)>>1)&1)<<21 | ((i)&1)<<20 | (m)<<16)
#define SMLAL(d, n, m, i)  WORD $(0x0F402000 | LANE(m, i) | (n)<<5 | (d))
#define SMLAL2(d, n, m, i) WORD $(0x4F402000 | LANE(m, i) | (n)<<5 | (d))

// V4 and V5 receive the weights of two inputs, 16 rows each; V6-V7 and V8-V9 are
// the same widened to 16 bits.
#define WEIGHTS \
	VLD2.P 32(R3), [V4.B16, V5.B16] \
	SSHLL(6, 4)  \
	SSHLL2(7, 4) \
	SSHLL(8, 5)  \
	SSHLL2(9, 5)

// TOKEN adds inputs i and i+1 of the token in register x to its sums a…a+3.
#define TOKEN(a, x, i) \
	SMLAL(a, 6, x, i)        \
	SMLAL2(a+1, 6, x, i)     \
	SMLAL(a+2, 7, x, i)      \
	SMLAL2(a+3, 7, x, i)     \
	SMLAL(a, 8, x, i+1)      \
	SMLAL2(a+1, 8, x, i+1)   \
	SMLAL(a+2, 9, x, i+1)    \
	SMLAL2(a+3, 9, x, i+1)

#define TOKENS4(i) \
	TOKEN(16, 0, i) \
	TOKEN(20, 1, i) \
	TOKEN(24, 2, i) \
	TOKEN(28, 3, i)

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16 \
	VEOR b.B16, b.B16, b.B16 \
	VEOR c.B16, c.B16, c.B16 \
	VEOR d.B16, d.B16, d.B16

// func linear4NEON(sums *int32, x *int16, inputs int, w *int8)
TEXT ·linear4NEON(SB), NOSPLIT, $0-32
	MOVD sums+0(FP), R0
	MOVD x+8(FP), R1
	MOVD inputs+16(FP), R2
	MOVD w+24(FP), R3
	ADD  R2<<1, R1, R4
	ADD  R2<<1, R4, R5
	ADD  R2<<1, R5, R6
	ZERO4(V16, V17, V18, V19)
	ZERO4(V20, V21, V22, V23)
	ZERO4(V24, V25, V26, V27)
	ZERO4(V28, V29, V30, V31)

loop4:
	VLD1.P 16(R1), [V0.H8]
	VLD1.P 16(R4), [V1.H8]
	VLD1.P 16(R5), [V2.H8]
	VLD1.P 16(R6), [V3.H8]
	WEIGHTS
	TOKENS4(0)
	WEIGHTS
	TOKENS4(2)
	WEIGHTS
	TOKENS4(4)
	WEIGHTS
	TOKENS4(6)
	SUBS $8, R2, R2
	BGT  loop4
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)
	VST1.P [V24.S4, V25.S4, V26.S4, V27.S4], 64(R0)
	VST1.P [V28.S4, V29.S4, V30.S4, V31.S4], 64(R0)
	RET

// func linear1NEON(sums *int32, x *int16, inputs int, w *int8)
TEXT ·linear1NEON(SB), NOSPLIT, $0-32
	MOVD sums+0(FP), R0
	MOVD x+8(FP), R1
	MOVD inputs+16(FP), R2
	MOVD w+24(FP), R3
	ZERO4(V16, V17, V18, V19)

loop1:
	VLD1.P 16(R1), [V0.H8]
	WEIGHTS
	TOKEN(16, 0, 0)
	WEIGHTS
	TOKEN(16, 0, 2)
	WEIGHTS
	TOKEN(16, 0, 4)
	WEIGHTS
	TOKEN(16, 0, 6)
	SUBS $8, R2, R2
	BGT  loop1
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	RET

#define ROW(x, a, b, c, d) \
	VLD1R.P 4(x), [V4.S4]           \
	VFMLA   V0.S4, V4.S4, a.S4      \
	VFMLA   V1.S4, V4.S4, b.S4      \
	VFMLA   V2.S4, V4.S4, c.S4      \
	VFMLA   V3.S4, V4.S4, d.S4

// func matmul4NEON(y *float32, yStride int, x *float32, xStride int, w *float32, wStride, inner int)
TEXT ·matmul4NEON(SB), NOSPLIT, $0-56
	MOVD y+0(FP), R0
	MOVD yStride+8(FP), R7
	MOVD x+16(FP), R1
	MOVD xStride+24(FP), R8
	MOVD w+32(FP), R3
	MOVD wStride+40(FP), R9
	MOVD inner+48(FP), R2
	LSL  $2, R7, R7
	LSL  $2, R9, R9
	ADD  R8<<2, R1, R4
	ADD  R8<<2, R4, R5
	ADD  R8<<2, R5, R6
	ZERO4(V16, V17, V18, V19)
	ZERO4(V20, V21, V22, V23)
	ZERO4(V24, V25, V26, V27)
	ZERO4(V28, V29, V30, V31)

loop4:
	VLD1 (R3), [V0.S4, V1.S4, V2.S4, V3.S4]
	ADD  R9, R3, R3
	ROW(R1, V16, V17, V18, V19)
	ROW(R4, V20, V21, V22, V23)
	ROW(R5, V24, V25, V26, V27)
	ROW(R6, V28, V29, V30, V31)
	SUBS $1, R2, R2
	BGT  loop4
	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R0)
	ADD  R7, R0, R0
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R0)
	ADD  R7, R0, R0
	VST1 [V24.S4, V25.S4, V26.S4, V27.S4], (R0)
	ADD  R7, R0, R0
	VST1 [V28.S4, V29.S4, V30.S4, V31.S4], (R0)
	RET

// func matmul1NEON(y, x, w *float32, wStride, inner int)
TEXT ·matmul1NEON(SB), NOSPLIT, $0-40
	MOVD y+0(FP), R0
	MOVD x+8(FP), R1
	MOVD w+16(FP), R3
	MOVD wStride+24(FP), R9
	MOVD inner+32(FP), R2
	LSL  $2, R9, R9
	ZERO4(V16, V17, V18, V19)

loop1:
	VLD1 (R3), [V0.S4, V1.S4, V2.S4, V3.S4]
	ADD  R9, R3, R3
	ROW(R1, V16, V17, V18, V19)
	SUBS $1, R2, R2
	BGT  loop1
	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R0)
	RET
