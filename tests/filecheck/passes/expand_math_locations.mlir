// RUN: OPSIR_LOCATIONS(expand-math)

func.func @f(%a: f32) -> f32 {
  // CHECK: opsir.cast {{.*}} loc("model.py":3:0)
  // CHECK: opsir.exp {{.*}} loc("model.py":3:0)
  // CHECK: opsir.cast {{.*}} loc("model.py":3:0)
  %0 = opsir.exp %a : (f32) -> f32 loc("model.py":3:0)
  // CHECK: opsir.log1p {{.*}} loc("model.py":4:0)
  // CHECK: opsir.scalar {{.*}} loc("model.py":4:0)
  // CHECK: opsir.add {{.*}} loc("model.py":4:0)
  %1 = opsir.softplus %0 : (f32) -> f32 loc("model.py":4:0)
  func.return %1 : f32
}
