// RUN: OPSIR_PASS(expand-math)

// A function of f32 is the f64 function, rounded once.
// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%a: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : tensor<4xf32> to tensor<4xf64>
// CHECK-NEXT: %[[V1:.*]] = opsir.exp %[[V0]] : (tensor<4xf64>) -> tensor<4xf64>
// CHECK-NEXT: %[[V2:.*]] = opsir.cast %[[V1]] : tensor<4xf64> to tensor<4xf32>
// CHECK-NEXT: func.return %[[V2]] : tensor<4xf32>
func.func @exp(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = opsir.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// Of f16 and bf16 as well: one rounding, not two.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: (%a: f16, %b: bf16) -> (f16, bf16)
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : f16 to f64
// CHECK-NEXT: %[[V1:.*]] = opsir.tanh %[[V0]] : (f64) -> f64
// CHECK-NEXT: %[[V2:.*]] = opsir.cast %[[V1]] : f64 to f16
// CHECK-NEXT: %[[V3:.*]] = opsir.cast %b : bf16 to f64
// CHECK-NEXT: %[[V4:.*]] = opsir.cast %b : bf16 to f64
// CHECK-NEXT: %[[V5:.*]] = opsir.atan2 %[[V3]], %[[V4]] : (f64, f64) -> f64
// CHECK-NEXT: %[[V6:.*]] = opsir.cast %[[V5]] : f64 to bf16
// CHECK-NEXT: func.return %[[V2]], %[[V6]] : f16, bf16
func.func @halves(%a: f16, %b: bf16) -> (f16, bf16) {
  %0 = opsir.tanh %a : (f16) -> f16
  %1 = opsir.atan2 %b, %b : (bf16, bf16) -> bf16
  func.return %0, %1 : f16, bf16
}

// -----

// A function of f64 stays.
// CHECK-LABEL: func.func @f64
// CHECK-SAME: (%a: f64) -> f64
// CHECK-NEXT: %[[V0:.*]] = opsir.log %a : (f64) -> f64
// CHECK-NEXT: func.return %[[V0]] : f64
func.func @f64(%a: f64) -> f64 {
  %0 = opsir.log %a : (f64) -> f64
  func.return %0 : f64
}

// -----

// Integers have their own power.
// CHECK-LABEL: func.func @pow
// CHECK-SAME: (%a: i32, %b: f32) -> (i32, f32)
// CHECK-NEXT: %[[V0:.*]] = opsir.pow %a, %a : (i32, i32) -> i32
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %b : f32 to f64
// CHECK-NEXT: %[[V2:.*]] = opsir.cast %b : f32 to f64
// CHECK-NEXT: %[[V3:.*]] = opsir.pow %[[V1]], %[[V2]] : (f64, f64) -> f64
// CHECK-NEXT: %[[V4:.*]] = opsir.cast %[[V3]] : f64 to f32
// CHECK-NEXT: func.return %[[V0]], %[[V4]] : i32, f32
func.func @pow(%a: i32, %b: f32) -> (i32, f32) {
  %0 = opsir.pow %a, %a : (i32, i32) -> i32
  %1 = opsir.pow %b, %b : (f32, f32) -> f32
  func.return %0, %1 : i32, f32
}

// -----

// A composite becomes the f64 ops that the reference evaluates.
// CHECK-LABEL: func.func @softplus
// CHECK-SAME: (%a: f32) -> f32
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : f32 to f64
// CHECK-NEXT: %[[V1:.*]] = opsir.abs %[[V0]] : (f64) -> f64
// CHECK-NEXT: %[[V2:.*]] = opsir.neg %[[V1]] : (f64) -> f64
// CHECK-NEXT: %[[V3:.*]] = opsir.exp %[[V2]] : (f64) -> f64
// CHECK-NEXT: %[[V4:.*]] = opsir.log1p %[[V3]] : (f64) -> f64
// CHECK-NEXT: %[[V5:.*]] = opsir.scalar 0.0 : f64
// CHECK-NEXT: %[[V6:.*]] = opsir.maximum %[[V0]], %[[V5]] : (f64, f64) -> f64
// CHECK-NEXT: %[[V7:.*]] = opsir.add %[[V6]], %[[V4]] : (f64, f64) -> f64
// CHECK-NEXT: %[[V8:.*]] = opsir.cast %[[V7]] : f64 to f32
// CHECK-NEXT: func.return %[[V8]] : f32
func.func @softplus(%a: f32) -> f32 {
  %0 = opsir.softplus %a : (f32) -> f32
  func.return %0 : f32
}

// -----

// A small literal exponent makes products in f64; the square of an f32 is exact there.
// CHECK-LABEL: func.func @cube
// CHECK-SAME: (%a: f32) -> f32
// CHECK: %[[V0:.*]] = opsir.cast %a : f32 to f64
// CHECK-NEXT: %[[V1:.*]] = opsir.mul %[[V0]], %[[V0]] : (f64, f64) -> f64
// CHECK-NEXT: %[[V2:.*]] = opsir.mul %[[V1]], %[[V0]] : (f64, f64) -> f64
// CHECK-NEXT: %[[V3:.*]] = opsir.cast %[[V2]] : f64 to f32
// CHECK-NEXT: func.return %[[V3]] : f32
func.func @cube(%a: f32) -> f32 {
  %0 = opsir.scalar 3.0 : f32
  %1 = opsir.pow %a, %0 : (f32, f32) -> f32
  func.return %1 : f32
}

// -----

// The cube of an f64 would be rounded twice: it stays a function. Its square is one product.
// CHECK-LABEL: func.func @powers_of_f64
// CHECK: %[[V0:.*]] = opsir.pow %a, %{{.*}} : (f64, f64) -> f64
// CHECK-NEXT: %[[V1:.*]] = opsir.mul %a, %a : (f64, f64) -> f64
// CHECK-NEXT: func.return %[[V0]], %[[V1]] : f64, f64
func.func @powers_of_f64(%a: f64) -> (f64, f64) {
  %0 = opsir.scalar 3.0 : f64
  %1 = opsir.scalar 2.0 : f64
  %2 = opsir.pow %a, %0 : (f64, f64) -> f64
  %3 = opsir.pow %a, %1 : (f64, f64) -> f64
  func.return %2, %3 : f64, f64
}
