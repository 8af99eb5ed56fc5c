// RUN: OPSIR_PASS(coalesce-axes)

!nm = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>

// A dense ?x? kernel is one axis without knowing a size.
// CHECK-LABEL: func.func @dense
// CHECK: nest.kernel extents [m*n] ins(%a : {{.*}} along [4], %b : {{.*}} along [4]) outs({{.*}} along [4])
func.func @dense(%a: !nm, %b: !nm) -> !nm {
  %r = nest.kernel extents [n, m] ins(%a : !nm along [m*4, 4], %b : !nm along [m*4, 4]) outs(!nm along [m*4, 4]) {
  ^bb0(%x: f32, %y: f32):
    %s = opsir.add %x, %y : (f32, f32) -> f32
    nest.yield %s : f32
  }
  func.return %r : !nm
}

// -----

!nm = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
!m = tensor<?xf32, #opsir.layout<sizes [m]>>

// Row and matrix keep two axes.
// CHECK-LABEL: func.func @row
// CHECK: nest.kernel extents [n, m] ins(%a : {{.*}} along [m*4, 4], %v : {{.*}} along [0, 4])
func.func @row(%a: !nm, %v: !m) -> !nm {
  %r = nest.kernel extents [n, m] ins(%a : !nm along [m*4, 4], %v : !m along [0, 4]) outs(!nm along [m*4, 4]) {
  ^bb0(%x: f32, %y: f32):
    %s = opsir.add %x, %y : (f32, f32) -> f32
    nest.yield %s : f32
  }
  func.return %r : !nm
}

// -----

// [1,2,1,5] with [4,1,3,1] merges nothing.
// CHECK-LABEL: func.func @nothing_merges
// CHECK: nest.kernel extents [4, 2, 3, 5] ins(%a : {{.*}} along [0, 20, 0, 4], %b : {{.*}} along [12, 0, 4, 0])
func.func @nothing_merges(%a: tensor<1x2x1x5xf32>, %b: tensor<4x1x3x1xf32>) -> tensor<4x2x3x5xf32> {
  %r = nest.kernel extents [4, 2, 3, 5] ins(%a : tensor<1x2x1x5xf32> along [0, 20, 0, 4], %b : tensor<4x1x3x1xf32> along [12, 0, 4, 0]) outs(tensor<4x2x3x5xf32> along [120, 60, 20, 4]) {
  ^bb0(%x: f32, %y: f32):
    %s = opsir.add %x, %y : (f32, f32) -> f32
    nest.yield %s : f32
  }
  func.return %r : tensor<4x2x3x5xf32>
}

// -----

// [1,1,1,4096] to [128,128,128,4096] is two axes; held axes merge with each other.
// CHECK-LABEL: func.func @held_axes_merge
// CHECK: nest.kernel extents [2097152, 4096] ins(%a : {{.*}} along [0, 4]) outs({{.*}} along [16384, 4])
func.func @held_axes_merge(%a: tensor<4096xf32>) -> tensor<128x128x128x4096xf32> {
  %r = nest.kernel extents [128, 128, 128, 4096] ins(%a : tensor<4096xf32> along [0, 0, 0, 4]) outs(tensor<128x128x128x4096xf32> along [268435456, 2097152, 16384, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<128x128x128x4096xf32>
}

// -----

!padded = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [s, 4]>>
!nm = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>

// Padded rows do not merge.
// CHECK-LABEL: func.func @padded_rows
// CHECK: nest.kernel extents [n, m] ins(%a : {{.*}} along [s, 4])
func.func @padded_rows(%a: !padded) -> !nm {
  %r = nest.kernel extents [n, m] ins(%a : !padded along [s, 4]) outs(!nm along [m*4, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : !nm
}

// -----

// Axes of size 1 go whatever their strides; without any axis left the body runs once.
// CHECK-LABEL: func.func @ones
// CHECK: nest.kernel extents [] ins(%a : {{.*}} along []) outs({{.*}} along [])
func.func @ones(%a: tensor<1x1xf32, #opsir.layout<strides [400, 12]>>) -> tensor<1x1xf32> {
  %r = nest.kernel extents [1, 1] ins(%a : tensor<1x1xf32, #opsir.layout<strides [400, 12]>> along [400, 12]) outs(tensor<1x1xf32> along [4, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<1x1xf32>
}

// -----

// An axis that the schedule names is the one that it became part of; an axis of extent 1 is gone.
// CHECK-LABEL: func.func @parallel_axis
// CHECK: extents [4, 16] {{.*}}parallel = 1 : i64
// CHECK: extents [64] ins({{.*}}) outs({{.*}}) {
// CHECK: extents [] ins({{.*}}) outs({{.*}}) {
func.func @parallel_axis(%a: tensor<128xf32>, %c: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<f32>) {
  %r = nest.kernel extents [4, 8, 2] ins(%a : tensor<128xf32> along [128, 8, 4]) outs(tensor<64xf32> along [64, 8, 4]) attributes {parallel = 1 : i64} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %s = nest.kernel extents [1, 64] ins(%a : tensor<128xf32> along [0, 8]) outs(tensor<64xf32> along [256, 4]) attributes {parallel = 0 : i64} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %t = nest.kernel extents [1] ins(%c : tensor<f32> along [0]) outs(tensor<f32> along [4]) attributes {parallel = 0 : i64} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r, %s, %t : tensor<64xf32>, tensor<64xf32>, tensor<f32>
}
