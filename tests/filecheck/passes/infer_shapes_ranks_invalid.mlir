// RUN: OPSIR_INVALID(infer-shapes{rank-extension="error"})

func.func @ranks_differ(%a: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
// CHECK: infer_shapes_ranks_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.sub' op combines shapes [3,4] and [4]: extending ranks is an error here
  %0 = opsir.sub %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}
