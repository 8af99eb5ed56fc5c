// RUN: OPSIR_LOCATIONS(expand-ops)

func.func @f(%a: f32) -> f32 {
  // CHECK: opsir.mul {{.*}} loc("model.py":3:0)
  %0 = opsir.square %a : (f32) -> f32 loc("model.py":3:0)
  // CHECK: opsir.scalar {{.*}} loc("model.py":4:0)
  // CHECK: opsir.maximum {{.*}} loc("model.py":4:0)
  %1 = opsir.relu %0 : (f32) -> f32 loc("model.py":4:0)
  func.return %1 : f32
}
