// RUN: OPSIR_LOCATIONS(canonicalize)

// A folded constant stands where the op stood, and of two equal ops the first one stays.

func.func @f(%a: f32) -> (f32, f32) {
  %0 = opsir.scalar 1.0 : f32 loc("model.py":2:0)
  // CHECK: opsir.scalar 2.0 : f32 loc("model.py":3:0)
  %1 = opsir.add %0, %0 : (f32, f32) -> f32 loc("model.py":3:0)
  // CHECK: opsir.mul {{.*}} loc("model.py":4:0)
  %2 = opsir.mul %a, %1 : (f32, f32) -> f32 loc("model.py":4:0)
  // CHECK-NEXT: func.return
  %3 = opsir.mul %a, %1 : (f32, f32) -> f32 loc("model.py":5:0)
  func.return %2, %3 : f32, f32
}
