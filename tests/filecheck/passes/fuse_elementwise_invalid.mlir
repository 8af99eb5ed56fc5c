// RUN: OPSIR_INVALID(fuse-elementwise)
// RUN: OPSIR_INVALID(fuse-elementwise{policy="greedy"}) PREFIX=POLICY

// POLICY: error: fuse-elementwise: policy is one of default, never, always, got 'greedy'
func.func @sizes_without_names(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK: fuse_elementwise_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op needs named sizes, got tensor<?xf32>: run infer-shapes first
  %r = opsir.neg %a : (tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
