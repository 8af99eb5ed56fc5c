// RUN: OPSIR_PASS(canonicalize)

// What folds, and what must not. Function results keep every op alive.

// x + -0 is x for every float; x + 0 is not: it would turn -0 into +0.
// CHECK-LABEL: func.func @float_identities
// CHECK-NOT: opsir.mul
// CHECK-NOT: opsir.sub
// CHECK-NOT: opsir.div
// CHECK: %[[SUM:.*]] = opsir.add %a, %{{.*}}
// CHECK-NEXT: func.return %a, %a, %a, %a, %a, %[[SUM]]
func.func @float_identities(%a: f32) -> (f32, f32, f32, f32, f32, f32) {
  %one = opsir.scalar 1.0 : f32
  %zero = opsir.scalar 0.0 : f32
  %minus = opsir.scalar -0.0 : f32
  %0 = opsir.add %a, %minus : (f32, f32) -> f32
  %1 = opsir.sub %a, %zero : (f32, f32) -> f32
  %2 = opsir.mul %one, %a : (f32, f32) -> f32
  %3 = opsir.div %a, %one : (f32, f32) -> f32
  %4 = opsir.add %minus, %a : (f32, f32) -> f32
  %5 = opsir.add %a, %zero : (f32, f32) -> f32
  func.return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}

// -----

// x * 0 and x - x stay: a NaN, an infinity or a sign could be lost.
// CHECK-LABEL: func.func @never
// CHECK: opsir.mul
// CHECK: opsir.sub
// CHECK: func.return
func.func @never(%a: f32) -> (f32, f32) {
  %zero = opsir.scalar 0.0 : f32
  %0 = opsir.mul %a, %zero : (f32, f32) -> f32
  %1 = opsir.sub %a, %a : (f32, f32) -> f32
  func.return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: func.func @integer_identities
// CHECK-NEXT: func.return %a, %a, %a, %a, %a, %a, %a, %a
func.func @integer_identities(%a: ui8) -> (ui8, ui8, ui8, ui8, ui8, ui8, ui8, ui8) {
  %zero = opsir.scalar 0 : ui8
  %one = opsir.scalar 1 : ui8
  %ones = opsir.scalar 255 : ui8
  %0 = opsir.add %zero, %a : (ui8, ui8) -> ui8
  %1 = opsir.sub %a, %zero : (ui8, ui8) -> ui8
  %2 = opsir.mul %a, %one : (ui8, ui8) -> ui8
  %3 = opsir.div_floor %a, %one : (ui8, ui8) -> ui8
  %4 = opsir.bitwise_and %a, %ones : (ui8, ui8) -> ui8
  %5 = opsir.bitwise_or %a, %zero : (ui8, ui8) -> ui8
  %6 = opsir.bitwise_xor %zero, %a : (ui8, ui8) -> ui8
  %7 = opsir.shift_left %a, %zero : (ui8, ui8) -> ui8
  func.return %0, %1, %2, %3, %4, %5, %6, %7 : ui8, ui8, ui8, ui8, ui8, ui8, ui8, ui8
}

// -----

// 0 - x is not x, and 1 / x is not x.
// CHECK-LABEL: func.func @left_identities
// CHECK: opsir.sub
// CHECK: opsir.div_floor
// CHECK: func.return
func.func @left_identities(%a: i32) -> (i32, i32) {
  %zero = opsir.scalar 0 : i32
  %one = opsir.scalar 1 : i32
  %0 = opsir.sub %zero, %a : (i32, i32) -> i32
  %1 = opsir.div_floor %one, %a : (i32, i32) -> i32
  func.return %0, %1 : i32, i32
}

// -----

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[ABS:.*]] = opsir.abs %a
// CHECK-NEXT: %[[FLOOR:.*]] = opsir.floor %a
// CHECK-NEXT: %[[SQUARE:.*]] = opsir.square %a
// CHECK-NEXT: %[[AGAIN:.*]] = opsir.square %[[SQUARE]]
// CHECK-NEXT: func.return %a, %[[ABS]], %[[FLOOR]], %[[AGAIN]]
func.func @twice(%a: f32) -> (f32, f32, f32, f32) {
  %0 = opsir.neg %a : (f32) -> f32
  %1 = opsir.neg %0 : (f32) -> f32
  %2 = opsir.abs %a : (f32) -> f32
  %3 = opsir.abs %2 : (f32) -> f32
  %4 = opsir.floor %a : (f32) -> f32
  %5 = opsir.floor %4 : (f32) -> f32
  %6 = opsir.square %a : (f32) -> f32
  %7 = opsir.square %6 : (f32) -> f32
  func.return %1, %3, %5, %7 : f32, f32, f32, f32
}

