// RUN: OPSIR_EMIT(llvm, x86-64-v3)
// RUN: OPSIR_EMIT(asm, x86-64-v3) PREFIX=V3
// RUN: OPSIR_EMIT(asm, x86-64-v4) PREFIX=V4
// RUN: OPSIR_EMIT(asm, aarch64) PREFIX=NEON

// Streamed results: single elements up to a vector boundary, whole vectors past the caches, the
// rest, a fence. Whether the addresses allow that is asked once; else the loops are the usual ones.

// CHECK-LABEL: define internal i32 @"opsir.f.kernel0"
// CHECK: [[LONG:%.+]] = icmp sge i64 %"n0", 128
// CHECK: [[CHOSEN:%.+]] = and i1 [[LONG]],
// CHECK: br i1 [[CHOSEN]], label %"run.if", label %"run.else"
// CHECK: peel:
// CHECK: store float {{.*}}, align 1{{$}}
// CHECK: vector:
// CHECK: store <8 x float> {{.*}}, align 32, !nontemporal
// CHECK: scalar.end:
// CHECK: call void @"llvm.x86.sse.sfence"()
// CHECK: scalar:
// CHECK: store float {{.*}}, align 1{{$}}
// CHECK: vector.1:
// CHECK-NOT: nontemporal
// CHECK: store <8 x float> {{.*}}, align 1{{$}}
// CHECK-NOT: sfence
// CHECK: scalar.1:

// V3-LABEL: opsir.f.kernel0:
// V3: # %vector{{$}}
// V3-NEXT: Inner Loop Header
// V3-NEXT: {{.*}}%ymm
// V3-NEXT: vaddps{{.*}}%ymm
// V3-NEXT: vmovntps{{.*}}%ymm
// V3-NEXT: addq
// V3-NEXT: cmpq
// V3-NEXT: jle
// V3: sfence

// V4-LABEL: opsir.f.kernel0:
// V4: # %vector{{$}}
// V4-NEXT: Inner Loop Header
// V4-NEXT: {{.*}}%zmm
// V4-NEXT: vaddps{{.*}}%zmm
// V4-NEXT: vmovntps{{.*}}%zmm
// V4: sfence

// NEON-NOT: stnp
// NEON-NOT: sfence
func.func @f(%a: tensor<?xf32, #opsir.layout<sizes [n]>>, %b: tensor<?xf32, #opsir.layout<sizes [n]>>) -> tensor<?xf32, #opsir.layout<sizes [n]>> {
  %r = nest.kernel extents [n] ins(%a : tensor<?xf32, #opsir.layout<sizes [n]>> along [4], %b : tensor<?xf32, #opsir.layout<sizes [n]>> along [4]) outs(tensor<?xf32, #opsir.layout<sizes [n]>> along [4]) attributes {stream = 1} {
  ^bb0(%x: f32, %y: f32):
    %z = opsir.add %x, %y : (f32, f32) -> f32
    nest.yield %z : f32
  }
  func.return %r : tensor<?xf32, #opsir.layout<sizes [n]>>
}
