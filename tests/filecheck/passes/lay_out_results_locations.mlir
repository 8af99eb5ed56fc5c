// RUN: OPSIR_LOCATIONS(lay-out-results{order=K})

// What lays a result out is located where the result is computed, or returned if it is an argument's.

!f = tensor<2x3xf32, #opsir.layout<strides [4, 8]>>

func.func @f(%a: !f) -> tensor<2x3xf32> {
  %n = opsir.neg %a : (!f) -> tensor<2x3xf32> loc("model.py":3:0)
  // CHECK: opsir.broadcast {{.*}} loc("model.py":3:0)
  func.return %n : tensor<2x3xf32> loc("model.py":4:0)
}
