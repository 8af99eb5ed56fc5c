// RUN: OPSIR_INVALID(fold-views)

// CHECK: fold_views_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a value of type tensor<?xf32>, whose sizes have no names: run infer-shapes before fold-views
func.func @no_names(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = opsir.flip %a [0] : tensor<?xf32> to tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
