// RUN: OPSIR_PASS(fuse-elementwise)
// RUN: OPSIR_PASS(fuse-elementwise{policy="never"}) PREFIX=NEVER
// RUN: OPSIR_PASS(fuse-elementwise{policy="always"}) PREFIX=ALWAYS

// A chain is one group.
// CHECK-LABEL: func.func @chain
// CHECK: %[[R:.*]] = opsir.fused(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>):
// CHECK-NEXT: %[[S:.*]] = opsir.add %[[X]], %[[Y]]
// CHECK-NEXT: %[[E:.*]] = opsir.exp %[[S]]
// CHECK-NEXT: opsir.yield %[[E]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]]
// NEVER-LABEL: func.func @chain
// NEVER: opsir.fused
// NEVER: opsir.add
// NEVER: opsir.fused
// NEVER: opsir.exp
// NEVER: func.return
// ALWAYS-LABEL: func.func @chain
// ALWAYS: opsir.fused
// ALWAYS-NOT: opsir.fused
// ALWAYS: func.return
func.func @chain(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s = opsir.add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %r = opsir.exp %s : (tensor<8xf32>) -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// -----

// A DAG with a shared subtree and two results of one shape is one group with two results.
// CHECK-LABEL: func.func @two_results
// CHECK: %[[U:.*]], %[[V:.*]] = opsir.fused(%a)
// CHECK-COUNT-1: opsir.exp
// CHECK: opsir.yield %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>
// CHECK-NOT: opsir.fused
// CHECK: func.return %[[U]], %[[V]]
// NEVER: func.return
// ALWAYS: func.return
func.func @two_results(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %t = opsir.exp %a : (tensor<8xf32>) -> tensor<8xf32>
  %u = opsir.neg %t : (tensor<8xf32>) -> tensor<8xf32>
  %v = opsir.mul %u, %t : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %u, %v : tensor<8xf32>, tensor<8xf32>
}

// -----

// An exp of a column runs once per row inside the group: held along the inner axis only.
// CHECK-LABEL: func.func @column
// CHECK: opsir.fused(%c, %a)
// CHECK: opsir.exp
// CHECK: opsir.broadcast
// CHECK: opsir.mul
// CHECK-NOT: opsir.fused
// CHECK: func.return
// NEVER-LABEL: func.func @column
// NEVER-COUNT-2: opsir.fused
// NEVER: func.return
// ALWAYS: func.return
func.func @column(%a: tensor<4x8xf32>, %c: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %e = opsir.exp %c : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %b = opsir.broadcast %e : tensor<4x1xf32> to tensor<4x8xf32>
  %r = opsir.mul %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// An exp of a row would be repeated for every row: it is materialised, the cheap neg is not.
// CHECK-LABEL: func.func @row
// CHECK: %[[T:.*]] = opsir.fused(%v) : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK: opsir.exp
// CHECK: }
// CHECK: opsir.fused(%[[T]], %a)
// CHECK: opsir.neg
// CHECK: opsir.broadcast
// CHECK: opsir.mul
// CHECK: func.return
// ALWAYS-LABEL: func.func @row
// ALWAYS: opsir.fused(%v, %a)
// ALWAYS-NOT: opsir.fused
// ALWAYS: func.return
// NEVER: func.return
func.func @row(%a: tensor<4x8xf32>, %v: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = opsir.exp %v : (tensor<8xf32>) -> tensor<8xf32>
  %n = opsir.neg %e : (tensor<8xf32>) -> tensor<8xf32>
  %b = opsir.broadcast %n : tensor<8xf32> to tensor<4x8xf32>
  %r = opsir.mul %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// Used along two axes an expensive op is materialised, so that each element is computed once.
// CHECK-LABEL: func.func @outer
// CHECK: %[[T:.*]] = opsir.fused(%v) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: opsir.exp
// CHECK: opsir.fused(%[[T]])
// CHECK: opsir.broadcast
// CHECK: opsir.broadcast
// CHECK: func.return
// NEVER: func.return
// ALWAYS: func.return
func.func @outer(%v: tensor<8xf32>) -> tensor<8x8xf32> {
  %e = opsir.exp %v : (tensor<8xf32>) -> tensor<8xf32>
  %r = opsir.broadcast %e axes [1] : tensor<8xf32> to tensor<8x8xf32>
  %c = opsir.broadcast %e axes [0] : tensor<8xf32> to tensor<8x8xf32>
  %s = opsir.add %r, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %s : tensor<8x8xf32>
}

// -----

// Scalars are copied into the group; a scalar result is a group of its own.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[R:.*]] = opsir.fused(%a, %s) : (tensor<8xf32>, f32) -> tensor<8xf32>
// CHECK: opsir.scalar 0.5
// CHECK: opsir.mul %{{.*}} : (f32, f32) -> f32
// CHECK: opsir.add
// CHECK: %[[T:.*]] = opsir.fused(%s) : (f32) -> f32
// CHECK: opsir.mul
// CHECK: func.return %[[R]], %[[T]]
// NEVER: func.return
// ALWAYS: func.return
func.func @scalars(%a: tensor<8xf32>, %s: f32) -> (tensor<8xf32>, f32) {
  %h = opsir.scalar 0.5 : f32
  %t = opsir.mul %s, %h : (f32, f32) -> f32
  %r = opsir.add %a, %t : (tensor<8xf32>, f32) -> tensor<8xf32>
  func.return %r, %t : tensor<8xf32>, f32
}

// -----

// An argument that is returned, and a result returned twice, are copied.
// CHECK-LABEL: func.func @copies
// CHECK: %[[R:.*]] = opsir.fused(%a)
// CHECK: opsir.neg
// CHECK: %[[A:.*]] = opsir.fused(%a)
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<8xf32>):
// CHECK-NEXT: opsir.yield %[[X]]
// CHECK: %[[S:.*]] = opsir.fused(%[[R]])
// CHECK: func.return %[[A]], %[[R]], %[[S]]
// NEVER: func.return
// ALWAYS: func.return
func.func @copies(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r = opsir.neg %a : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a, %r, %r : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Two groups of one shape that read a common tensor are one loop.
// CHECK-LABEL: func.func @siblings
// CHECK: opsir.fused(%a, %b)
// CHECK: opsir.add
// CHECK: opsir.sub
// CHECK-NOT: opsir.fused
// CHECK: func.return
// NEVER: func.return
// ALWAYS: func.return
func.func @siblings(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = opsir.add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d = opsir.sub %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %s, %d : tensor<8xf32>, tensor<8xf32>
}

// -----

// The second loop reads the first one's smaller result: different spaces stay apart, and a group
// that the other one depends on comes first.
// CHECK-LABEL: func.func @no_cycle
// CHECK: %[[E:.*]] = opsir.fused(%v)
// CHECK: opsir.exp
// CHECK: %[[B:.*]] = opsir.fused(%[[E]], %a)
// CHECK: func.return %[[E]], %[[B]]
// NEVER: func.return
// ALWAYS: func.return
func.func @no_cycle(%a: tensor<4x8xf32>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %e = opsir.exp %v : (tensor<8xf32>) -> tensor<8xf32>
  %b = opsir.broadcast %e : tensor<8xf32> to tensor<4x8xf32>
  %r = opsir.mul %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %e, %r : tensor<8xf32>, tensor<4x8xf32>
}

// -----

// A group that is already there is left alone.
// CHECK-LABEL: func.func @idempotent
// CHECK: %[[R:.*]] = opsir.fused(%a)
// CHECK-NOT: opsir.fused
// CHECK: func.return %[[R]]
// NEVER: func.return
// ALWAYS: func.return
func.func @idempotent(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = opsir.fused(%a) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<8xf32>):
    %n = opsir.neg %x : (tensor<8xf32>) -> tensor<8xf32>
    opsir.yield %n : tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}
