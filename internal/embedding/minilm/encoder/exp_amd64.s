#include "textflag.h"

// Constants of exp32 and plainGelu, see kernels_plain.go.
DATA consts<>+0(SB)/4, $-87.0
DATA consts<>+4(SB)/4, $1.44269504
DATA consts<>+8(SB)/4, $0.693359375
DATA consts<>+12(SB)/4, $-2.12194440e-4
DATA consts<>+16(SB)/4, $1.9875691500e-4
DATA consts<>+20(SB)/4, $1.3981999507e-3
DATA consts<>+24(SB)/4, $8.3334519073e-3
DATA consts<>+28(SB)/4, $4.1665795894e-2
DATA consts<>+32(SB)/4, $1.6666665459e-1
DATA consts<>+36(SB)/4, $5.0000001201e-1
DATA consts<>+40(SB)/4, $1.0
DATA consts<>+44(SB)/4, $-0.5
DATA consts<>+48(SB)/4, $0.23164189
DATA consts<>+52(SB)/4, $0.12741479
DATA consts<>+56(SB)/4, $-0.14224836
DATA consts<>+60(SB)/4, $0.71070687
DATA consts<>+64(SB)/4, $-0.72657601
DATA consts<>+68(SB)/4, $0.53070271
GLOBL consts<>(SB), RODATA|NOPTR, $72

// EXP replaces Y0 ≤ 0 by e^Y0; Y1-Y3 are overwritten, Y8-Y15 hold constants.
#define EXP_CONSTANTS \
	VBROADCASTSS consts<>+0(SB), Y8   \
	VBROADCASTSS consts<>+4(SB), Y9   \
	VBROADCASTSS consts<>+8(SB), Y10  \
	VBROADCASTSS consts<>+12(SB), Y11 \
	VBROADCASTSS consts<>+40(SB), Y12 \
	VBROADCASTSS consts<>+28(SB), Y13 \
	VBROADCASTSS consts<>+32(SB), Y14 \
	VBROADCASTSS consts<>+36(SB), Y15

#define EXP \
	VMAXPS       Y8, Y0, Y0           \
	VMULPS       Y9, Y0, Y1           \
	VROUNDPS     $0, Y1, Y1           \
	VFNMADD231PS Y10, Y1, Y0          \
	VFNMADD231PS Y11, Y1, Y0          \
	VBROADCASTSS consts<>+16(SB), Y2  \
	VBROADCASTSS consts<>+20(SB), Y3  \
	VFMADD213PS  Y3, Y0, Y2           \
	VBROADCASTSS consts<>+24(SB), Y3  \
	VFMADD213PS  Y3, Y0, Y2           \
	VFMADD213PS  Y13, Y0, Y2          \
	VFMADD213PS  Y14, Y0, Y2          \
	VFMADD213PS  Y15, Y0, Y2          \
	VMULPS       Y0, Y0, Y3           \
	VADDPS       Y12, Y0, Y0          \
	VFMADD231PS  Y3, Y2, Y0           \
	VCVTPS2DQ    Y1, Y1               \
	VPSLLD       $23, Y1, Y1          \
	VPADDD       Y1, Y0, Y0

// func geluAVX2(x *float32, n int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	EXP_CONSTANTS

gelu:
	// Y4 = |x|, Y5 = t = 1/(1 + 0.2316|x|), Y6 = the polynomial in t
	VMOVUPS      (SI), Y4
	VPCMPEQD     Y5, Y5, Y5
	VPSRLD       $1, Y5, Y5
	VANDPS       Y5, Y4, Y4
	VBROADCASTSS consts<>+48(SB), Y5
	VFMADD213PS  Y12, Y4, Y5
	VDIVPS       Y5, Y12, Y5
	VBROADCASTSS consts<>+68(SB), Y6
	VBROADCASTSS consts<>+64(SB), Y7
	VFMADD213PS  Y7, Y5, Y6
	VBROADCASTSS consts<>+60(SB), Y7
	VFMADD213PS  Y7, Y5, Y6
	VBROADCASTSS consts<>+56(SB), Y7
	VFMADD213PS  Y7, Y5, Y6
	VBROADCASTSS consts<>+52(SB), Y7
	VFMADD213PS  Y7, Y5, Y6
	VMULPS       Y5, Y6, Y6
	VBROADCASTSS consts<>+44(SB), Y7
	VMULPS       Y4, Y4, Y0
	VMULPS       Y7, Y0, Y0
	EXP

	// max(x,0) − |x|·polynomial·e^(−x²/2)
	VMULPS       Y6, Y0, Y0
	VXORPS       Y7, Y7, Y7
	VMAXPS       (SI), Y7, Y7
	VFNMADD231PS Y4, Y0, Y7
	VMOVUPS      Y7, (SI)
	ADDQ         $32, SI
	SUBQ         $8, CX
	JG           gelu
	VZEROUPPER
	RET

// func softmaxAVX2(row *float32, n int)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-16
	MOVQ row+0(FP), DI
	MOVQ n+8(FP), DX
	EXP_CONSTANTS

	// Y4 = the largest, in every lane
	MOVQ    DI, SI
	MOVQ    DX, CX
	VMOVUPS (SI), Y4

largest:
	VMAXPS (SI), Y4, Y4
	ADDQ   $32, SI
	SUBQ   $8, CX
	JG     largest
	VPERM2F128 $1, Y4, Y4, Y0
	VMAXPS     Y0, Y4, Y4
	VPERMILPS  $0x4e, Y4, Y0
	VMAXPS     Y0, Y4, Y4
	VPERMILPS  $0xb1, Y4, Y0
	VMAXPS     Y0, Y4, Y4

	// Y5 = sums of e^(x − largest)
	MOVQ   DI, SI
	MOVQ   DX, CX
	VXORPS Y5, Y5, Y5

exponents:
	VMOVUPS (SI), Y0
	VSUBPS  Y4, Y0, Y0
	EXP
	VMOVUPS Y0, (SI)
	VADDPS  Y0, Y5, Y5
	ADDQ    $32, SI
	SUBQ    $8, CX
	JG      exponents
	VPERM2F128 $1, Y5, Y5, Y0
	VADDPS     Y0, Y5, Y5
	VPERMILPS  $0x4e, Y5, Y0
	VADDPS     Y0, Y5, Y5
	VPERMILPS  $0xb1, Y5, Y0
	VADDPS     Y0, Y5, Y5
	VDIVPS     Y5, Y12, Y5

	MOVQ DI, SI
	MOVQ DX, CX

scale:
	VMULPS  (SI), Y5, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	SUBQ    $8, CX
	JG      scale
	VZEROUPPER
	RET
