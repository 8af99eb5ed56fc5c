// RUN: OPSIR_EMIT(asm, x86-64-v3) PREFIX=V3
// RUN: OPSIR_EMIT(asm, x86-64-v4) PREFIX=V4

// Floor division of i32 through f64, with its error flag kept in a register.

// V3-LABEL: opsir.f.kernel0:
// V3: # %vector{{$}}
// V3-NEXT: Inner Loop Header
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vdivpd{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vdivpd{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
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
// V4-NEXT: vdivpd{{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: vdivpd{{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: knotw{{.*}}%k
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: addq
// V4-NEXT: cmpq
// V4-NEXT: jle
func.func @f(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %r = opsir.div_floor %a, %b : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  func.return %r : tensor<?xi32>
}
