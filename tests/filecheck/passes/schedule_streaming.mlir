// RUN: OPSIR_PASS(schedule{bucket=streaming})
// RUN: OPSIR_PASS(schedule{bucket=streaming results=reused}) PREFIX=REUSED
// RUN: OPSIR_PASS(schedule{bucket=streaming machine=aarch64}) PREFIX=NONE
// RUN: OPSIR_PASS(schedule{bucket=cached}) PREFIX=CACHED

// A result beyond the caches that leaves the function.
// CHECK-LABEL: func.func @leaves
// CHECK: attributes {lanes = 8 : i64, stream = 1 : i64, parallel = 0 : i64}
// REUSED: attributes {lanes = 8 : i64, parallel = 0 : i64}
// NONE: attributes {lanes = 4 : i64, parallel = 0 : i64}
// CACHED: attributes {lanes = 8 : i64, parallel = 0 : i64}
func.func @leaves(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<64xf32>
}

// -----

// The first result is read back at once, though it leaves the function too; the second is not.
// CHECK-LABEL: func.func @read_back
// CHECK: attributes {lanes = 8 : i64, parallel = 0 : i64}
// CHECK: attributes {lanes = 8 : i64, stream = 1 : i64, parallel = 0 : i64}
func.func @read_back(%a: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %s = nest.kernel extents [64] ins(%r : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// One of two results is a temporary of which nothing is used: nothing is streamed.
// CHECK-LABEL: func.func @unused
// CHECK: attributes {lanes = 8 : i64, parallel = 0 : i64}
func.func @unused(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r, %s = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4], tensor<64xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x, %x : f32, f32
  }
  func.return %r : tensor<64xf32>
}

// -----

// Not element by element forward, in tiles, or in vectors below 16 bytes: nothing to stream.
// CHECK-LABEL: func.func @not_dense
// CHECK: attributes {lanes = 8 : i64, parallel = 0 : i64}
// CHECK: attributes {lanes = 8 : i64, tile = 16 : i64, parallel = 0 : i64}
// CHECK: attributes {lanes = 2 : i64, parallel = 0 : i64}
// CHECK: attributes {lanes = 1 : i64}
func.func @not_dense(%a: tensor<64xf32>, %b: tensor<8x8xf32>, %c: tensor<f32>)
    -> (tensor<64xf32, #opsir.layout<strides [-4], start 252>>, tensor<8x8xf32>, tensor<64xf32>, tensor<f32>) {
  %r = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32, #opsir.layout<strides [-4], start 252>> along [-4] start 252) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %s = nest.kernel extents [8, 8] ins(%b : tensor<8x8xf32> along [4, 32]) outs(tensor<8x8xf32> along [32, 4]) attributes {lanes = 8, tile = 16} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %t = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) attributes {lanes = 2} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %u = nest.kernel extents [] ins(%c : tensor<f32> along []) outs(tensor<f32> along []) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r, %s, %t, %u : tensor<64xf32, #opsir.layout<strides [-4], start 252>>, tensor<8x8xf32>, tensor<64xf32>, tensor<f32>
}

// -----

// Said by hand: no streaming.
// CHECK-LABEL: func.func @by_hand
// CHECK: attributes {lanes = 8 : i64, stream = 0 : i64, parallel = 0 : i64}
func.func @by_hand(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) attributes {stream = 0} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<64xf32>
}
