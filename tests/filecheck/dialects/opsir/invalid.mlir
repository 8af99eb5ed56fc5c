// RUN: OPSIR_INVALID

// What the ops refuse, one fault a part.

func.func @f(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: 'opsir.add' takes 2 operands, got 1
  %0 = opsir.add %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @two_results(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: 'opsir.neg' has one result, got 2
  %0, %1 = opsir.neg %a : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return
}

// -----

func.func @foreign_type(%a: index) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op operand #0 must be a scalar or tensor of i1, ui8, {{.*}}, got index
  %0 = opsir.neg %a : (index) -> !opsir.infer
  func.return
}

// -----

func.func @sub_byte(%a: tensor<4xi4>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op operand #0 must be a scalar or tensor of {{.*}}, got tensor<4xi4>
  %0 = opsir.neg %a : (tensor<4xi4>) -> tensor<4x!opsir.infer>
  func.return
}

// -----

func.func @mixed_dtypes(%a: tensor<4xf32>, %b: tensor<4xi8>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.add' op computes in (f32, f32), got operands of dtypes (f32, i8)
  %0 = opsir.add %a, %b : (tensor<4xf32>, tensor<4xi8>) -> tensor<4xf32>
  func.return
}

// -----

func.func @illegal_dtype(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.bitwise_and' op bitwise_and does not take (f32, f32) under rules 'numpy'
  %0 = opsir.bitwise_and %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @bool_minus_bool(%a: tensor<4xi1>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.sub' op sub does not take (bool, bool) {{.*}}: bool is not a number here; cast it
  %0 = opsir.sub %a, %a : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  func.return
}

// -----

func.func @result_dtype(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.lt' op expected a result of dtype bool from (f32, f32), got f32
  %0 = opsir.lt %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @result_of_foreign_type(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op expected a result of a known dtype, got index
  %0 = opsir.neg %a : (tensor<4xf32>) -> tensor<4xindex>
  func.return
}

// -----

func.func @decided_from_undecided(%a: !opsir.weak<int>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op a result of dtype i64 needs operands of known dtypes; use !opsir.infer until promote-types has run
  %0 = opsir.neg %a : (!opsir.weak<int>) -> i64
  func.return
}

// -----

func.func @scalar_result_of_a_tensor(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op expected a tensor as result, got f32
  %0 = opsir.neg %a : (tensor<4xf32>) -> f32
  func.return
}

// -----

func.func @tensor_result_of_a_scalar(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op expected a scalar as result, got tensor<4xf32>
  %0 = opsir.neg %a : (f32) -> tensor<4xf32>
  func.return
}

// -----

func.func @ranked_from_unranked(%a: tensor<*xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.neg' op a result tensor<4xf32> needs operands whose shapes are known
  %0 = opsir.neg %a : (tensor<*xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @shapes_do_not_broadcast(%a: tensor<3x4xf32>, %b: tensor<2x4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.add' op shapes [3,4] and [2,4] do not broadcast: axis 0 of the result would need 3 and 2
  %0 = opsir.add %a, %b : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @zero_against_three(%a: tensor<0xf32>, %b: tensor<3xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.add' op shapes [0] and [3] do not broadcast: axis 0 of the result would need 0 and 3
  %0 = opsir.add %a, %b : (tensor<0xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @not_the_broadcast_shape(%a: tensor<3x1xf32>, %b: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.add' op declared result tensor<3x5xf32> is not the broadcast shape of its operands (3x4)
  %0 = opsir.add %a, %b : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @broadcast_to_a_scalar(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op expected a tensor as result, got f32
  %0 = opsir.broadcast %a : f32 to f32
  func.return
}

// -----

func.func @broadcast_changes_dtype(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op keeps the element type f32, got a result of tensor<4xf64>
  %0 = opsir.broadcast %a : tensor<4xf32> to tensor<4xf64>
  func.return
}

// -----

func.func @broadcast_to_lower_rank(%a: tensor<1x4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op cannot broadcast shape [1,4] to the lower rank [4]
  %0 = opsir.broadcast %a : tensor<1x4xf32> to tensor<4xf32>
  func.return
}

// -----

func.func @broadcast_axes_fall(%a: tensor<4x4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op axes [1, 0] must name one result axis, in rising order below 2, for each of the 2 operand axes
  %0 = opsir.broadcast %a axes [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
  func.return
}

// -----

func.func @broadcast_axes_outside(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op axes [2] must name one result axis, in rising order below 2, for each of the 1 operand axes
  %0 = opsir.broadcast %a axes [2] : tensor<4xf32> to tensor<4x4xf32>
  func.return
}

// -----

func.func @broadcast_axis_limit(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: an axis is below the rank limit of 64
  %0 = opsir.broadcast %a axes [64] : tensor<4xf32> to tensor<4x4xf32>
  func.return
}

// -----

func.func @broadcast_size(%a: tensor<3xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op shape [3] does not broadcast to [2,4]: axis 1 has size 3, expected 1 or 4
  %0 = opsir.broadcast %a : tensor<3xf32> to tensor<2x4xf32>
  func.return
}

// -----

func.func @cast_to_undecided(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op expected a result of a known dtype, got tensor<4x!opsir.infer>
  %0 = opsir.cast %a : tensor<4xf32> to tensor<4x!opsir.infer>
  func.return
}

// -----

func.func @cast_from_foreign(%a: index) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op cannot cast from index
  %0 = opsir.cast %a : index to f32
  func.return
}

// -----

func.func @cast_changes_shape(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op keeps the shape of tensor<4xf32>, got a result tensor<5xf64>
  %0 = opsir.cast %a : tensor<4xf32> to tensor<5xf64>
  func.return
}

// -----

func.func @cast_casting(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op casting is "same_kind" or "safe", got "unsafe"
  %0 = opsir.cast %a {casting = "unsafe"} : f32 to i32
  func.return
}

// -----

func.func @cast_casting_is_text(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: casting is a string, "same_kind" or "safe"
  %0 = opsir.cast %a {casting = 1 : i32} : f32 to i32
  func.return
}

// -----

func.func @cast_not_same_kind(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.cast' op cannot cast f32 to i32 under casting same_kind
  %0 = opsir.cast %a {casting = "same_kind"} : f32 to i32
  func.return
}

// -----

func.func @dim_of_a_scalar(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.dim' op expected a tensor, got f32
  %0 = opsir.dim %a, 0 : f32
  func.return
}

// -----

func.func @dim_outside(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.dim' op axis 1 is outside 0 .. 0 of tensor<4xf32>
  %0 = opsir.dim %a, 1 : tensor<4xf32>
  func.return
}

// -----

func.func @dim_limit(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: axis 64 is above the rank limit of 64
  %0 = opsir.dim %a, 64 : tensor<4xf32>
  func.return
}

// -----

func.func @equal_outside(%a: tensor<?xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.require_equal' op axis 1 is outside 0 .. 0 of tensor<?xf32>
  opsir.require_equal %a[0], %a[1] : tensor<?xf32>, tensor<?xf32>
  func.return
}

// -----

func.func @equal_of_a_scalar(%a: tensor<?xf32>, %b: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.require_equal' op expected a tensor of known rank, got f32
  opsir.require_equal %a[0], %b[0] : tensor<?xf32>, f32
  func.return
}

// -----

func.func @equal_limit(%a: tensor<?xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: axis 64 is above the rank limit of 64
  opsir.require_equal %a[64], %a[0] : tensor<?xf32>, tensor<?xf32>
  func.return
}

// -----

func.func @equal_axes(%a: tensor<?xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.require_equal' op names one axis of each operand, got 1
  "opsir.require_equal"(%a, %a) <{axes = [0 : i64]}> : (tensor<?xf32>, tensor<?xf32>) -> ()
  func.return
}

// -----

func.func @literal_of_foreign_type() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: a literal has a scalar dtype or !opsir.weak, got index
  %0 = opsir.scalar 1 : index
  func.return
}

// -----

func.func @literal_does_not_fit() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: 300 does not fit u8 (0 .. 255)
  %0 = opsir.scalar 300 : ui8
  func.return
}

// -----

func.func @literal_fraction_of_an_integer() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: 0.5 is no integer, type i32 needs one
  %0 = opsir.scalar 0.5 : i32
  func.return
}

// -----

func.func @literal_bool_as_float() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: true is no literal of type f32
  %0 = opsir.scalar true : f32
  func.return
}

// -----

func.func @literal_number_as_bool() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: 1 is no literal of type bool
  %0 = opsir.scalar 1 : i1
  func.return
}

// -----

func.func @literal_pattern_too_wide() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: 0x1FFFF does not fit the 16 bits of f16
  %0 = opsir.scalar 0x1FFFF : f16
  func.return
}

// -----

func.func @literal_not_canonical() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.scalar' op literal 0.50 of type f32 is written 0.5
  %0 = "opsir.scalar"() <{value = #opsir.number<"0.50">}> : () -> f32
  func.return
}

// -----

func.func @literal_no_number() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.scalar' op half is no literal of type f32
  %0 = "opsir.scalar"() <{value = #opsir.number<"half">}> : () -> f32
  func.return
}

// -----

func.func @literal_without_value() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.scalar' op a literal needs a value
  %0 = "opsir.scalar"() : () -> f32
  func.return
}

// -----

func.func @literal_generic_foreign_type() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.scalar' op a literal has a scalar dtype or !opsir.weak, got
  %0 = "opsir.scalar"() <{value = #opsir.number<"1">}> : () -> index
  func.return
}

// -----

func.func @yield_outside(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.yield' op ends the region of opsir.fused only
  opsir.yield %a : f32
}

// -----

func.func @group_argument_types(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op the region's arguments must have the operands' types (tensor<4xf32>), got (tensor<5xf32>)
  %0 = opsir.fused(%a) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    opsir.yield %x : tensor<5xf32>
  }
  func.return
}

