// RUN: OPSIR_LOCATIONS(fold-views)

// What is computed keeps its place, and a view that moves has the place of the view.

func.func @f(%a: tensor<4x8xf32>, %v: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: opsir.slice %a {{.*}} loc("model.py":4:0)
  // CHECK: opsir.slice %v {{.*}} loc("model.py":4:0)
  // CHECK: opsir.broadcast {{.*}} loc("model.py":2:0)
  // CHECK: opsir.add {{.*}} loc("model.py":3:0)
  // CHECK: opsir.slice %v {{.*}} loc("model.py":5:0)
  // CHECK: opsir.copy {{.*}} loc("model.py":5:0)
  %0 = opsir.broadcast %v : tensor<8xf32> to tensor<4x8xf32> loc("model.py":2:0)
  %1 = opsir.add %a, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("model.py":3:0)
  %2 = opsir.slice %1 [::2, 3] : tensor<4x8xf32> to tensor<2xf32> loc("model.py":4:0)
  %3 = opsir.slice %v [:2] : tensor<8xf32> to tensor<2xf32> loc("model.py":5:0)
  func.return %2, %3 : tensor<2xf32>, tensor<2xf32>
}
