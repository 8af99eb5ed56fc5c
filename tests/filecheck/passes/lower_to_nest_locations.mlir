// RUN: OPSIR_LOCATIONS(lower-to-nest)

func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: nest.kernel
  // CHECK: opsir.neg {{.*}} loc("model.py":3:0)
  // CHECK: nest.yield {{.*}} loc("model.py":4:0)
  // CHECK: } loc("model.py":5:0)
  %r = opsir.fused(%a) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<8xf32>):
    %n = opsir.neg %x : (tensor<8xf32>) -> tensor<8xf32> loc("model.py":3:0)
    opsir.yield %n : tensor<8xf32> loc("model.py":4:0)
  } loc("model.py":5:0)
  func.return %r : tensor<8xf32>
}
