#include "textflag.h"

// func rowsNEON(query *int16, rows *int8, out *int32, dim, n int)
//
// For each row: widen 16 int8 to int16, multiply-add with the query into int32.
// Instructions that the assembler has no name for are given as words.
TEXT ·rowsNEON(SB), NOSPLIT, $0-40
	MOVD query+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD out+16(FP), R2
	MOVD dim+24(FP), R3
	MOVD n+32(FP), R4

row:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R0, R5
	MOVD R3, R6

step:
	VLD1.P 16(R1), [V2.B16]
	VLD1.P 32(R5), [V4.H8, V5.H8]
	WORD   $0x0F08A446 // SSHLL V6.8H, V2.8B, #0
	WORD   $0x4F08A447 // SSHLL2 V7.8H, V2.16B, #0
	WORD   $0x0E6480C0 // SMLAL V0.4S, V6.4H, V4.4H
	WORD   $0x4E6480C1 // SMLAL2 V1.4S, V6.8H, V4.8H
	WORD   $0x0E6580E0 // SMLAL V0.4S, V7.4H, V5.4H
	WORD   $0x4E6580E1 // SMLAL2 V1.4S, V7.8H, V5.8H
	SUBS   $16, R6, R6
	BNE    step

	VADD  V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	FMOVS F0, (R2)
	ADD   $4, R2, R2
	SUBS  $1, R4, R4
	BNE   row
	RET
