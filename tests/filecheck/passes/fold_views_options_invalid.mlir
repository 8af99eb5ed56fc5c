// RUN: OPSIR_INVALID(fold-views{max-repeated=-1})

// CHECK: error: fold-views: max-repeated is at least 0, got -1
func.func @option(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = opsir.flip %a [0] : tensor<4xf32> to tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
