// RUN: OPSIR_EMIT(asm, x86-64-v3) PREFIX=V3
// RUN: OPSIR_EMIT(asm, x86-64-v4) PREFIX=V4

// u8 to f32, scaled, back to u8 with saturation: one full register of bytes a turn.

// V3-LABEL: opsir.f.kernel0:
// V3: # %vector{{$}}
// V3-NEXT: Inner Loop Header
// V3-NEXT: vpmovzxbd{{.*}}%ymm
// V3-NEXT: vpmovzxbd{{.*}}%ymm
// V3-NEXT: vpmovzxbd{{.*}}%ymm
// V3-NEXT: vpmovzxbd{{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vmulps{{.*}}%ymm
// V3-NEXT: vmulps{{.*}}%ymm
// V3-NEXT: vmulps{{.*}}%ymm
// V3-NEXT: vmulps{{.*}}%ymm
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
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vcvttps2dq{{.*}}%ymm
// V3-NEXT: vcvttps2dq{{.*}}%ymm
// V3-NEXT: vcvttps2dq{{.*}}%ymm
// V3-NEXT: vcvttps2dq{{.*}}%ymm
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
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: addq
// V3-NEXT: cmpq
// V3-NEXT: jle

// V4-LABEL: opsir.f.kernel0:
// V4: # %vector{{$}}
// V4-NEXT: Inner Loop Header
// V4-NEXT: vpmovzxbd{{.*}}%zmm
// V4-NEXT: vpmovzxbd{{.*}}%zmm
// V4-NEXT: vpmovzxbd{{.*}}%zmm
// V4-NEXT: vpmovzxbd{{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: vmulps{{.*}}%zmm
// V4-NEXT: vmulps{{.*}}%zmm
// V4-NEXT: vmulps{{.*}}%zmm
// V4-NEXT: vmulps{{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: vcvttps2dq{{.*}}%zmm
// V4-NEXT: vcvttps2dq{{.*}}%zmm
// V4-NEXT: vcvttps2dq{{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: vcvttps2dq{{.*}}%zmm
// V4-NEXT: vinserti128{{.*}}%ymm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: vinserti128{{.*}}%ymm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: addq
// V4-NEXT: cmpq
// V4-NEXT: jle
func.func @f(%x: tensor<?xui8>, %s: f32) -> tensor<?xui8> {
  %f = opsir.cast %x : tensor<?xui8> to tensor<?xf32>
  %m = opsir.mul %f, %s : (tensor<?xf32>, f32) -> tensor<?xf32>
  %r = opsir.cast %m : tensor<?xf32> to tensor<?xui8>
  func.return %r : tensor<?xui8>
}
