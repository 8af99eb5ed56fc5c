// RUN: OPSIR_LOCATIONS(legalize-half)

func.func @f(%a: f16) -> f16 {
  // CHECK: opsir.cast {{.*}} loc("model.py":3:0)
  // CHECK: opsir.add {{.*}} loc("model.py":3:0)
  // CHECK: opsir.cast {{.*}} loc("model.py":3:0)
  %0 = opsir.add %a, %a : (f16, f16) -> f16 loc("model.py":3:0)
  func.return %0 : f16
}
