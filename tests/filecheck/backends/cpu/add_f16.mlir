// RUN: OPSIR_EMIT(asm, x86-64-v3) PREFIX=V3
// RUN: OPSIR_EMIT(asm, x86-64-v4) PREFIX=V4

// f16 addition: computed in f32 and rounded back, 16 or 32 elements a turn. A fence is no instruction.

// V3-LABEL: opsir.f.kernel0:
// V3: # %vector{{$}}
// V3-NEXT: Inner Loop Header
// V3-NEXT: vcvtph2ps{{.*}}%ymm
// V3-NEXT: vcvtph2ps{{.*}}%ymm
// V3-NEXT: vcvtph2ps{{.*}}%ymm
// V3-NEXT: vaddps{{.*}}%ymm
// V3-NEXT: vcvtph2ps{{.*}}%ymm
// V3-NEXT: vaddps{{.*}}%ymm
// V3-NEXT: ARITH_FENCE
// V3-NEXT: ARITH_FENCE
// V3-NEXT: vcvtps2ph{{.*}}%ymm
// V3-NEXT: vcvtps2ph{{.*}}%ymm
// V3-NEXT: addq
// V3-NEXT: cmpq
// V3-NEXT: jle

// V4-LABEL: opsir.f.kernel0:
// V4: # %vector{{$}}
// V4-NEXT: Inner Loop Header
// V4-NEXT: vcvtph2ps{{.*}}%zmm
// V4-NEXT: vcvtph2ps{{.*}}%zmm
// V4-NEXT: vcvtph2ps{{.*}}%zmm
// V4-NEXT: vcvtph2ps{{.*}}%zmm
// V4-NEXT: vaddps{{.*}}%zmm
// V4-NEXT: vaddps{{.*}}%zmm
// V4-NEXT: ARITH_FENCE
// V4-NEXT: ARITH_FENCE
// V4-NEXT: vcvtps2ph{{.*}}%zmm
// V4-NEXT: vcvtps2ph{{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: addq
// V4-NEXT: cmpq
// V4-NEXT: jle
func.func @f(%a: tensor<?xf16>, %b: tensor<?xf16>) -> tensor<?xf16> {
  %r = opsir.add %a, %b : (tensor<?xf16>, tensor<?xf16>) -> tensor<?xf16>
  func.return %r : tensor<?xf16>
}
