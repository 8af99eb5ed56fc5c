// RUN: OPSIR_INVALID(infer-shapes) PREFIX=SHAPES
// RUN: OPSIR_INVALID(canonicalize) PREFIX=CANONICALIZE
// RUN: OPSIR_INVALID(fuse-elementwise) PREFIX=FUSE
// RUN: OPSIR_INVALID(lower-to-nest) PREFIX=LOWER
// RUN: OPSIR_INVALID(order-axes) PREFIX=ORDER
// RUN: OPSIR_INVALID(coalesce-axes) PREFIX=COALESCE
// RUN: OPSIR_INVALID(expand-ops) PREFIX=OPS
// RUN: OPSIR_INVALID(legalize-half) PREFIX=HALF
// RUN: OPSIR_INVALID(expand-math) PREFIX=MATH
// RUN: OPSIR_INVALID(schedule) PREFIX=SCHEDULE
// RUN: OPSIR_INVALID(plan-memory) PREFIX=MEMORY

// No pass but the first takes a program whose dtypes are open.

func.func @open(%a: tensor<4xi8>, %b: tensor<4xf16>) -> tensor<4x!opsir.infer> {
// SHAPES: stages.mlir:[[# @LINE + 11]]:3: error: 'opsir.hypot' op has a value of type tensor<4x!opsir.infer>, whose dtype is not decided: run promote-types before infer-shapes
// CANONICALIZE: stages.mlir:[[# @LINE + 10]]:3: error: {{.*}}: run promote-types before canonicalize
// FUSE: stages.mlir:[[# @LINE + 9]]:3: error: {{.*}}: run promote-types before fuse-elementwise
// LOWER: stages.mlir:[[# @LINE + 8]]:3: error: {{.*}}: run promote-types before lower-to-nest
// ORDER: stages.mlir:[[# @LINE + 7]]:3: error: {{.*}}: run promote-types before order-axes
// COALESCE: stages.mlir:[[# @LINE + 6]]:3: error: {{.*}}: run promote-types before coalesce-axes
// OPS: stages.mlir:[[# @LINE + 5]]:3: error: {{.*}}: run promote-types before expand-ops
// HALF: stages.mlir:[[# @LINE + 4]]:3: error: {{.*}}: run promote-types before legalize-half
// MATH: stages.mlir:[[# @LINE + 3]]:3: error: {{.*}}: run promote-types before expand-math
// SCHEDULE: stages.mlir:[[# @LINE + 2]]:3: error: {{.*}}: run promote-types before schedule
// MEMORY: stages.mlir:[[# @LINE + 1]]:3: error: {{.*}}: run promote-types before plan-memory
  %r = opsir.hypot %a, %b : (tensor<4xi8>, tensor<4xf16>) -> tensor<4x!opsir.infer>
  func.return %r : tensor<4x!opsir.infer>
}
