// RUN: OPSIR_PASS(order-axes)

!f = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
!c = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>

// Column-major operand and result: the loop follows them.
// CHECK-LABEL: func.func @column_major
// CHECK: nest.kernel extents [m, n] ins(%a : {{.*}} along [n*4, 4]) outs({{.*}} along [n*4, 4])
func.func @column_major(%a: !f) -> !f {
  %r = nest.kernel extents [n, m] ins(%a : !f along [4, n*4]) outs(!f along [4, n*4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !f
}

// -----

!f = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
!c = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>

// Operand and result disagree: the result decides, the order as written stays.
// CHECK-LABEL: func.func @transposed_operand
// CHECK: nest.kernel extents [n, m] ins(%a : {{.*}} along [4, n*4]) outs({{.*}} along [m*4, 4])
func.func @transposed_operand(%a: !f) -> !c {
  %r = nest.kernel extents [n, m] ins(%a : !f along [4, n*4]) outs(!c along [m*4, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !c
}

// -----

!t = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [s, t]>>

// Nothing is known of s and t: the order stays.
// CHECK-LABEL: func.func @unknown_strides
// CHECK: nest.kernel extents [n, m] ins(%a : {{.*}} along [s, t]) outs({{.*}} along [s, t])
func.func @unknown_strides(%a: !t) -> !t {
  %r = nest.kernel extents [n, m] ins(%a : !t along [s, t]) outs(!t along [s, t]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !t
}

// -----

!f = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>

// The exp depends on n only: with m outside it would run n*m times, so the order is refused.
// CHECK-LABEL: func.func @expensive
// CHECK: nest.kernel extents [n, m] ins(%a : {{.*}} along [4, 0]) outs({{.*}} along [4, n*4])
func.func @expensive(%a: tensor<?x1xf32, #opsir.layout<sizes [n]>>) -> !f {
  %r = nest.kernel extents [n, m] ins(%a : tensor<?x1xf32, #opsir.layout<sizes [n]>> along [4, 0]) outs(!f along [4, n*4]) {
  ^bb0(%x: f32):
    %e = opsir.exp %x : (f32) -> f32
    nest.yield %e : f32
  }
  func.return %r : !f
}

// -----

// An axis that the schedule names moves along.
// CHECK-LABEL: func.func @parallel_axis
// CHECK: extents [8, 4] {{.*}}parallel = 0 : i64
func.func @parallel_axis(%a: tensor<32xf32>) -> tensor<32xf32> {
  %r = nest.kernel extents [4, 8] ins(%a : tensor<32xf32> along [4, 16]) outs(tensor<32xf32> along [4, 16]) attributes {parallel = 1 : i64} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<32xf32>
}
