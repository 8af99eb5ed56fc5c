// RUN: OPSIR_INVALID(fuse-elementwise{policy="greedy"})

// CHECK: error: fuse-elementwise: policy is one of default, never, always, got 'greedy'
func.func @policy(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = opsir.neg %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
