// RUN: OPSIR_INVALID(plan-memory)

func.func @not_a_kernel(%a: tensor<8xf32>) -> tensor<8xf32> {
// CHECK: plan_memory_invalid.mlir:[[# @LINE + 1]]:3: error: 'func.return' op operand #0 must be the result of a nest.kernel
  func.return %a : tensor<8xf32>
}

// -----

func.func @repeated(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = nest.kernel extents [8] ins(%a : tensor<8xf32> along [4]) outs(tensor<8xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
// CHECK: plan_memory_invalid.mlir:[[# @LINE + 1]]:3: error: 'func.return' op operand #1 repeats result 0: each needs memory of its own
  func.return %r, %r : tensor<8xf32>, tensor<8xf32>
}
