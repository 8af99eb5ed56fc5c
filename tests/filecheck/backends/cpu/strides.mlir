// RUN: OPSIR_EMIT(llvm, x86-64-v3)

// A reversed operand is read at its lowest address and turned round; a held one is read outside
// the loop; an operand with another step lane by lane, as tiles leave no room for gathered blocks.
// CHECK: define internal i32 @"opsir.f.kernel0"(
// CHECK: axis0:
// CHECK: load i32
// CHECK: shufflevector <8 x i32>
// CHECK: getelementptr i8, ptr {{.*}}, i64 -28
// CHECK-NEXT: load <8 x i32>
// CHECK-NEXT: shufflevector <8 x i32> {{.*}} <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
// CHECK: insertelement <8 x i32> {{.*}}, i32 0
// CHECK: insertelement <8 x i32> {{.*}}, i32 7
// CHECK: store <8 x i32>
// CHECK: scalar:
func.func @f(%x: tensor<4x16xi32>, %y: tensor<4xi32>, %z: tensor<16x4xi32>) -> tensor<4x16xi32> {
  %r = nest.kernel extents [4, 16]
      ins(%x : tensor<4x16xi32> along [64, -4] start 60, %y : tensor<4xi32> along [4, 0],
          %z : tensor<16x4xi32> along [4, 16])
      outs(tensor<4x16xi32> along [64, 4]) attributes {lanes = 8 : i64, tile = 64 : i64} {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %d = opsir.mul %a, %b : (i32, i32) -> i32
    %e = opsir.add %d, %c : (i32, i32) -> i32
    nest.yield %e : i32
  }
  func.return %r : tensor<4x16xi32>
}
