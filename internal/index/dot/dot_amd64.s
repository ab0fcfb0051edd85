#include "textflag.h"

// func rowsAVX2(query *int16, rows *int8, out *int32, dim, n int)
//
// For each row: widen 16 int8 to int16, multiply pairwise with the query and
// add neighbours to int32. Two accumulators hide the latency of the addition.
TEXT ·rowsAVX2(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ out+16(FP), DX
	MOVQ dim+24(FP), CX
	MOVQ n+32(FP), R8
	MOVQ CX, R9
	ANDQ $-32, R9        // values handled two vectors at a time

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ  AX, AX
	CMPQ  AX, R9
	JGE   tail

pair:
	VPMOVSXBW (DI)(AX*1), Y2
	VPMOVSXBW 16(DI)(AX*1), Y3
	VPMADDWD  (SI)(AX*2), Y2, Y2
	VPMADDWD  32(SI)(AX*2), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, AX
	CMPQ      AX, R9
	JLT       pair

tail:
	CMPQ      AX, CX
	JGE       sum
	VPMOVSXBW (DI)(AX*1), Y2
	VPMADDWD  (SI)(AX*2), Y2, Y2
	VPADDD    Y2, Y0, Y0

sum:
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DX)
	ADDQ         $4, DX
	ADDQ         CX, DI
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET
