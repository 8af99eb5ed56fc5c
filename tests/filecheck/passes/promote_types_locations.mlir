// RUN: OPSIR_LOCATIONS(promote-types)

// A cast stands where the op stands that needs it, a literal where it was written.

func.func @f(%a: tensor<4xi32>) -> tensor<4x!opsir.infer> {
  // CHECK: opsir.scalar 0.5 : f64 loc("model.py":3:0)
  %n = opsir.scalar 0.5 : !opsir.weak<float> loc("model.py":3:0)
  // CHECK: opsir.cast {{.*}} loc("model.py":4:0)
  // CHECK: opsir.mul {{.*}} loc("model.py":4:0)
  %r = opsir.mul %a, %n : (tensor<4xi32>, !opsir.weak<float>) -> tensor<4x!opsir.infer> loc("model.py":4:0)
  func.return %r : tensor<4x!opsir.infer>
}
