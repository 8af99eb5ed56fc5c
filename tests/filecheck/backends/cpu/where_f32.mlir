// RUN: OPSIR_EMIT(asm, x86-64-v3) PREFIX=V3
// RUN: OPSIR_EMIT(asm, x86-64-v4) PREFIX=V4

// A select by bools: their bytes are compared once and widened to lanes.

// V3-LABEL: opsir.f.kernel0:
// V3: # %vector{{$}}
// V3-NEXT: Inner Loop Header
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vpshufd{{.*}}%xmm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vpshufd{{.*}}%xmm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vblendvps{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vblendvps{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vblendvps{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vblendvps{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: addq
// V3-NEXT: cmpq
// V3-NEXT: jle

// V4-LABEL: opsir.f.kernel0:
// V4: # %vector{{$}}
// V4-NEXT: Inner Loop Header
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: kshiftrq{{.*}}%k
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: kshiftrq{{.*}}%k
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: kshiftrq{{.*}}%k
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: addq
// V4-NEXT: cmpq
// V4-NEXT: jle
func.func @f(%c: tensor<?xi1>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = opsir.where %c, %a, %b : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
