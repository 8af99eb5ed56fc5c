// RUN: OPSIR_LOCATIONS(coalesce-axes)

func.func @f(%a: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // CHECK: nest.kernel
  // CHECK: opsir.neg {{.*}} loc("model.py":3:0)
  // CHECK: } loc("model.py":5:0)
  %r = nest.kernel extents [8, 1] ins(%a : tensor<8x1xf32> along [4, 4]) outs(tensor<8x1xf32> along [4, 4]) {
  ^bb0(%x: f32):
    %n = opsir.neg %x : (f32) -> f32 loc("model.py":3:0)
    nest.yield %n : f32
  } loc("model.py":5:0)
  func.return %r : tensor<8x1xf32>
}
