// RUN: OPSIR_PASS(infer-shapes,canonicalize,fold-views)

// A view moves through the op to the arguments and becomes strides; nothing else is computed.
// CHECK-LABEL: func.func @slice_of_a_sum
// CHECK-NEXT: %[[X:.*]] = opsir.slice %a [::2, 0] : tensor<4x8xf32> to tensor<2xf32, #opsir.layout<strides [64]>>
// CHECK-NEXT: %[[Y:.*]] = opsir.slice %b [::2, 0] : tensor<4x8xf32> to tensor<2xf32, #opsir.layout<strides [64]>>
// CHECK-NEXT: %[[R:.*]] = opsir.add %[[X]], %[[Y]] : {{.*}} -> tensor<2xf32>
// CHECK-NEXT: func.return %[[R]] : tensor<2xf32>
func.func @slice_of_a_sum(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<*xf32> {
  %0 = opsir.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<*xf32>
  %1 = opsir.slice %0 [::2, 0] : tensor<*xf32> to tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

// An axis that is repeated stays as it is: slicing it changes how often, not what.
// CHECK-LABEL: func.func @through_a_broadcast
// CHECK: %[[A:.*]] = opsir.slice %a [1:, ::-1] : {{.*}} to tensor<3x8xf32, #opsir.layout<strides [32, -4]>>
// CHECK-NEXT: %[[V:.*]] = opsir.slice %v [::-1] : {{.*}} to tensor<8xf32, #opsir.layout<strides [-4]>>
// CHECK-NEXT: %[[B:.*]] = opsir.broadcast %[[V]] : {{.*}} to tensor<3x8xf32>
// CHECK-NEXT: opsir.add %[[A]], %[[B]]
func.func @through_a_broadcast(%a: tensor<4x8xf32>, %v: tensor<8xf32>) -> tensor<*xf32> {
  %0 = opsir.add %a, %v : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<*xf32>
  %1 = opsir.slice %0 [1:, ::-1] : tensor<*xf32> to tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

// Permutes around an elementwise op cancel: a 3-cycle and its inverse.
// CHECK-LABEL: func.func @cancel
// CHECK-NEXT: %[[N:.*]] = opsir.neg %a : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: func.return %[[N]]
func.func @cancel(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = opsir.permute %a [1, 2, 0] : tensor<2x3x4xf32> to tensor<3x4x2xf32>
  %1 = opsir.neg %0 : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %2 = opsir.permute %1 [2, 0, 1] : tensor<3x4x2xf32> to tensor<2x3x4xf32>
  func.return %2 : tensor<2x3x4xf32>
}

// -----

// Adjacent permutes compose: NCHW to NHWC in two steps has the strides (CHW, W, 1, HW).
// CHECK-LABEL: func.func @nhwc
// CHECK-NEXT: %[[P:.*]] = opsir.permute %a [0, 2, 3, 1] : {{.*}} to tensor<2x4x5x3xui8, #opsir.layout<strides [60, 5, 1, 20]>>
// CHECK-NEXT: %[[C:.*]] = opsir.copy %[[P]] : {{.*}} to tensor<2x4x5x3xui8>
// CHECK-NEXT: func.return %[[C]]
func.func @nhwc(%a: tensor<2x3x4x5xui8>) -> tensor<*xui8> {
  %0 = opsir.permute %a [0, 2, 1, 3] : tensor<2x3x4x5xui8> to tensor<*xui8>
  %1 = opsir.permute %0 [0, 1, 3, 2] : tensor<*xui8> to tensor<*xui8>
  func.return %1 : tensor<*xui8>
}

// -----

// A reshape of dense memory is a view, one of other memory is a copy that says so.
// CHECK-LABEL: func.func @reshapes
// CHECK: opsir.reshape %a : tensor<?x8xf32, #opsir.layout<sizes [n]>> to tensor<?xf32, #opsir.layout<sizes [v0_0]>>
// CHECK: %[[P:.*]] = opsir.permute %a [1, 0] : {{.*}} to tensor<8x?xf32, #opsir.layout<sizes [n], strides [4, 32]>>
// CHECK: %[[C:.*]] = opsir.copy %[[P]] : {{.*}} to tensor<8x?xf32, #opsir.layout<sizes [n]>>
// CHECK-NEXT: opsir.reshape %[[C]] : {{.*}} to tensor<?xf32, #opsir.layout<sizes [v0_0]>>
func.func @reshapes(%a: tensor<?x8xf32, #opsir.layout<sizes [n]>>) -> tensor<*xf32> {
  %0 = opsir.reshape %a : tensor<?x8xf32, #opsir.layout<sizes [n]>> to tensor<?xf32>
  %1 = opsir.permute %a [1, 0] : tensor<?x8xf32, #opsir.layout<sizes [n]>> to tensor<*xf32>
  %2 = opsir.reshape %1 : tensor<*xf32> to tensor<?xf32>
  %3 = opsir.add %0, %2 : (tensor<?xf32>, tensor<?xf32>) -> tensor<*xf32>
  func.return %3 : tensor<*xf32>
}

// -----

// What is expensive and has another user is stored, and the views read it.
// CHECK-LABEL: func.func @stored
// CHECK-NEXT: %[[E:.*]] = opsir.exp %a
// CHECK-NEXT: %[[X:.*]] = opsir.slice %[[E]] [1:] : tensor<8xf32> to tensor<7xf32>
// CHECK-NEXT: %[[Y:.*]] = opsir.slice %[[E]] [:-1] : tensor<8xf32> to tensor<7xf32>
// CHECK-NEXT: opsir.sub %[[X]], %[[Y]]
func.func @stored(%a: tensor<8xf32>) -> tensor<7xf32> {
  %0 = opsir.exp %a : (tensor<8xf32>) -> tensor<8xf32>
  %1 = opsir.slice %0 [1:] : tensor<8xf32> to tensor<7xf32>
  %2 = opsir.slice %0 [:-1] : tensor<8xf32> to tensor<7xf32>
  %3 = opsir.sub %1, %2 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  func.return %3 : tensor<7xf32>
}

// -----

// What is cheap is computed again.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[X:.*]] = opsir.slice %a [1:]
// CHECK-NEXT: %[[M:.*]] = opsir.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[Y:.*]] = opsir.slice %a [:-1]
// CHECK-NEXT: %[[N:.*]] = opsir.mul %[[Y]], %[[Y]]
// CHECK-NEXT: opsir.sub %[[M]], %[[N]]
func.func @repeated(%a: tensor<8xf32>) -> tensor<7xf32> {
  %0 = opsir.mul %a, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = opsir.slice %0 [1:] : tensor<8xf32> to tensor<7xf32>
  %2 = opsir.slice %0 [:-1] : tensor<8xf32> to tensor<7xf32>
  %3 = opsir.sub %1, %2 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  func.return %3 : tensor<7xf32>
}

// -----

// A diagonal steps along two axes; what no monomial expresses has a symbol.
// CHECK-LABEL: func.func @diagonals
// CHECK: opsir.diagonal %a [0, 1] offset 1 : {{.*}} to tensor<3xf32, #opsir.layout<strides [20]>>
// CHECK: opsir.diagonal %b [0, 1] offset 0 : {{.*}} to tensor<?xf32, #opsir.layout<sizes [v1_0], strides [view_stride0]>>
func.func @diagonals(%a: tensor<4x4xf32>, %b: tensor<?x?xf32>) -> (tensor<3xf32>, tensor<*xf32>) {
  %0 = opsir.diagonal %a [0, 1] offset 1 : tensor<4x4xf32> to tensor<3xf32>
  %1 = opsir.diagonal %b [0, 1] offset 0 : tensor<?x?xf32> to tensor<?xf32>
  %2 = opsir.neg %0 : (tensor<3xf32>) -> tensor<3xf32>
  %3 = opsir.neg %1 : (tensor<?xf32>) -> tensor<*xf32>
  func.return %2, %3 : tensor<3xf32>, tensor<*xf32>
}

// -----

// A copy that only computations see is none.
// CHECK-LABEL: func.func @unseen
// CHECK-NEXT: opsir.neg %a
func.func @unseen(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = opsir.copy %a : tensor<4xf32> to tensor<4xf32>
  %1 = opsir.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
