// RUN: OPSIR_LOCATIONS(cse)

// An op is located at its first token, the name of its first result included, unless it names
// another place itself.

// CHECK-LABEL: func.func @f
func.func @f(%a: f32) -> f32 {
  // CHECK: unrealized_conversion_cast {{.*}} loc("{{.*}}locations.mlir":9:3)
  %b = builtin.unrealized_conversion_cast %a : f32 to f64
  // CHECK: unrealized_conversion_cast {{.*}} loc("model.py":7:3)
  %c = builtin.unrealized_conversion_cast %b : f64 to f32 loc("model.py":7:3)
  // CHECK: func.return {{.*}} loc("{{.*}}locations.mlir":13:3)
  func.return %c : f32
}
// CHECK: } loc("{{.*}}locations.mlir":7:1)
