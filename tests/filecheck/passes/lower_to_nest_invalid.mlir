// RUN: OPSIR_INVALID(lower-to-nest)

func.func @sizes_without_names(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK: lower_to_nest_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op needs named sizes, got tensor<?xf32>: run infer-shapes first
  %r = opsir.fused(%a) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%x: tensor<?xf32>):
    opsir.yield %x : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// -----

func.func @operand_without_names(%a: tensor<?xf32>) -> tensor<2x4xf32> {
// CHECK: lower_to_nest_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op needs a layout with named sizes, got tensor<?xf32>: run infer-shapes first
  %r = opsir.fused(%a) : (tensor<?xf32>) -> tensor<2x4xf32> {
  ^bb0(%x: tensor<?xf32>):
    %b = opsir.broadcast %x : tensor<?xf32> to tensor<2x4xf32>
    opsir.yield %b : tensor<2x4xf32>
  }
  func.return %r : tensor<2x4xf32>
}
