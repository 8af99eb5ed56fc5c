// RUN: OPSIR_EMIT(llvm, x86-64-v3)
// RUN: OPSIR_EMIT(asm, x86-64-v3) PREFIX=ASM

// A transposed operand is gathered into scratch memory, block by block; rows that are dense, and
// the result, are not copied. Rows shorter than a vector run element by element.

// CHECK: define internal i32 @"opsir.f.kernel0"(ptr %"in0", ptr %"in1", ptr %"out0"
// CHECK: %"gathered" = alloca [8208 x i8], align 64
// CHECK: icmp sge i64 %"n1", 8
// CHECK: block:
// CHECK: strip:
// CHECK: call void @"opsir.gather4"(ptr %"gathered"
// CHECK: dense.vector:
// CHECK-NOT: insertelement
// CHECK: load <8 x float>
// CHECK: load <8 x float>
// CHECK-NEXT: fadd <8 x float>
// CHECK: store <8 x float>
// CHECK: dense.scalar:
// CHECK: scalar:
// CHECK: define internal void @"opsir.gather4"(ptr noalias %"to", ptr %"from"

// The loop over a block: full width, two loads and a store.
// ASM-LABEL: opsir.f.kernel0:
// ASM: # %dense.vector{{$}}
// ASM-NEXT: Parent Loop
// ASM-NEXT: Parent Loop
// ASM-NEXT: Parent Loop
// ASM-NEXT: Inner Loop Header
// ASM-NEXT: {{.*}}%ymm
// ASM-NEXT: vaddps{{.*}}%ymm
// ASM-NEXT: {{.*}}%ymm
// ASM-NEXT: addq
// ASM-NEXT: cmpq
// ASM-NEXT: jle

// Squares are turned in registers: four loads, eight shuffles, four stores.
// ASM-LABEL: opsir.gather4:
// ASM: # %square{{$}}
// ASM-NEXT: Parent Loop
// ASM-NEXT: Inner Loop Header
// ASM-COUNT-4: vmovups ({{.*}}%xmm
// ASM-COUNT-8: vunpck{{.*}}%xmm
// ASM-COUNT-4: vmovups %xmm
// ASM-NEXT: addq
// ASM-NEXT: addq
// ASM-NEXT: addq
// ASM-NEXT: cmpq
// ASM-NEXT: jle

// Every second element: whole vectors, nothing element by element.
// ASM: # %step2{{$}}
// ASM-NEXT: Parent Loop
// ASM-NEXT: Inner Loop Header
// ASM-NEXT: {{.*}}%xmm
// ASM-NEXT: vshufps{{.*}}%xmm
// ASM-NEXT: {{.*}}%xmm
!rows = tensor<?x?xf32, #opsir.layout<sizes [n, p]>>
!turned = tensor<?x?xf32, #opsir.layout<sizes [n, p], strides [4, n*4]>>
func.func @f(%a: !turned, %b: !rows) -> !rows {
  %r = opsir.add %a, %b : (!turned, !rows) -> !rows
  func.return %r : !rows
}