// -----

// Integers wrap to their width as in the kernel, floats round to their type.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[WRAPPED:.*]] = opsir.scalar -2147482649 : i32
// CHECK-DAG: %[[ROUNDED:.*]] = opsir.scalar 2.048e+03 : f16
// CHECK: func.return %[[WRAPPED]], %[[ROUNDED]]
func.func @constants() -> (i32, f16) {
  %0 = opsir.scalar 2147483647 : i32
  %1 = opsir.scalar 1000 : i32
  %2 = opsir.add %0, %1 : (i32, i32) -> i32
  %3 = opsir.scalar 2048.0 : f16
  %4 = opsir.scalar 1.0 : f16
  %5 = opsir.add %3, %4 : (f16, f16) -> f16
  func.return %2, %5 : i32, f16
}

// -----

// Bools are or-ed, not counted.
// CHECK-LABEL: func.func @bools
// CHECK: %[[TRUE:.*]] = opsir.scalar true : i1
// CHECK: func.return %[[TRUE]]
func.func @bools() -> i1 {
  %0 = opsir.scalar true : i1
  %1 = opsir.add %0, %0 : (i1, i1) -> i1
  func.return %1 : i1
}

// -----

// A NaN is the kernel's to make, a function's digits belong to its expansion.
// CHECK-LABEL: func.func @left_to_the_kernel
// CHECK: opsir.sub
// CHECK: opsir.exp
// CHECK: func.return
func.func @left_to_the_kernel() -> (f32, f32) {
  %0 = opsir.scalar 0x7F800000 : f32
  %1 = opsir.sub %0, %0 : (f32, f32) -> f32
  %2 = opsir.scalar 1.0 : f32
  %3 = opsir.exp %2 : (f32) -> f32
  func.return %1, %3 : f32, f32
}

// -----

// A rounding to f16 on the way is kept; a detour through a type that holds every value is not.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: %[[HALF:.*]] = opsir.cast %a : f32 to f16
// CHECK-NEXT: %[[BACK:.*]] = opsir.cast %[[HALF]] : f16 to f32
// CHECK-NEXT: %[[WIDE:.*]] = opsir.cast %b : ui8 to f64
// CHECK-NEXT: func.return %[[BACK]], %b, %[[WIDE]], %a
func.func @casts(%a: f32, %b: ui8) -> (f32, ui8, f64, f32) {
  %0 = opsir.cast %a : f32 to f16
  %1 = opsir.cast %0 : f16 to f32
  %2 = opsir.cast %b : ui8 to i32
  %3 = opsir.cast %2 : i32 to ui8
  %4 = opsir.cast %2 : i32 to f64
  %5 = opsir.cast %a : f32 to f32
  func.return %1, %3, %4, %5 : f32, ui8, f64, f32
}

// -----

// CHECK-LABEL: func.func @broadcasts
// CHECK-NEXT: %[[ONE:.*]] = opsir.broadcast %v : tensor<3xf32> to tensor<4x2x3xf32>
// CHECK-NEXT: func.return %[[ONE]], %v
func.func @broadcasts(%v: tensor<3xf32>) -> (tensor<4x2x3xf32>, tensor<3xf32>) {
  %0 = opsir.broadcast %v : tensor<3xf32> to tensor<2x3xf32>
  %1 = opsir.broadcast %0 : tensor<2x3xf32> to tensor<4x2x3xf32>
  %2 = opsir.broadcast %v : tensor<3xf32> to tensor<3xf32>
  func.return %1, %2 : tensor<4x2x3xf32>, tensor<3xf32>
}
