// RUN: OPSIR_PASS(canonicalize)

// Scalar ops fold inside a body as they do outside; the kernel itself stays as it is.
// CHECK-LABEL: func.func @folds_in_a_body
// CHECK: nest.kernel extents [4] ins(%x : tensor<4xi32> along [4]) outs(tensor<4xi32> along [4]) {
// CHECK-NEXT: ^bb0(%a: i32):
// CHECK-NEXT: [[C:%.+]] = opsir.scalar 5 : i32
// CHECK-NEXT: [[D:%.+]] = opsir.mul %a, [[C]] : (i32, i32) -> i32
// CHECK-NEXT: nest.yield [[D]] : i32
func.func @folds_in_a_body(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = nest.kernel extents [4] ins(%x : tensor<4xi32> along [4]) outs(tensor<4xi32> along [4]) {
  ^bb0(%a: i32):
    %two = opsir.scalar 2 : i32
    %three = opsir.scalar 3 : i32
    %five = opsir.add %two, %three : (i32, i32) -> i32
    %b = opsir.mul %a, %five : (i32, i32) -> i32
    nest.yield %b : i32
  }
  func.return %r : tensor<4xi32>
}

// -----

// A kernel of which nothing is used goes away.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: func.return
func.func @unused(%x: tensor<4xi32>) {
  %r = nest.kernel extents [4] ins(%x : tensor<4xi32> along [4]) outs(tensor<4xi32> along [4]) {
  ^bb0(%a: i32):
    nest.yield %a : i32
  }
  func.return
}
