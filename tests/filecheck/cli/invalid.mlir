// RUN: OPSIR_INVALID

// What IR text can do wrong before any op of opsir is looked at, one fault a part.

func.func @undefined_value(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:15: error: %b is used but not defined
  func.return %b : f32
}

// -----

func.func @wrong_use_type(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:15: error: operand is used with type f64, but has been previously used or defined with type f32
  func.return %a : f64
}

// -----

func.func @verifier_at_its_op(%a: f32) -> f64 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'func.return' op Expected arguments to have the same types
  func.return %a : f32
}

// -----

func.func @unknown_op(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: no operation 'arith.addf' in the dialects builtin, func, opsir, nest
  %b = arith.addf %a, %a : f32
}

// -----

func.func @unknown_type(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:20: error: 'llvm.ptr' is not registered
  func.return %a : !llvm.ptr
}

// -----

func.func @used_before_definition(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'builtin.unrealized_conversion_cast' op operand #0 is used before it is defined
  %b = builtin.unrealized_conversion_cast %c : f32 to f64
  %c = builtin.unrealized_conversion_cast %a : f32 to f32
  func.return %c : f32
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op regions hold one block, got 2
func.func @two_blocks(%a: f32) -> f32 {
  func.return %a : f32
^second:
  func.return %a : f32
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op Operation func.func contains empty block
func.func @no_terminator(%a: f32) -> f32 {

}

// -----

func.func @not_terminated(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:3: error: 'builtin.unrealized_conversion_cast' op Operation builtin.unrealized_conversion_cast terminates block
  %b = builtin.unrealized_conversion_cast %a : f32 to f64
}

// -----

func.func @missing_brace(%a: f32) -> f32 {
// CHECK: invalid.mlir:[[# @LINE + 1]]:24: error: expected an operation or '}'
  func.return %a : f32 )

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:31: error: rank 65 is above the limit of 64
func.func @rank_65(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>)

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:43: error: size 9223372036854775808 does not fit 64 bits
func.func @size_beyond_64_bits(%a: tensor<9223372036854775808xf32>)

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:414: error: brackets nest deeper than the limit of 64
func.func @nested_65_deep(%a: tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<i1>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>)

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:50: error: a number of 65 digits is above the limit of 64
builtin.module attributes {number_of_65_digits = 11111111111111111111111111111111111111111111111111111111111111111} {}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:54: error: a number of 67 digits is above the limit of 64
builtin.module attributes {hex_number_of_65_digits = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff} {}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:12: error: a name of 257 characters is above the limit of 256
func.func @nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn()

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:37: error: a string of 4099 characters is above the limit of 4096
builtin.module attributes {string = "sssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss"} {}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:43: error: a string ends on its line
builtin.module attributes {unterminated = "abc} {}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:34: error: affine maps are not part of opsir's IR
builtin.module attributes {map = affine_map<(d0) -> (d0)>} {}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: file metadata ({-# ... #-}) is not part of opsir's IR
{-# external_resources: {} #-}

// -----

!a = i1
!b = tuple<!a, !a, !a, !a, !a, !a, !a, !a>
!c = tuple<!b, !b, !b, !b, !b, !b, !b, !b>
!d = tuple<!c, !c, !c, !c, !c, !c, !c, !c>
// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: alias !e stands for 5891 parts
!e = tuple<!d, !d, !d, !d, !d, !d, !d, !d>

// -----

!a = tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<i1>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>
// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: alias !deep stands for 147 parts nested 70 deep
!deep = tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<!a>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>

// -----

!a = i32
// CHECK: invalid.mlir:[[# @LINE + 1]]:4: error: re-declaration of alias '!a'
!a = i32

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:38: error: malformed IR: Integer value 2 is out of range for type i1
builtin.module attributes {x = 2 : i1} {}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: 'builtin.module' op Redefinition of symbol "twice"
func.func @twice() {
  func.return
}
func.func @twice() {
  func.return
}

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:15: error: '(' expected
func.func @café()

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: expected an operation
???

// -----

// CHECK: invalid.mlir:[[# @LINE + 1]]:1: error: 'func.func' op property 'function_type' expected
"func.func"() <{sym_name = "no_type"}> ({
^bb0(%a: f32):
  "func.return"(%a) : (f32) -> ()
}) : () -> ()
