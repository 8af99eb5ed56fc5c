// RUN: OPSIR_PASS(lay-out-results{order=K})

!f = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
!c = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>

// Both operands are column-major, and so is the result.
// CHECK-LABEL: func.func @column_major
// CHECK-SAME: -> tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
// CHECK: %[[S:.*]] = opsir.add
// CHECK-NEXT: %[[R:.*]] = opsir.broadcast %[[S]] : tensor<?x?xf32, #opsir.layout<sizes [n, m]>> to tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
// CHECK-NEXT: func.return %[[R]]
func.func @column_major(%a: !f, %b: !f) -> !c {
  %r = opsir.add %a, %b : (!f, !f) -> !c
  func.return %r : !c
}

// -----

!f = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
!c = tensor<?x?xf32, #opsir.layout<sizes [n, m]>>

// A conflict: row-major wins.
// CHECK-LABEL: func.func @conflict
// CHECK-NOT: opsir.broadcast
func.func @conflict(%a: !f, %b: !c) -> !c {
  %r = opsir.add %a, %b : (!f, !c) -> !c
  func.return %r : !c
}

// -----

!f = tensor<2x3x4xf32, #opsir.layout<strides [4, 8, 24]>>
!c = tensor<2x3x4xf32>

// Op by op: the sum of a conflict is row-major, and a product with it is another conflict.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<2x3x4xi32, #opsir.layout<strides [4, 8, 24]>>)
func.func @chain(%a: !f, %b: !c) -> (!c, tensor<2x3x4xi32>) {
  %s = opsir.add %a, %b : (!f, !c) -> !c
  %p = opsir.mul %s, %a : (!c, !f) -> !c
  %n = opsir.neg %a : (!f) -> !c
  %i = opsir.cast %n : !c to tensor<2x3x4xi32>
  func.return %p, %i : !c, tensor<2x3x4xi32>
}

// -----

!p = tensor<?x?x?xf32, #opsir.layout<sizes [n, m, k], strides [s, t, u], order [1, 0, 2]>>
!c = tensor<?x?x?xf32, #opsir.layout<sizes [n, m, k]>>

// What the strides do not tell the type may state; a broadcast operand says nothing of its axis.
// CHECK-LABEL: func.func @stated
// CHECK: opsir.broadcast %{{.*}} to tensor<?x?x?xf32, #opsir.layout<sizes [n, m, k], strides [k*4, k*n*4, 4]>>
// CHECK-NEXT: func.return
func.func @stated(%a: !p, %b: tensor<?xf32, #opsir.layout<sizes [k]>>) -> !c {
  %w = opsir.broadcast %b : tensor<?xf32, #opsir.layout<sizes [k]>> to !c
  %r = opsir.sub %a, %w : (!p, !c) -> !c
  func.return %r : !c
}

// -----

!f = tensor<2x3xf32, #opsir.layout<strides [4, 8]>>

// A copy of an argument lies as the argument does; what states its strides is left alone.
// CHECK-LABEL: func.func @copies
// CHECK: opsir.broadcast %a : {{.*}} to tensor<2x3xf32>
// CHECK-NEXT: %[[O:.*]] = opsir.broadcast %a : {{.*}} to tensor<2x3xf32, #opsir.layout<strides [32, 4]>>
// CHECK: %[[R:.*]] = opsir.broadcast {{.*}} : tensor<2x3xf32> to tensor<2x3xf32, #opsir.layout<strides [4, 8]>>
// CHECK-NEXT: func.return %[[R]], %[[O]]
func.func @copies(%a: !f) -> (tensor<2x3xf32>, tensor<2x3xf32, #opsir.layout<strides [32, 4]>>, f32) {
  %r = opsir.broadcast %a : !f to tensor<2x3xf32>
  %o = opsir.broadcast %a : !f to tensor<2x3xf32, #opsir.layout<strides [32, 4]>>
  %s = opsir.scalar 1.0 : f32
  func.return %r, %o, %s : tensor<2x3xf32>, tensor<2x3xf32, #opsir.layout<strides [32, 4]>>, f32
}

// -----

// A view shows the order of what it views; a copy is row-major.
// CHECK-LABEL: func.func @views
// CHECK-SAME: -> (tensor<3x2xf32, #opsir.layout<strides [4, 12]>>, tensor<3x2xf32>)
func.func @views(%a: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %n = opsir.neg %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = opsir.permute %n [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
  %r = opsir.exp %t : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = opsir.copy %t : tensor<3x2xf32> to tensor<3x2xf32>
  %s = opsir.exp %c : (tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %r, %s : tensor<3x2xf32>, tensor<3x2xf32>
}
