// RUN: OPSIR_INVALID

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op operand #0 without a trajectory must be a scalar of known dtype, got tensor<6xf32>
func.func @tensor_without_trajectory(%x: tensor<6xf32>) {
  %r = nest.kernel extents [6] ins(%x : tensor<6xf32>)
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op operand #0 must be a tensor of known rank and dtype, got f32
func.func @trajectory_of_a_scalar(%s: f32) {
  %r = nest.kernel extents [6] ins(%s : f32 along [4])
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op operand #0 without a trajectory must be a scalar of known dtype, got !opsir.weak<int>
func.func @weak_operand(%w: !opsir.weak<int>) {
  %r = nest.kernel extents [6] ins(%w : !opsir.weak<int>)
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 3]]:10: error: a result of type tensor<6xf32> needs a trajectory: along [...]
func.func @result_without_trajectory(%x: tensor<6xf32>) {
  nest.kernel extents [6] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32>) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op has 0 results and 0 trajectories for them; expected at least one, and one each
func.func @no_result(%x: tensor<6xf32>) {
  nest.kernel extents [6] ins(%x : tensor<6xf32> along [4])
    outs() {
  ^bb0(%a: f32):
    nest.yield
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op operand #0 has 2 strides for 1 extents, expected one per axis
func.func @operand_strides(%x: tensor<6xf32>) {
  %r = nest.kernel extents [6] ins(%x : tensor<6xf32> along [4, 4])
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op result #0 has 0 strides for 1 extents, expected one per axis
func.func @result_strides(%x: tensor<6xf32>) {
  %r = nest.kernel extents [6] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along []) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op result #0 has stride 0 on axis 0 of extent 6: an element would be written more than once
func.func @held_output(%x: tensor<6xf32>) {
  %r = nest.kernel extents [6] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [0]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op result #0 has stride 0 on axis 0 of extent n: an element would be written more than once
func.func @held_output_of_unknown_extent(%x: tensor<6xf32>) {
  %r = nest.kernel extents [n] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [0]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op result #0 writes overlapping elements: strides [8, 4] over extents [2, 3] with 4 bytes per element
func.func @overlapping_rows(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [8, 4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op result #0 writes overlapping elements: strides [2] over extents [6] with 4 bytes per element
func.func @overlapping_elements(%x: tensor<6xf32>) {
  %r = nest.kernel extents [6] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [2]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op result #0 of type tensor<6xf32> has 6 elements, but extents [5] write 5
func.func @elements_left_out(%x: tensor<6xf32>) {
  %r = nest.kernel extents [5] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op extent -6 of axis 0 is negative
func.func @negative_extent(%x: tensor<6xf32>) {
  %r = nest.kernel extents [-6] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op extent n*-1 of axis 0 is negative
func.func @negative_symbolic_extent(%x: tensor<6xf32>) {
  %r = nest.kernel extents [n*-1] ins(%x : tensor<6xf32> along [4])
    outs(tensor<6xf32> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op extents [4294967296, 4294967296, 0] make more than 9223372036854775807 iterations
func.func @too_many_iterations() {
  %r = nest.kernel extents [4294967296, 4294967296, 0] ins()
    outs(tensor<0xf32> along [0, 0, 4]) {
  ^bb0:
    %c = opsir.scalar 1.0 : f32
    nest.yield %c : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op the body's arguments must have the element types (f32), got (f64)
func.func @argument_type(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f64):
    nest.yield %a : f64
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op the body's arguments must have the element types (f32), got (f32, f32)
func.func @argument_count(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32, %b: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op the values yielded must have the element types (f32), got (f32, f32)
func.func @yield_count(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32):
    nest.yield %a, %a : f32, f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op the values yielded must have the element types (f32), got ()
func.func @yield_nothing(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32):
    nest.yield
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op the values yielded must have the element types (f32), got (i8)
func.func @yield_type(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32):
    %b = opsir.cast %a : f32 to i8
    nest.yield %b : i8
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op the body must end in nest.yield
func.func @foreign_terminator(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32):
    opsir.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op 'opsir.broadcast' cannot be part of a kernel's body
func.func @foreign_op(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32):
    %b = opsir.broadcast %a : f32 to tensor<2xf32>
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op 'opsir.scalar' in a kernel's body must give a scalar of known dtype, got !opsir.weak<int>
func.func @weak_value(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) {
  ^bb0(%a: f32):
    %b = opsir.scalar 1 : !opsir.weak<int>
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op lanes must be a power of two from 1 to 64, got 3
func.func @lanes_not_a_power(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {lanes = 3 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op lanes must be a power of two from 1 to 64, got 128
func.func @lanes_too_many(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {lanes = 128 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op lanes must be a power of two from 1 to 64, got 0
func.func @no_lanes(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {lanes = 0 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op unroll must be from 1 to 16, got 17
func.func @unroll_too_many(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {unroll = 17 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op unroll must be from 1 to 16, got 0
func.func @no_unroll(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {unroll = 0 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op tile must be from 1 to 256, got 257
func.func @tile_too_large(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {tile = 257 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op tile must be from 1 to 256, got 0
func.func @no_tile(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {tile = 0 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op stream must be from 0 to 1, got 2
func.func @stream_is_no_number_of_things(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {stream = 2 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op stream must be from 0 to 1, got -1
func.func @negative_stream(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {stream = -1 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op block must be from 1 to 65536, got 0
func.func @empty_block(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {block = 0 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op block must be from 1 to 65536, got 65537
func.func @block_too_large(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {block = 65537 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op parallel must be an axis from 0 to 1, got 2
func.func @parallel_axis_too_large(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {parallel = 2 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op parallel must be an axis from 0 to 1, got -1
func.func @negative_parallel_axis(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {parallel = -1 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op parallel must be left out where there is no axis, got 0
func.func @parallel_without_axes(%x: tensor<f32>) {
  %r = nest.kernel extents [] ins(%x : tensor<f32> along [])
    outs(tensor<f32> along []) attributes {parallel = 0 : i64} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 3]]:39: error: stream must be an integer, got unit
func.func @stream_of_a_wrong_kind(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {stream} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 3]]:39: error: lanes must be an integer, got "8"
func.func @lanes_of_a_wrong_kind(%x: tensor<6xf32>) {
  %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
    outs(tensor<6xf32> along [12, 4]) attributes {lanes = "8"} {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op rank 65 is above the limit of 64
func.func @rank(%s: f32) {
  %r = nest.kernel extents [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
      ins(%s : f32)
      outs(tensor<f32> along [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.yield' op 'nest.yield' expects parent op 'nest.kernel'
func.func @yield_outside_of_a_kernel(%s: f32) {
  nest.yield %s : f32
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op has 1 operands, but 2 entries that say how they move
func.func @one_entry_too_many(%s: f32) {
  %r = "nest.kernel"(%s) <{extents = #nest.extents<[]>, input_trajectories = [unit, unit], result_trajectories = [#nest.trajectory<[]>]}> ({
  ^bb0(%a: f32):
    "nest.yield"(%a) : (f32) -> ()
  }) : (f32) -> tensor<f32>
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 2]]:3: error: 'nest.kernel' op has 1 results and 0 trajectories for them; expected at least one, and one each
func.func @result_without_an_entry(%s: f32) {
  %r = "nest.kernel"(%s) <{extents = #nest.extents<[]>, input_trajectories = [unit], result_trajectories = []}> ({
  ^bb0(%a: f32):
    "nest.yield"(%a) : (f32) -> ()
  }) : (f32) -> tensor<f32>
  func.return
}
