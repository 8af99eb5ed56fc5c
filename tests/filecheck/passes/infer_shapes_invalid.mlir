// RUN: OPSIR_INVALID(infer-shapes)
// RUN: OPSIR_INVALID(infer-shapes{rank-extension="warn"}) PREFIX=OPTION

// OPTION: error: infer-shapes: rank-extension is one of allow, error, got 'warn'

func.func @do_not_broadcast(%a: tensor<3x4xf32>, %b: tensor<2x4xf32>) -> tensor<*xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: {{.*}}[3,4] and [2,4] do not broadcast: axis 0
  %0 = opsir.add %a, %b : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

func.func @in_the_middle(%a: tensor<3x4xf32>, %v: tensor<3xf32>) -> tensor<*xf32> {
  %0 = opsir.neg %a : (tensor<3x4xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: {{.*}}[3,4] and [3] do not broadcast: axis 1
  %1 = opsir.add %0, %v : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

func.func @not_the_broadcast_shape(%a: tensor<3x1xf32>) -> tensor<2x4xf32> {
  %0 = opsir.neg %a : (tensor<3x1xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op needs equal sizes to broadcast [3,1] to [2,4] on axis 0, got 3 and 2
  %1 = opsir.broadcast %0 : tensor<*xf32> to tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op argument #1 has type tensor<*xf32>: an argument needs a rank
func.func @argument_without_rank(%a: f32, %b: tensor<*xf32>) -> tensor<*xf32> {
  func.return %b : tensor<*xf32>
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op argument #0 has type tensor<?x?xf32, #opsir.layout<sizes [n]>> must name as many sizes
func.func @too_few_names(%a: tensor<?x?xf32, #opsir.layout<sizes [n]>>) -> i64 {
  %0 = opsir.dim %a, 0 : tensor<?x?xf32, #opsir.layout<sizes [n]>>
  func.return %0 : i64
}

// -----

func.func @static_against_dynamic(%a: tensor<?xf32>, %b: tensor<3xf32>, %c: tensor<4xf32>) -> tensor<*xf32> {
  %0 = opsir.add %a, %b : (tensor<?xf32>, tensor<3xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.add' op shapes [3] and [4] do not broadcast: axis 0
  %1 = opsir.add %a, %c : (tensor<?xf32>, tensor<4xf32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

func.func @zero_against_two(%a: tensor<0xf32>, %b: tensor<2xf32>) -> tensor<*xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: {{.*}}[0] and [2] do not broadcast: axis 0
  %0 = opsir.add %a, %b : (tensor<0xf32>, tensor<2xf32>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

func.func @shape_to_broadcast_to(%a: f32) -> tensor<*xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op needs the shape to broadcast to, got tensor<*xf32>
  %0 = opsir.broadcast %a : f32 to tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

func.func @to_a_lower_rank(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = opsir.neg %a : (tensor<2x3xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op cannot broadcast shape [2,3] to tensor<3xf32>
  %1 = opsir.broadcast %0 : tensor<*xf32> to tensor<3xf32>
  func.return %1 : tensor<3xf32>
}

// -----

func.func @to_size_one(%a: tensor<?xf32>) -> tensor<1xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op cannot broadcast shape [s0_0] to tensor<1xf32>
  %0 = opsir.broadcast %a : tensor<?xf32> to tensor<1xf32>
  func.return %0 : tensor<1xf32>
}

// -----

func.func @size_without_a_name(%a: f32) -> tensor<?xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op has a result of type tensor<?xf32>, whose size on axis 0 nothing decides
  %0 = opsir.broadcast %a : f32 to tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// -----

func.func @size_of_no_argument(%a: f32) -> tensor<2xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op has a result of type {{.*}}, but 'n' is no size of an argument
  %0 = opsir.broadcast %a : f32 to tensor<?xf32, #opsir.layout<sizes [n]>>
  %1 = opsir.broadcast %0 : tensor<?xf32, #opsir.layout<sizes [n]>> to tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// -----

func.func @declared_rank(%a: tensor<2x3xf32>) -> tensor<3xi8> {
  %0 = opsir.neg %a : (tensor<2x3xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op declared result tensor<3xi8> is not the shape [2,3] that its operands give
  %1 = opsir.cast %0 : tensor<*xf32> to tensor<3xi8>
  func.return %1 : tensor<3xi8>
}

// -----

func.func @declared_size(%a: tensor<2x3xf32>) -> tensor<2x4xi8> {
  %0 = opsir.neg %a : (tensor<2x3xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op declared result tensor<2x4xi8> is not the shape [2,3] that its operands give
  %1 = opsir.cast %0 : tensor<*xf32> to tensor<2x4xi8>
  func.return %1 : tensor<2x4xi8>
}

// -----

func.func @never_equal(%a: tensor<2xf32>, %b: tensor<3xf32>) {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.require_equal' op needs equal sizes here, got 2 and 3
  opsir.require_equal %a[0], %b[0] : tensor<2xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @axis_of_an_unranked_value(%a: tensor<2x3xf32>) -> i64 {
  %0 = opsir.neg %a : (tensor<2x3xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.dim' op axis 2 is outside 0 .. 1 of [2,3]
  %1 = opsir.dim %0, 2 : tensor<*xf32>
  func.return %1 : i64
}

// -----

func.func @fused_before_its_time(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op has a result of type tensor<?xf32>, whose size on axis 0 nothing decides
  %0 = opsir.fused(%a) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%x: tensor<?xf32>):
    %1 = opsir.neg %x : (tensor<?xf32>) -> tensor<?xf32>
    opsir.yield %1 : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}

// -----

func.func @fused_over_nameless_sizes(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op has sizes that were not named before fusing: infer-shapes runs before fuse-elementwise
  %0 = opsir.fused(%a, %b) : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<?xf32>, %y: tensor<4xf32>):
    %1 = opsir.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
    opsir.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op opsir.contract is a string, got 1 : i64
func.func @contract_of_a_number(%a: tensor<2xf32>) attributes {opsir.contract = 1 : i64} {
  func.return
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op contract '(n;c)' is malformed at ';c)'
func.func @contract_misspelt(%a: tensor<2xf32>) attributes {opsir.contract = "(n;c)"} {
  func.return
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op contract '(n)(c)' is malformed at '('
func.func @contract_without_comma(%a: tensor<2xf32>) attributes {opsir.contract = "(n)(c)"} {
  func.return
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has 1 arguments, but its contract '(n),(n)' states 2
func.func @contract_of_two(%a: tensor<2xf32>) attributes {opsir.contract = "(n),(n)"} {
  func.return
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op argument #0 has shape [2,3], expected (n), by its contract '(n)'
func.func @contract_of_rank_one(%a: tensor<2x3xf32>) attributes {opsir.contract = "(n)"} {
  func.return
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op argument #0 has shape [2,3], expected (n,n): 'n' would be 2 and 3
func.func @contract_square(%a: tensor<2x3xf32>) attributes {opsir.contract = "(n,n)"} {
  func.return
}

// -----

func.func @contract_of_no_result(%a: tensor<2xf32>) -> tensor<2xf32> attributes {opsir.contract = "(n)->"} {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'func.return' op returns 1 results, but the contract '(n)->' states 0
  func.return %a : tensor<2xf32>
}

// -----

func.func @contract_of_the_result(%a: tensor<2xf32>) -> tensor<2xf32> attributes {opsir.contract = "(n)->(m,n)"} {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'func.return' op result #0 has shape [n], expected (m,n)
  func.return %a : tensor<2xf32>
}

// -----

// Equal sizes do not excuse it: the names differ.
func.func @contract_keeps_names_apart(%a: tensor<5x5xf32>, %b: tensor<5xf32>) -> tensor<5x5xf32>
    attributes {opsir.contract = "(n,c),(n)->(n,c)"} {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.sub' op shapes [n,c] and [n] do not broadcast: axis 1 of the result would need c and n under its contract
  %0 = opsir.sub %a, %b : (tensor<5x5xf32>, tensor<5xf32>) -> tensor<5x5xf32>
  func.return %0 : tensor<5x5xf32>
}

// -----

func.func @contract_keeps_ones(%a: tensor<5x1xf32>, %b: tensor<5xf32>) -> tensor<5x5xf32>
    attributes {opsir.contract = "(n,1),(n)->(n,1)"} {
  %0 = opsir.sub %a, %b : (tensor<5x1xf32>, tensor<5xf32>) -> tensor<5x5xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'func.return' op result #0 has shape [n,n], expected (n,1)
  func.return %0 : tensor<5x5xf32>
}

// -----

// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op has a malformed opsir.weak_args
func.func @weak_arguments_misspelt(%a: tensor<2xf32>) attributes {opsir.contract = "(n)", opsir.weak_args = [1 : i64]} {
  func.return
}

// -----

func.func @reshape_without_sizes(%a: tensor<4x8xf32>) -> tensor<*xf32> {
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.reshape' op needs the sizes to reshape to, got tensor<*xf32>
  %0 = opsir.reshape %a : tensor<4x8xf32> to tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// -----

func.func @view_of_another_rank(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = opsir.neg %a : (tensor<4x8xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.flip' op declared result tensor<4xf32> is not of rank 2, which the view has
  %1 = opsir.flip %0 [0] : tensor<*xf32> to tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// -----

func.func @item_outside(%a: tensor<4x8xf32>) -> tensor<*xf32> {
  %0 = opsir.neg %a : (tensor<4x8xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.slice' op index 8 is out of bounds for axis 1 with size 8 (of shape [4,8])
  %1 = opsir.slice %0 [:, 8] : tensor<*xf32> to tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

func.func @squeeze_of_an_open_size(%a: tensor<?x8xf32>) -> tensor<*xf32> {
  %0 = opsir.neg %a : (tensor<?x8xf32>) -> tensor<*xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.squeeze' op cannot squeeze axis 0 of size s0_0: expected 1
  %1 = opsir.squeeze %0 [0] : tensor<*xf32> to tensor<*xf32>
  func.return %1 : tensor<*xf32>
}

// -----

func.func @size_of_a_view(%a: tensor<?xf32>) -> i64 {
  %0 = opsir.slice %a [1:] : tensor<?xf32> to tensor<?xf32>
// CHECK: infer_shapes_invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.dim' op asks for the size of a view, which only a call can tell
  %1 = opsir.dim %0, 0 : tensor<?xf32>
  func.return %1 : i64
}
