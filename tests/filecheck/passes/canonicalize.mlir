// RUN: OPSIR_PASS(canonicalize)

// Equal ops are computed once; what nobody uses goes.
// CHECK-LABEL: func.func @once
// CHECK-SAME: (%a: f32, %b: f32) -> f32
// CHECK-NEXT: %[[V0:.*]] = opsir.add %a, %b : (f32, f32) -> f32
// CHECK-NEXT: %[[V1:.*]] = opsir.mul %[[V0]], %[[V0]] : (f32, f32) -> f32
// CHECK-NEXT: func.return %[[V1]] : f32
func.func @once(%a: f32, %b: f32) -> f32 {
  %0 = opsir.add %a, %b : (f32, f32) -> f32
  %1 = opsir.add %a, %b : (f32, f32) -> f32
  %2 = opsir.exp %a : (f32) -> f32
  %3 = opsir.mul %0, %1 : (f32, f32) -> f32
  func.return %3 : f32
}

// -----

// Also equal literals, and casts to the same dtype; not to another.
// CHECK-LABEL: func.func @literals
// CHECK-SAME: (%a: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf64>)
// CHECK-NEXT: %[[V0:.*]] = opsir.scalar 0.5 : f32
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %a : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = opsir.cast %a : tensor<4xi32> to tensor<4xf64>
// CHECK-NEXT: %[[V3:.*]] = opsir.mul %[[V1]], %[[V0]] : (tensor<4xf32>, f32) -> tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = opsir.add %[[V3]], %[[V3]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[V4]], %[[V2]] : tensor<4xf32>, tensor<4xf64>
func.func @literals(%a: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf64>) {
  %0 = opsir.scalar 0.5 : f32
  %1 = opsir.scalar 0.5 : f32
  %2 = opsir.cast %a : tensor<4xi32> to tensor<4xf32>
  %3 = opsir.cast %a : tensor<4xi32> to tensor<4xf32>
  %4 = opsir.cast %a : tensor<4xi32> to tensor<4xf64>
  %5 = opsir.mul %2, %0 : (tensor<4xf32>, f32) -> tensor<4xf32>
  %6 = opsir.mul %3, %1 : (tensor<4xf32>, f32) -> tensor<4xf32>
  %7 = opsir.add %5, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %7, %4 : tensor<4xf32>, tensor<4xf64>
}

// -----

// Inside a group as well.
// CHECK-LABEL: func.func @group
// CHECK-SAME: (%a: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = opsir.fused(%a) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%x: tensor<4xf32>):
// CHECK-NEXT: %[[V0:.*]] = opsir.abs %x : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: opsir.yield %[[V0]] : tensor<4xf32>
// CHECK: func.return %r : tensor<4xf32>
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = opsir.fused(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    %0 = opsir.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = opsir.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = opsir.abs %1 : (tensor<4xf32>) -> tensor<4xf32>
    opsir.yield %2 : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// The check of two sizes is no value, but it is needed.
// CHECK-LABEL: func.func @checks
// CHECK-SAME: (%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: opsir.require_equal %a[0], %b[0] : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT: func.return %a : tensor<?xf32>
func.func @checks(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  opsir.require_equal %a[0], %b[0] : tensor<?xf32>, tensor<?xf32>
  func.return %a : tensor<?xf32>
}
