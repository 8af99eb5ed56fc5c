// RUN: OPSIR_INVALID(promote-types)

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
