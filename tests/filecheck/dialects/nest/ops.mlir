// RUN: OPSIR_ROUNDTRIP
// RUN: OPSIR_GENERIC PREFIX=GENERIC

// CHECK-LABEL: func.func @row_and_scalar
// CHECK: %r = nest.kernel extents [n, 8] ins(%x : tensor<?x8xf32, #opsir.layout<sizes [n]>> along [32, 4], %v : tensor<8xf32> along [0, 4], %s : f32) outs(tensor<?x8xf32, #opsir.layout<sizes [n]>> along [32, 4]) attributes {lanes = 8 : i64, unroll = 2 : i64} {
// CHECK-NEXT: ^bb0(%a: f32, %b: f32, %c: f32):
// CHECK-NEXT: %d = opsir.fma %a, %c, %b : (f32, f32, f32) -> f32
// CHECK-NEXT: nest.yield %d : f32
// CHECK-NEXT: }
// GENERIC: "nest.kernel"(%x, %v, %s) <{extents = #nest.extents<[n, 8]>, input_trajectories = [#nest.trajectory<[32, 4]>, #nest.trajectory<[0, 4]>, unit], result_trajectories = [#nest.trajectory<[32, 4]>], lanes = 8 : i64, unroll = 2 : i64}> ({
func.func @row_and_scalar(%x: tensor<?x8xf32, #opsir.layout<sizes [n]>>, %v: tensor<8xf32>, %s: f32) -> tensor<?x8xf32, #opsir.layout<sizes [n]>> {
  %r = nest.kernel extents [n, 8]
      ins(%x : tensor<?x8xf32, #opsir.layout<sizes [n]>> along [32, 4], %v : tensor<8xf32> along [0, 4], %s : f32)
      outs(tensor<?x8xf32, #opsir.layout<sizes [n]>> along [32, 4])
      attributes {unroll = 2 : i64, lanes = 8 : i64} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = opsir.fma %a, %c, %b : (f32, f32, f32) -> f32
    nest.yield %d : f32
  }
  func.return %r : tensor<?x8xf32, #opsir.layout<sizes [n]>>
}

// -----

// A start, a reversed axis, products of symbols; two results and an attribute of someone else.
// CHECK-LABEL: func.func @two_results
// CHECK: %p, %q = nest.kernel extents [n, m*2] ins(%x : tensor<?x?xi16, #opsir.layout<sizes [n, m], strides [t, -2]>> along [t, -2] start m*2) outs(tensor<?x?xi16, #opsir.layout<sizes [n, m]>> along [m*4, 2], tensor<?x?xi1, #opsir.layout<sizes [n, m]>> along [m*2, 1]) attributes {tile = 16 : i64, destinations = ["result 0", "result 1"]} {
// GENERIC: #nest.trajectory<[t, -2] start m*2>
func.func @two_results(%x: tensor<?x?xi16, #opsir.layout<sizes [n, m], strides [t, -2]>>) {
  %p, %q = nest.kernel extents [n, 2*m]
      ins(%x : tensor<?x?xi16, #opsir.layout<sizes [n, m], strides [t, -2]>> along [t, -2] start 2*m)
      outs(tensor<?x?xi16, #opsir.layout<sizes [n, m]>> along [m*4, 2],
           tensor<?x?xi1, #opsir.layout<sizes [n, m]>> along [m*2, 1])
      attributes {tile = 16 : i64, destinations = ["result 0", "result 1"]} {
  ^bb0(%a: i16):
    %b = opsir.gt %a, %a : (i16, i16) -> i1
    nest.yield %a, %b : i16, i1
  }
  func.return
}

// -----

// CHECK-LABEL: func.func @no_axes_and_no_operands
// CHECK: %r = nest.kernel extents [] ins() outs(tensor<f64> along []) {
// CHECK-NEXT: %c = opsir.scalar 0.5 : f64
// CHECK-NEXT: nest.yield %c : f64
// GENERIC: extents = #nest.extents<[]>, input_trajectories = [], result_trajectories = [#nest.trajectory<[]>]}>
func.func @no_axes_and_no_operands() -> tensor<f64> {
  %r = nest.kernel extents [] ins() outs(tensor<f64> along []) {
    %c = opsir.scalar 0.5 : f64
    nest.yield %c : f64
  }
  func.return %r : tensor<f64>
}

// -----

// Every property of the schedule, in one order however it was written.
// CHECK-LABEL: func.func @whole_schedule
// CHECK: attributes {lanes = 8 : i64, unroll = 16 : i64, tile = 256 : i64, stream = 1 : i64, parallel = 1 : i64, block = 65536 : i64} {
// GENERIC: lanes = 8 : i64, unroll = 16 : i64, tile = 256 : i64, stream = 1 : i64, parallel = 1 : i64, block = 65536 : i64}>
func.func @whole_schedule(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4])
    attributes {block = 65536, parallel = 1, stream = 1, tile = 256, unroll = 16, lanes = 8} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// Ordinary stores and the outermost axis, said in so many words.
// CHECK-LABEL: func.func @least
// CHECK: attributes {stream = 0 : i64, parallel = 0 : i64, block = 1 : i64} {
// GENERIC: stream = 0 : i64, parallel = 0 : i64, block = 1 : i64}>
func.func @least(%x: tensor<6xf32>) {
  %r = nest.kernel extents [6] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [4]) attributes {stream = 0, parallel = 0, block = 1} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}
