// RUN: OPSIR_THREADS(llvm, x86-64-v3)
// RUN: OPSIR_THREADS(llvm, aarch64) PREFIX=ARM
// RUN: OPSIR_THREADS(asm, x86-64-v3) PREFIX=ASM

// A share sets the environment of its own thread and runs the kernel on part of one axis: each
// address moves on by where the share begins, only that axis' extent is smaller.
// CHECK: define i32 @"opsir.f.share"(ptr %"block", i64 %"split", i64 %"number", i64 %"shares") nounwind
// CHECK: call void @"llvm.x86.sse.ldmxcsr"({{.*}} %"default")
// CHECK-NEXT: switch i64 %"split", label %"split1" [i64 0, label %"split0"]
// CHECK: split0:
// CHECK: [[BEGIN:%.+]] = call i64 @"opsir.cut"(i64 {{%.+}}, i64 {{%.+}}, i64 {{%.+}}, i64 %"number", i64 %"shares")
// CHECK: [[NEXT:%.+]] = add i64 %"number", 1
// CHECK: [[END:%.+]] = call i64 @"opsir.cut"(i64 {{%.+}}, i64 {{%.+}}, i64 {{%.+}}, i64 [[NEXT]], i64 %"shares")
// CHECK: [[X:%.+]] = getelementptr i8, ptr {{%.+}}, i64
// CHECK: [[Y:%.+]] = getelementptr i8, ptr {{%.+}}, i64
// CHECK: [[Z:%.+]] = getelementptr i8, ptr {{%.+}}, i64
// CHECK: [[ROWS:%.+]] = sub i64 [[END]], [[BEGIN]]
// CHECK: call i32 @"opsir.f.kernel0"(ptr [[X]], ptr [[Y]], ptr [[Z]], i64 [[ROWS]],
// CHECK: split1:
// CHECK: call i64 @"opsir.cut"(i64 {{%.+}}, i64 4, i64
// CHECK: done:
// CHECK: call void @"llvm.x86.sse.ldmxcsr"({{.*}} %"saved")
// CHECK-NEXT: ret i32

// The entry: bytes moved decide the number of shares, the outer axis is cut where it is long
// enough, and one share is run here and now.
// CHECK: define i32 @"opsir.f.threads"(ptr %"block", ptr %"crew") nounwind
// CHECK: [[WANTED:%.+]] = udiv i64 {{%.+}}, 1572864
// CHECK: icmp slt i64 [[WANTED]], %"threads"
// CHECK: br i1 {{%.+}}, label %"several", label %"alone"
// CHECK: several:
// CHECK-NEXT: call i32 %"run"(ptr %"team", ptr @"opsir.f.share", ptr %"block", i64 {{%.+}}, i64 {{%.+}})
// CHECK: alone:
// CHECK-NEXT: call i32 @"opsir.f.share"(ptr %"block", i64 0, i64 0, i64 1)
// CHECK: ret i32

// ARM: define i32 @"opsir.f.share"
// ARM: call void @"llvm.aarch64.set.fpcr"(i64 0)
// ARM: call i32 @"opsir.f.kernel0"
// ARM: call void @"llvm.aarch64.set.fpcr"(

// ASM: opsir.f.share:
// ASM: ldmxcsr
// ASM: callq opsir.f.kernel0
// ASM: opsir.f.threads:
func.func @f(%x: tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [p, 4]>>, %y: tensor<?xf32, #opsir.layout<sizes [m]>>) -> tensor<?x?xf32> {
  %r = opsir.add %x, %y : (tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [p, 4]>>, tensor<?xf32, #opsir.layout<sizes [m]>>) -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}
