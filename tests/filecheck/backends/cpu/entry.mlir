// RUN: OPSIR_EMIT(llvm, x86-64-v3)
// RUN: OPSIR_EMIT(llvm, aarch64) PREFIX=ARM
// RUN: OPSIR_EMIT(asm, aarch64) PREFIX=ASM

// The kernel: a guard against empty axes, the scalar repeated once, whole vectors, what is left.
// CHECK: define internal i32 @"opsir.f.kernel0"(ptr %"in0", ptr %"out0", float %"scalar1", i64 %"n0") noinline nounwind
// CHECK: icmp sle i64 %"n0", 0
// CHECK: vector.enter:
// CHECK: shufflevector <8 x float>
// CHECK: vector:
// CHECK-NEXT: phi i64
// CHECK: load <8 x float>, ptr {{.*}}, align 1
// CHECK-NEXT: fmul <8 x float>
// CHECK-NEXT: store <8 x float> {{.*}}, align 1
// CHECK: scalar:
// CHECK: load float, ptr {{.*}}, align 1
// CHECK-NEXT: fmul float
// CHECK-NEXT: store float {{.*}}, align 1

// The entry: save the control word, set the default, read the block, run, restore.
// CHECK: define i32 @"opsir.f"(ptr %"block")
// CHECK: call void @"llvm.x86.sse.stmxcsr"({{.*}} %"saved")
// CHECK-NEXT: store i32 8064, {{.*}} %"default"
// CHECK-NEXT: call void @"llvm.x86.sse.ldmxcsr"({{.*}} %"default")
// CHECK: [[FLAGS:%.+]] = call i32 @"opsir.f.kernel0"(
// CHECK: call void @"llvm.x86.sse.ldmxcsr"({{.*}} %"saved")
// CHECK-NEXT: ret i32

// ARM: define i32 @"opsir.f"(ptr %"block")
// ARM: [[CONTROL:%.+]] = call i64 @"llvm.aarch64.get.fpcr"()
// ARM-NEXT: [[STATUS:%.+]] = call i64 @"llvm.aarch64.get.fpsr"()
// ARM-NEXT: call void @"llvm.aarch64.set.fpcr"(i64 0)
// ARM: call i32 @"opsir.f.kernel0"(
// ARM: call void @"llvm.aarch64.set.fpcr"(i64 [[CONTROL]])
// ARM-NEXT: call void @"llvm.aarch64.set.fpsr"(i64 [[STATUS]])

// ASM: // %vector{{$}}
// ASM: fmul v{{[0-9]+}}.4s
// ASM: b.le
// ASM: msr FPCR, xzr
// ASM: bl opsir.f.kernel0
func.func @f(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %r = opsir.mul %x, %s : (tensor<?xf32>, f32) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
