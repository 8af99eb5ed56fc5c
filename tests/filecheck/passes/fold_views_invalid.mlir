// RUN: OPSIR_INVALID(fold-views)
// RUN: OPSIR_INVALID(fold-views{max-repeated=-1}) PREFIX=OPTION

// OPTION: error: fold-views: max-repeated is at least 0, got -1

func.func @no_names(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK: fold_views_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.flip' op needs named sizes, got tensor<?xf32>: run infer-shapes first
  %0 = opsir.flip %a [0] : tensor<?xf32> to tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
