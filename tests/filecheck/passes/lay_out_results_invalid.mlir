// RUN: OPSIR_INVALID(lay-out-results{order=K})

// CHECK: lay_out_results_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a value of type tensor<?xf32>, whose sizes have no names: run infer-shapes before lay-out-results
func.func @sizes_without_names(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = opsir.neg %a : (tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
