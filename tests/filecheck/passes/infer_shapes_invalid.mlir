// RUN: OPSIR_INVALID(infer-shapes)

func.func @do_not_broadcast(%a: tensor<3x4xf32>, %b: tensor<2x4xf32>) -> tensor<*xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: {{.*}}[3,4] and [2,4] do not broadcast: axis 0
  %0 = opsir.add %a, %b : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

func.func @in_the_middle(%a: tensor<3x4xf32>, %v: tensor<3xf32>) -> tensor<*xf32> {
  %0 = opsir.neg %a : (tensor<3x4xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: {{.*}}[3,4] and [3] do not broadcast: axis 1
  %1 = opsir.add %0, %v : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

func.func @not_the_broadcast_shape(%a: tensor<3x1xf32>) -> tensor<2x4xf32> {
  %0 = opsir.neg %a : (tensor<3x1xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op needs equal sizes to broadcast [3,1] to [2,4] on axis 0, got 3 and 2
  %1 = opsir.broadcast %0 : tensor<*xf32> to tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}