// -----

func.func @group_without_result(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op a fused group yields at least one value
  opsir.fused(%a) : (tensor<4xf32>) -> () {
  ^bb0(%x: tensor<4xf32>):
    opsir.yield
  }
  func.return
}

// -----

func.func @group_holds_a_group(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op 'opsir.dim' cannot be part of a fused group
  %0 = opsir.fused(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    %n = opsir.dim %x, 0 : tensor<4xf32>
    opsir.yield %x : tensor<4xf32>
  }
  func.return
}

// -----

func.func @group_yields_another_type(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op yields (tensor<4xf32>), but the results are (tensor<4xf64>)
  %0 = opsir.fused(%a) : (tensor<4xf32>) -> tensor<4xf64> {
  ^bb0(%x: tensor<4xf32>):
    opsir.yield %x : tensor<4xf32>
  }
  func.return
}

// -----

func.func @group_results_of_two_shapes(%a: tensor<4xf32>, %b: tensor<5xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.fused' op all results of a group have one shape, got [4] and [5]
  %0, %1 = opsir.fused(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  ^bb0(%x: tensor<4xf32>, %y: tensor<5xf32>):
    opsir.yield %x, %y : tensor<4xf32>, tensor<5xf32>
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: a size in #opsir.layout is one symbol, got n*4
func.func @layout_size(%a: tensor<?xf32, #opsir.layout<sizes [n*4]>>)

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: {{.*}}in #opsir.layout
func.func @layout_word(%a: tensor<?xf32, #opsir.layout<extents [n]>>)

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: order in #opsir.layout names each axis at most once, got [1, 0, 1]
func.func @layout_order_twice(%a: tensor<4x4xf32, #opsir.layout<strides [s, t], order [1, 0, 1]>>)

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op tensor<4xf32, #opsir.layout<strides [s], order [1]>> orders axis 1, but its last one is 0
func.func @layout_order_beyond(%a: tensor<4xf32, #opsir.layout<strides [s], order [1]>>) {
  func.return
}

// -----

func.func @layout_strides(%a: tensor<4x4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.broadcast' op tensor<4x4xf32, #opsir.layout<strides [4]>> has 1 strides for 2 axes
  %0 = opsir.broadcast %a : tensor<4x4xf32> to tensor<4x4xf32, #opsir.layout<strides [4]>>
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: {{.*}}a weak number is int or float
func.func @weak_kind(%a: !opsir.weak<bool>)

// -----

func.func @view_of_a_scalar(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.flip' op expected tensors, got f32 and tensor<4xf32>
  %0 = opsir.flip %a [0] : f32 to tensor<4xf32>
  func.return
}

// -----

func.func @view_of_another_dtype(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.flip' op keeps the element type f32, got a result of tensor<4xf64>
  %0 = opsir.flip %a [0] : tensor<4xf32> to tensor<4xf64>
  func.return
}

// -----

func.func @no_permutation(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.permute' op [0, 0] is not an order of 2 axes
  %0 = opsir.permute %a [0, 0] : tensor<4x8xf32> to tensor<4x4xf32>
  func.return
}

// -----

func.func @wrong_shape(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.slice' op declared result tensor<2xf32> is not of the view's shape [3]
  %0 = opsir.slice %a [1:, 0] : tensor<4x8xf32> to tensor<2xf32>
  func.return
}

// -----

func.func @outside(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.slice' op index 8 is out of bounds for axis 1 with size 8
  %0 = opsir.slice %a [:, 8] : tensor<4x8xf32> to tensor<4xf32>
  func.return
}

// -----

func.func @missing_item(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: expected an index or a slice such as 1:, ::-1 or 2:8:3
  %0 = opsir.slice %a [, 8] : tensor<4x8xf32> to tensor<4xf32>
  func.return
}

// -----

func.func @large_position(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: a position needs more than 64 bits
  %0 = opsir.slice %a [9223372036854775808:] : tensor<4xf32> to tensor<0xf32>
  func.return
}

// -----

func.func @axis_above_the_limit(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: an axis is below the rank limit of 64
  %0 = opsir.flip %a [64] : tensor<4xf32> to tensor<4xf32>
  func.return
}

// -----

func.func @squeeze_of_many(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.squeeze' op cannot squeeze axis 0 of size 4: expected 1
  %0 = opsir.squeeze %a [0] : tensor<4x8xf32> to tensor<8xf32>
  func.return
}

// -----

func.func @one_diagonal_axis(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: a diagonal runs along two axes, got 1
  %0 = opsir.diagonal %a [0] offset 0 : tensor<4x8xf32> to tensor<4xf32>
  func.return
}

// -----

func.func @no_offset(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:{{.*}} error: expected the offset of the diagonal
  %0 = opsir.diagonal %a [0, 1] offset : tensor<4x8xf32> to tensor<4xf32>
  func.return
}

// -----

func.func @other_count(%a: tensor<4x8xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.reshape' op cannot reshape [4, 8] of 32 elements to [30]
  %0 = opsir.reshape %a : tensor<4x8xf32> to tensor<30xf32>
  func.return
}

// -----

func.func @kind_of_another_op(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.flip' op needs a view of kind flip, got #opsir.view<permute [0]>
  %0 = "opsir.flip"(%a) <{view = #opsir.view<permute [0]>}> : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @copy_of_another_shape(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.copy' op keeps the shape of tensor<4xf32>, got a result of tensor<5xf32>
  %0 = opsir.copy %a : tensor<4xf32> to tensor<5xf32>
  func.return
}

// -----

func.func @copy_of_another_dtype(%a: tensor<4xf32>) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.copy' op keeps the element type f32, got tensor<4xf64>
  %0 = opsir.copy %a : tensor<4xf32> to tensor<4xf64>
  func.return
}

// -----

func.func @copy_of_a_scalar(%a: f32) {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.copy' op expected tensors, got f32 and f32
  %0 = opsir.copy %a : f32 to f32
  func.return
}

// -----

func.func @binding_of_another_rank() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.bind_sizes' op gives 2 sizes for a view of 1 axes
  opsir.bind_sizes [v, w] = slice [1:] of [n]
  func.return
}

// -----

func.func @binding_that_does_not_apply() {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'opsir.bind_sizes' op [1:] has 1 items for 2 axes
  opsir.bind_sizes [v] = slice [1:] of [n, m]
  func.return
}
