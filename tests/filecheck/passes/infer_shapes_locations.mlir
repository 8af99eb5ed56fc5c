// RUN: OPSIR_LOCATIONS(infer-shapes)

// A broadcast and the check of sizes stand where the op stands that needs them.

func.func @f(%a: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<*xf32> {
  // CHECK: opsir.require_equal {{.*}} loc("model.py":3:0)
  // CHECK: opsir.broadcast {{.*}} loc("model.py":3:0)
  // CHECK: opsir.add {{.*}} loc("model.py":3:0)
  %0 = opsir.add %a, %v : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<*xf32> loc("model.py":3:0)
  func.return %0 : tensor<*xf32>
}
