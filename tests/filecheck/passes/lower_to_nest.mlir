// RUN: OPSIR_PASS(lower-to-nest)

!nm = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
!m = tensor<?xf32, #opsir.layout<sizes [m]>>

// A broadcast is stride 0 on the axes that the operand lacks; a scalar has no trajectory.
// CHECK-LABEL: func.func @row_and_scalar
// CHECK: nest.kernel extents [n, m] ins(%a : {{.*}} along [m*4, 4], %v : {{.*}} along [0, 4], %s : f32) outs({{.*}} along [m*4, 4])
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[V:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[X:.*]] = opsir.mul %[[V]], %[[S]] : (f32, f32) -> f32
// CHECK-NEXT: %[[Y:.*]] = opsir.add %[[A]], %[[X]] : (f32, f32) -> f32
// CHECK-NEXT: nest.yield %[[Y]] : f32
func.func @row_and_scalar(%a: !nm, %v: !m, %s: f32) -> !nm {
  %r = opsir.fused(%a, %v, %s) : (!nm, !m, f32) -> !nm {
  ^bb0(%x: !nm, %y: !m, %z: f32):
    %t = opsir.mul %y, %z : (!m, f32) -> !m
    %b = opsir.broadcast %t : !m to !nm
    %u = opsir.add %x, %b : (!nm, !nm) -> !nm
    opsir.yield %u : !nm
  }
  func.return %r : !nm
}

// -----

// A tensor read along two axes has two trajectories.
// CHECK-LABEL: func.func @outer_product
// CHECK: nest.kernel extents [8, 8] ins(%v : tensor<8xf32> along [4, 0], %v : tensor<8xf32> along [0, 4]) outs(tensor<8x8xf32> along [32, 4])
func.func @outer_product(%v: tensor<8xf32>) -> tensor<8x8xf32> {
  %r = opsir.fused(%v) : (tensor<8xf32>) -> tensor<8x8xf32> {
  ^bb0(%x: tensor<8xf32>):
    %c = opsir.broadcast %x axes [0] : tensor<8xf32> to tensor<8x8xf32>
    %d = opsir.broadcast %x axes [1] : tensor<8xf32> to tensor<8x8xf32>
    %p = opsir.mul %c, %d : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    opsir.yield %p : tensor<8x8xf32>
  }
  func.return %r : tensor<8x8xf32>
}

// -----

// Both sides expand; the written strides of a layout are taken as they are, negative ones too.
// CHECK-LABEL: func.func @layouts
// CHECK: nest.kernel extents [2, 3, 5] ins(%a : {{.*}} along [40, 0, -8], %b : {{.*}} along [0, 4, 0]) outs(tensor<2x3x5xf32> along [60, 20, 4])
func.func @layouts(%a: tensor<2x1x5xf32, #opsir.layout<strides [40, 4, -8]>>, %b: tensor<1x3x1xf32>) -> tensor<2x3x5xf32> {
  %r = opsir.fused(%a, %b) : (tensor<2x1x5xf32, #opsir.layout<strides [40, 4, -8]>>, tensor<1x3x1xf32>) -> tensor<2x3x5xf32> {
  ^bb0(%x: tensor<2x1x5xf32, #opsir.layout<strides [40, 4, -8]>>, %y: tensor<1x3x1xf32>):
    %c = opsir.broadcast %x : tensor<2x1x5xf32, #opsir.layout<strides [40, 4, -8]>> to tensor<2x3x5xf32>
    %d = opsir.broadcast %y : tensor<1x3x1xf32> to tensor<2x3x5xf32>
    %s = opsir.add %c, %d : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    opsir.yield %s : tensor<2x3x5xf32>
  }
  func.return %r : tensor<2x3x5xf32>
}

// -----

// A scalar result becomes a tensor of rank 0, and the kernel has no axis.
// CHECK-LABEL: func.func @scalar(%s: f32) -> tensor<f32>
// CHECK: nest.kernel extents [] ins(%s : f32) outs(tensor<f32> along [])
func.func @scalar(%s: f32) -> f32 {
  %r = opsir.fused(%s) : (f32) -> f32 {
  ^bb0(%x: f32):
    %n = opsir.neg %x : (f32) -> f32
    opsir.yield %n : f32
  }
  func.return %r : f32
}
