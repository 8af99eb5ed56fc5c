// RUN: OPSIR_INVALID(lay-out-results{order="F"})

// CHECK: error: lay-out-results: order is one of C, K, got 'F'
func.func @order(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = opsir.neg %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
