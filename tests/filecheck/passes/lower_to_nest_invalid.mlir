// RUN: OPSIR_INVALID(lower-to-nest)

// CHECK: lower_to_nest_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a value of type tensor<?xf32>, whose sizes have no names: run infer-shapes before lower-to-nest
func.func @sizes_without_names(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = opsir.fused(%a) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%x: tensor<?xf32>):
    opsir.yield %x : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// -----

func.func @outside_of_a_group(%a: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: lower_to_nest_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op is not part of a fused group: run fuse-elementwise before lower-to-nest
  %r = opsir.neg %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
