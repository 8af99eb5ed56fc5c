// RUN: OPSIR_INVALID(promote-types)
// RUN: OPSIR_INVALID(promote-types{rules="fortran"}) PREFIX=RULES
// RUN: OPSIR_INVALID(promote-types{scalars="odd"}) PREFIX=SCALARS
// RUN: OPSIR_INVALID(promote-types{default-float="f16"}) PREFIX=FLOAT

// RULES: error: promote-types: rules is one of numpy, c, got 'fortran'
// SCALARS: error: promote-types: scalars is one of weak, compat, strict, got 'odd'
// FLOAT: error: promote-types: default-float is one of f64, f32, got 'f16'

func.func @bool_is_no_number(%a: tensor<4xi1>) -> tensor<4x!opsir.infer> {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: sub does not take (bool, bool) under rules 'numpy': bool is not a number here
  %0 = opsir.sub %a, %a : (tensor<4xi1>, tensor<4xi1>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

func.func @bits_of_a_float(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4x!opsir.infer> {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: bitwise_and does not take (f32, i32) under rules 'numpy'
  %0 = opsir.bitwise_and %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

func.func @number_does_not_fit(%a: tensor<4xui8>) -> tensor<4x!opsir.infer> {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: {{.*}}300{{.*}} does not fit u8
  %n = opsir.scalar 300 : !opsir.weak<int>
  %0 = opsir.add %a, %n : (tensor<4xui8>, !opsir.weak<int>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

func.func @not_same_kind(%a: tensor<4xi32>) -> tensor<4xi32> {
  %n = opsir.scalar 0.5 : !opsir.weak<float>
  %0 = opsir.mul %a, %n : (tensor<4xi32>, !opsir.weak<float>) -> tensor<4x!opsir.infer>
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op cannot cast f64 to i32 under casting same_kind
  %1 = opsir.cast %0 {casting = "same_kind"} : tensor<4x!opsir.infer> to tensor<4xi32>
  func.return %1 : tensor<4xi32>
}

// -----

// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a value of type tensor<4x!opsir.infer>, whose dtype nothing decides
func.func @nothing_decides(%a: tensor<4x!opsir.infer>) -> tensor<4x!opsir.infer> {
  %0 = opsir.neg %a : (tensor<4x!opsir.infer>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

func.func @number_beyond_every_float() -> f32 {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: Python integer of 133 bits does not fit i64
  %n = opsir.scalar 10000000000000000000000000000000000000000 : !opsir.weak<int>
  %0 = opsir.add %n, %n : (!opsir.weak<int>, !opsir.weak<int>) -> !opsir.infer
  %1 = opsir.cast %0 : !opsir.infer to f32
  func.return %1 : f32
}

// -----

func.func @clip_beyond_the_other_end(%a: tensor<4xi8>) -> tensor<4x!opsir.infer> {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: Python integer 200 does not fit i8 (-128 .. 127)
  %n = opsir.scalar 200 : !opsir.weak<int>
  %0 = opsir.clip %a, %n, %n : (tensor<4xi8>, !opsir.weak<int>, !opsir.weak<int>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

func.func @weak_number_cast_down(%s: !opsir.weak<float>) -> i8 {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op cannot cast Python float to i8 under casting same_kind
  %0 = opsir.cast %s {casting = "same_kind"} : !opsir.weak<float> to i8
  func.return %0 : i8
}

// -----

func.func @number_in_a_group(%s: !opsir.weak<int>) -> i64 {
// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op does not take numbers without a dtype: cast them first
  %0 = opsir.fused(%s) : (!opsir.weak<int>) -> i64 {
  ^bb0(%x: !opsir.weak<int>):
    %1 = opsir.cast %x : !opsir.weak<int> to i64
    opsir.yield %1 : i64
  }
  func.return %0 : i64
}

// -----

// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a malformed opsir.weak_args: expected an array of
func.func @record_of_another_argument(%a: f32) -> f32 attributes {opsir.weak_args =
    [{argument = 1 : i64, source = 0 : i64, role = "convert", dtype = f32}]} {
  func.return %a : f32
}

// -----

// CHECK: promote_types_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a malformed opsir.weak_args: expected an array of
func.func @record_of_an_unknown_role(%a: f32) -> f32 attributes {opsir.weak_args =
    [{argument = 0 : i64, source = 0 : i64, role = "guess", dtype = f32}]} {
  func.return %a : f32
}
