// RUN: OPSIR_GENERIC

// Parts are processed one by one and printed with the separator between them.

// CHECK: "func.func"() <{sym_name = "first"
func.func @first(%a: f32) -> f32 {
  func.return %a : f32
}

// -----

// CHECK: // -----
// CHECK: "func.func"() <{sym_name = "second"
func.func @second(%a: f32) -> f32 {
  func.return %a : f32
}
