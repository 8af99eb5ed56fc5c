// RUN: OPSIR_LOCATIONS(fuse-elementwise)

// A group is located at its last result; what moves into it keeps its own place.

func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: opsir.fused
  // CHECK: opsir.neg {{.*}} loc("model.py":3:0)
  %n = opsir.neg %a : (tensor<8xf32>) -> tensor<8xf32> loc("model.py":3:0)
  // CHECK: opsir.exp {{.*}} loc("model.py":4:0)
  // CHECK: opsir.yield {{.*}} loc("model.py":4:0)
  // CHECK: } loc("model.py":4:0)
  %r = opsir.exp %n : (tensor<8xf32>) -> tensor<8xf32> loc("model.py":4:0)
  func.return %r : tensor<8xf32>
}
