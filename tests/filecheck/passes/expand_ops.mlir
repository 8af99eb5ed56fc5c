// RUN: OPSIR_PASS(expand-ops)

// These ops are defined by others, bit for bit.
// CHECK-LABEL: func.func @definitions
// CHECK-SAME: (%a: f32, %lo: f32, %hi: f32) -> (f32, f32, f32, f32)
// CHECK-NEXT: %[[V0:.*]] = opsir.mul %a, %a : (f32, f32) -> f32
// CHECK-NEXT: %[[V1:.*]] = opsir.scalar 1.0 : f32
// CHECK-NEXT: %[[V2:.*]] = opsir.div %[[V1]], %a : (f32, f32) -> f32
// CHECK-NEXT: %[[V3:.*]] = opsir.scalar 0.0 : f32
// CHECK-NEXT: %[[V4:.*]] = opsir.maximum %a, %[[V3]] : (f32, f32) -> f32
// CHECK-NEXT: %[[V5:.*]] = opsir.maximum %a, %lo : (f32, f32) -> f32
// CHECK-NEXT: %[[V6:.*]] = opsir.minimum %[[V5]], %hi : (f32, f32) -> f32
// CHECK-NEXT: func.return %[[V0]], %[[V2]], %[[V4]], %[[V6]] : f32, f32, f32, f32
func.func @definitions(%a: f32, %lo: f32, %hi: f32) -> (f32, f32, f32, f32) {
  %0 = opsir.square %a : (f32) -> f32
  %1 = opsir.reciprocal %a : (f32) -> f32
  %2 = opsir.relu %a : (f32) -> f32
  %3 = opsir.clip %a, %lo, %hi : (f32, f32, f32) -> f32
  func.return %0, %1, %2, %3 : f32, f32, f32, f32
}

// -----

// The reciprocal of an integer has a flag of its own.
// CHECK-LABEL: func.func @integers
// CHECK-SAME: (%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
// CHECK-NEXT: %[[V0:.*]] = opsir.mul %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: %[[V1:.*]] = opsir.reciprocal %a : (tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: func.return %[[V0]], %[[V1]] : tensor<4xi32>, tensor<4xi32>
func.func @integers(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = opsir.square %a : (tensor<4xi32>) -> tensor<4xi32>
  %1 = opsir.reciprocal %a : (tensor<4xi32>) -> tensor<4xi32>
  func.return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// Everything else is left alone.
// CHECK-LABEL: func.func @others
// CHECK-SAME: (%a: f32) -> f32
// CHECK-NEXT: %[[V0:.*]] = opsir.sign %a : (f32) -> f32
// CHECK-NEXT: %[[V1:.*]] = opsir.sigmoid %[[V0]] : (f32) -> f32
// CHECK-NEXT: func.return %[[V1]] : f32
func.func @others(%a: f32) -> f32 {
  %0 = opsir.sign %a : (f32) -> f32
  %1 = opsir.sigmoid %0 : (f32) -> f32
  func.return %1 : f32
}
