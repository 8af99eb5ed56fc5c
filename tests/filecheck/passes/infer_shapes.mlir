// RUN: OPSIR_PASS(infer-shapes)

// Sizes get names, the broadcast is written out, results get their shapes.
// CHECK-LABEL: func.func @row
// CHECK-SAME: (%a: tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>, %v: tensor<?xf32, #opsir.layout<sizes [s0_1]>>) -> tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>
// CHECK-NEXT: opsir.require_equal %a[1], %v[0] : tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>, tensor<?xf32, #opsir.layout<sizes [s0_1]>>
// CHECK-NEXT: %[[V0:.*]] = opsir.broadcast %v : tensor<?xf32, #opsir.layout<sizes [s0_1]>> to tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>
// CHECK-NEXT: %[[V1:.*]] = opsir.add %a, %[[V0]] : (tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>, tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>) -> tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>
// CHECK-NEXT: func.return %[[V1]] : tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>
func.func @row(%a: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<*xf32> {
  %0 = opsir.add %a, %v : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

// Both sides expand; a static 1 is all that stretches, 0 wins over 1.
// CHECK-LABEL: func.func @both_sides
// CHECK-SAME: (%a: tensor<2x1x5xf32>, %b: tensor<3x1xf32>, %z: tensor<0x1x1xf32>) -> (tensor<2x3x5xf32>, tensor<0x3x1xf32>)
// CHECK-NEXT: %[[V0:.*]] = opsir.broadcast %a : tensor<2x1x5xf32> to tensor<2x3x5xf32>
// CHECK-NEXT: %[[V1:.*]] = opsir.broadcast %b : tensor<3x1xf32> to tensor<2x3x5xf32>
// CHECK-NEXT: %[[V2:.*]] = opsir.add %[[V0]], %[[V1]] : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V3:.*]] = opsir.broadcast %z : tensor<0x1x1xf32> to tensor<0x3x1xf32>
// CHECK-NEXT: %[[V4:.*]] = opsir.broadcast %b : tensor<3x1xf32> to tensor<0x3x1xf32>
// CHECK-NEXT: %[[V5:.*]] = opsir.add %[[V3]], %[[V4]] : (tensor<0x3x1xf32>, tensor<0x3x1xf32>) -> tensor<0x3x1xf32>
// CHECK-NEXT: func.return %[[V2]], %[[V5]] : tensor<2x3x5xf32>, tensor<0x3x1xf32>
func.func @both_sides(%a: tensor<2x1x5xf32>, %b: tensor<3x1xf32>, %z: tensor<0x1x1xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %0 = opsir.add %a, %b : (tensor<2x1x5xf32>, tensor<3x1xf32>) -> tensor<*xf32>
  %1 = opsir.add %z, %b : (tensor<0x1x1xf32>, tensor<3x1xf32>) -> tensor<*xf32>
  func.return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// -----

// Scalars stay scalars, a tensor of rank 0 is broadcast.
// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%a: tensor<4xf32>, %s: f32, %r: tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = opsir.add %a, %s : (tensor<4xf32>, f32) -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = opsir.broadcast %r : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = opsir.add %[[V0]], %[[V1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[V2]] : tensor<4xf32>
func.func @scalars(%a: tensor<4xf32>, %s: f32, %r: tensor<f32>) -> tensor<*xf32> {
  %0 = opsir.add %a, %s : (tensor<4xf32>, f32) -> tensor<*xf32>
  %1 = opsir.add %0, %r : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

// A size meets a static one: the argument's type says so, and the call checks it.
// CHECK-LABEL: func.func @static
// CHECK-SAME: (%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: opsir.require_equal %a[0], %b[0] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = opsir.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[V0]] : tensor<4xf32>
func.func @static(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<*xf32> {
  %0 = opsir.add %a, %b : (tensor<?xf32>, tensor<4xf32>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

// Axes that share a name need no check of their own; written strides are kept.
// CHECK-LABEL: func.func @named
// CHECK-SAME: (%a: tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>, %b: tensor<?xf32, #opsir.layout<sizes [m], strides [s]>>) -> tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
// CHECK-NEXT: %[[V0:.*]] = opsir.broadcast %b : tensor<?xf32, #opsir.layout<sizes [m], strides [s]>> to tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
// CHECK-NEXT: %[[V1:.*]] = opsir.add %a, %[[V0]] : (tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>, tensor<?x?xf32, #opsir.layout<sizes [n, m]>>) -> tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
// CHECK-NEXT: func.return %[[V1]] : tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
func.func @named(%a: tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>, %b: tensor<?xf32, #opsir.layout<sizes [m], strides [s]>>) -> tensor<*xf32> {
  %0 = opsir.add %a, %b : (tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>, tensor<?xf32, #opsir.layout<sizes [m], strides [s]>>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

// A vector tied to an axis by its map.
// CHECK-LABEL: func.func @tied
// CHECK-SAME: (%a: tensor<2x3x4x4xf32>, %v: tensor<3xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = opsir.broadcast %v axes [1] : tensor<3xf32> to tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = opsir.add %a, %[[V0]] : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: func.return %[[V1]] : tensor<2x3x4x4xf32>
func.func @tied(%a: tensor<2x3x4x4xf32>, %v: tensor<3xf32>) -> tensor<*xf32> {
  %0 = opsir.broadcast %v axes [1] : tensor<3xf32> to tensor<2x3x4x4xf32>
  %1 = opsir.add %a, %0 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

// Shapes that are there already stay: running the pass again changes nothing.
// CHECK-LABEL: func.func @again
// CHECK-SAME: (%a: tensor<?xf32, #opsir.layout<sizes [n]>>) -> tensor<?xf32, #opsir.layout<sizes [n]>>
// CHECK-NEXT: %[[V0:.*]] = opsir.neg %a : (tensor<?xf32, #opsir.layout<sizes [n]>>) -> tensor<?xf32, #opsir.layout<sizes [n]>>
// CHECK-NEXT: func.return %[[V0]] : tensor<?xf32, #opsir.layout<sizes [n]>>
func.func @again(%a: tensor<?xf32, #opsir.layout<sizes [n]>>) -> tensor<?xf32, #opsir.layout<sizes [n]>> {
  %0 = opsir.neg %a : (tensor<?xf32, #opsir.layout<sizes [n]>>) -> tensor<?xf32, #opsir.layout<sizes [n]>>
  func.return %0 : tensor<?xf32, #opsir.layout<sizes [n]>>
}

// -----

// A size that only a call can tell gets a symbol; what it meets is compared where it meets it.
// CHECK-LABEL: func.func @views
// CHECK-NEXT: opsir.bind_sizes [v0_0, 4] = slice [1:, ::-1] of [s0_0, 4]
// CHECK-NEXT: %[[S:.*]] = opsir.slice %a [1:, ::-1] : {{.*}} to tensor<?x4xf32, #opsir.layout<sizes [s1_0]>>
// CHECK-NEXT: opsir.bind_sizes [s1_0, 4] = slice [1:, ::-1] of [s0_0, 4]
// CHECK-NEXT: opsir.add %[[S]], %b
func.func @views(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<*xf32> {
  %0 = opsir.slice %a [1:, ::-1] : tensor<?x4xf32> to tensor<?x4xf32>
  %1 = opsir.add %0, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}
