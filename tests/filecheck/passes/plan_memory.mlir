// RUN: OPSIR_PASS(plan-memory)

// The first temporary is free again when the third kernel runs.
// CHECK-LABEL: func.func @chain
// CHECK: destinations = ["temporary 0"]
// CHECK: destinations = ["temporary 1"]
// CHECK: destinations = ["temporary 0", "result 1"]
// CHECK: destinations = ["result 0"]
func.func @chain(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %t = nest.kernel extents [8] ins(%a : tensor<8xf32> along [4]) outs(tensor<8xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %u = nest.kernel extents [8] ins(%t : tensor<8xf32> along [4]) outs(tensor<8xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %v, %w = nest.kernel extents [8] ins(%u : tensor<8xf32> along [4]) outs(tensor<8xf32> along [4], tensor<8xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x, %x : f32, f32
  }
  %r = nest.kernel extents [8] ins(%v : tensor<8xf32> along [4]) outs(tensor<8xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r, %w : tensor<8xf32>, tensor<8xf32>
}
