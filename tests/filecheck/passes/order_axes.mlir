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

// -----

!t = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [s, t], order [1, 0]>>

// The type states what the strides do not tell.
// CHECK-LABEL: func.func @stated_order
// CHECK: nest.kernel extents [m, n] ins(%a : {{.*}} along [t, s]) outs({{.*}} along [t, s])
func.func @stated_order(%a: !t) -> !t {
  %r = nest.kernel extents [n, m] ins(%a : !t along [s, t]) outs(!t along [s, t]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !t
}

// -----

!a = tensor<8x9x10xf32, #opsir.layout<strides [4, 32, 288]>>
!r = tensor<8x9x10xf32>

// The operand is dense along the outermost axis of the result, which comes second from inside.
// CHECK-LABEL: func.func @lines_inside
// CHECK: nest.kernel extents [9, 8, 10] ins(%a : {{.*}} along [32, 4, 288]) outs({{.*}} along [40, 360, 4])
func.func @lines_inside(%a: !a) -> !r {
  %r = nest.kernel extents [8, 9, 10] ins(%a : !a along [4, 32, 288]) outs(!r along [360, 40, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !r
}

// -----

!a = tensor<8x9x10xf32, #opsir.layout<strides [36, 4, 288]>>
!r = tensor<8x9x10xf32>

// Axes that become one for every operand stay together.
// CHECK-LABEL: func.func @merging_axes_stay
// CHECK: nest.kernel extents [8, 9, 10] ins(%a : {{.*}} along [36, 4, 288])
func.func @merging_axes_stay(%a: !a) -> !r {
  %r = nest.kernel extents [8, 9, 10] ins(%a : !a along [36, 4, 288]) outs(!r along [360, 40, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !r
}

// -----

!a = tensor<8x9x10xf32, #opsir.layout<strides [4, 32, 288]>>
!r = tensor<8x9x10xf32>

// The exp of %b depends on the outermost axis only and would run 8 times as often inside the next.
// CHECK-LABEL: func.func @lines_would_repeat_work
// CHECK: nest.kernel extents [8, 9, 10] ins(%a : {{.*}} along [4, 32, 288]
func.func @lines_would_repeat_work(%a: !a, %b: tensor<8xf32>) -> !r {
  %r = nest.kernel extents [8, 9, 10] ins(%a : !a along [4, 32, 288], %b : tensor<8xf32> along [4, 0, 0])
      outs(!r along [360, 40, 4]) {
  ^bb0(%x: f32, %y: f32):
    %e = opsir.exp %y : (f32) -> f32
    %s = opsir.add %x, %e : (f32, f32) -> f32
    nest.yield %s : f32
  }
  func.return %r : !r
}
