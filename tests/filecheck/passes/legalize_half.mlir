// RUN: OPSIR_PASS(legalize-half)

// Each op is computed in f32 and rounded: two roundings for two ops.
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: (%a: f16, %b: f16) -> f16
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : f16 to f32
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %b : f16 to f32
// CHECK-NEXT: %[[V2:.*]] = opsir.add %[[V0]], %[[V1]] : (f32, f32) -> f32
// CHECK-NEXT: %[[V3:.*]] = opsir.cast %[[V2]] : f32 to f16
// CHECK-NEXT: %[[V4:.*]] = opsir.cast %[[V3]] : f16 to f32
// CHECK-NEXT: %[[V5:.*]] = opsir.mul %[[V4]], %[[V1]] : (f32, f32) -> f32
// CHECK-NEXT: %[[V6:.*]] = opsir.cast %[[V5]] : f32 to f16
// CHECK-NEXT: func.return %[[V6]] : f16
func.func @rounded(%a: f16, %b: f16) -> f16 {
  %0 = opsir.add %a, %b : (f16, f16) -> f16
  %1 = opsir.mul %0, %b : (f16, f16) -> f16
  func.return %1 : f16
}

// -----

// What moves bits stays in half precision.
// CHECK-LABEL: func.func @moves
// CHECK-SAME: (%a: bf16, %b: bf16, %c: i1) -> (bf16, i1)
// CHECK-NEXT: %[[V0:.*]] = opsir.neg %a : (bf16) -> bf16
// CHECK-NEXT: %[[V1:.*]] = opsir.abs %[[V0]] : (bf16) -> bf16
// CHECK-NEXT: %[[V2:.*]] = opsir.copysign %[[V1]], %b : (bf16, bf16) -> bf16
// CHECK-NEXT: %[[V3:.*]] = opsir.where %c, %[[V2]], %b : (i1, bf16, bf16) -> bf16
// CHECK-NEXT: %[[V4:.*]] = opsir.isnan %[[V3]] : (bf16) -> i1
// CHECK-NEXT: func.return %[[V3]], %[[V4]] : bf16, i1
func.func @moves(%a: bf16, %b: bf16, %c: i1) -> (bf16, i1) {
  %0 = opsir.neg %a : (bf16) -> bf16
  %1 = opsir.abs %0 : (bf16) -> bf16
  %2 = opsir.copysign %1, %b : (bf16, bf16) -> bf16
  %3 = opsir.where %c, %2, %b : (i1, bf16, bf16) -> bf16
  %4 = opsir.isnan %3 : (bf16) -> i1
  func.return %3, %4 : bf16, i1
}

// -----

// fma rounds once, which no detour through f32 would.
// CHECK-LABEL: func.func @fma
// CHECK-SAME: (%a: f16) -> f16
// CHECK-NEXT: %[[V0:.*]] = opsir.fma %a, %a, %a : (f16, f16, f16) -> f16
// CHECK-NEXT: func.return %[[V0]] : f16
func.func @fma(%a: f16) -> f16 {
  %0 = opsir.fma %a, %a, %a : (f16, f16, f16) -> f16
  func.return %0 : f16
}

// -----

// A comparison needs no rounding.
// CHECK-LABEL: func.func @compare
// CHECK-SAME: (%a: f16, %b: f16) -> i1
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : f16 to f32
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %b : f16 to f32
// CHECK-NEXT: %[[V2:.*]] = opsir.lt %[[V0]], %[[V1]] : (f32, f32) -> i1
// CHECK-NEXT: func.return %[[V2]] : i1
func.func @compare(%a: f16, %b: f16) -> i1 {
  %0 = opsir.lt %a, %b : (f16, f16) -> i1
  func.return %0 : i1
}

// -----

// Other dtypes are left alone.
// CHECK-LABEL: func.func @f32
// CHECK-SAME: (%a: f32) -> f32
// CHECK-NEXT: %[[V0:.*]] = opsir.add %a, %a : (f32, f32) -> f32
// CHECK-NEXT: func.return %[[V0]] : f32
func.func @f32(%a: f32) -> f32 {
  %0 = opsir.add %a, %a : (f32, f32) -> f32
  func.return %0 : f32
}
