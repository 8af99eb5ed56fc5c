// RUN: OPSIR_PASS(schedule)
// RUN: OPSIR_PASS(schedule{machine=x86-64-v4}) PREFIX=WIDE

// A register full of the narrowest element that moves.
// CHECK-LABEL: func.func @f32
// CHECK: lanes = 8 : i64
// WIDE-LABEL: func.func @f32
// WIDE: lanes = 16 : i64
func.func @f32(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<64xf32>
}

// -----

// u8 computed in f32: full-width loads, four registers of f32.
// CHECK: lanes = 32 : i64
// WIDE: lanes = 64 : i64
func.func @u8_through_f32(%a: tensor<64xui8>) -> tensor<64xui8> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xui8> along [1]) outs(tensor<64xui8> along [1]) {
  ^bb0(%x: ui8):
    %f = opsir.cast %x : ui8 to f32
    %n = opsir.neg %f : (f32) -> f32
    %u = opsir.cast %n : f32 to ui8
    nest.yield %u : ui8
  }
  func.return %r : tensor<64xui8>
}

// -----

// u8 computed in f64 would need eight registers: fewer lanes.
// CHECK: lanes = 16 : i64
// WIDE: lanes = 32 : i64
func.func @u8_through_f64(%a: tensor<64xui8>) -> tensor<64xui8> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xui8> along [1]) outs(tensor<64xui8> along [1]) {
  ^bb0(%x: ui8):
    %f = opsir.cast %x : ui8 to f64
    %n = opsir.neg %f : (f64) -> f64
    %u = opsir.cast %n : f64 to ui8
    nest.yield %u : ui8
  }
  func.return %r : tensor<64xui8>
}

// -----

// Gathered into blocks of 8 KiB, from which whole vectors are read.
// CHECK: {lanes = 32 : i64, parallel = 0 : i64, block = 8192 : i64}
// WIDE: {lanes = 64 : i64, parallel = 0 : i64, block = 8192 : i64}
func.func @strided(%a: tensor<64xui8, #opsir.layout<strides [2]>>) -> tensor<64xui8> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xui8, #opsir.layout<strides [2]>> along [2]) outs(tensor<64xui8> along [1]) {
  ^bb0(%x: ui8):
    nest.yield %x : ui8
  }
  func.return %r : tensor<64xui8>
}

// -----

// A strided result is stored element by element: 8 lanes at most, and no block.
// CHECK: {lanes = 8 : i64, parallel = 0 : i64}
// WIDE: {lanes = 8 : i64, parallel = 0 : i64}
func.func @strided_result(%a: tensor<64xui8>) -> tensor<64xui8, #opsir.layout<strides [2]>> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xui8> along [1]) outs(tensor<64xui8, #opsir.layout<strides [2]>> along [2]) {
  ^bb0(%x: ui8):
    nest.yield %x : ui8
  }
  func.return %r : tensor<64xui8, #opsir.layout<strides [2]>>
}

// -----

// A transposed operand is strided too; an expensive op that belongs to a row forbids blocks, which
// would repeat it.
// CHECK: {lanes = 8 : i64, parallel = 0 : i64, block = 2048 : i64}
// CHECK: {lanes = 8 : i64, parallel = 0 : i64}
// WIDE: {lanes = 16 : i64, parallel = 0 : i64, block = 2048 : i64}
// WIDE: {lanes = 8 : i64, parallel = 0 : i64}
!turned = tensor<?x?xf32, #opsir.layout<sizes [n, p], strides [4, n*4]>>
!dense = tensor<?x?xf32, #opsir.layout<sizes [n, p]>>
func.func @turned(%a: !turned, %c: tensor<?xf32, #opsir.layout<sizes [n]>>) -> (!dense, !dense) {
  %r = nest.kernel extents [n, p] ins(%a : !turned along [4, n*4]) outs(!dense along [p*4, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %s = nest.kernel extents [n, p]
      ins(%a : !turned along [4, n*4], %c : tensor<?xf32, #opsir.layout<sizes [n]>> along [4, 0])
      outs(!dense along [p*4, 4]) {
  ^bb0(%x: f32, %y: f32):
    %e = opsir.exp %y : (f32) -> f32
    %t = opsir.add %x, %e : (f32, f32) -> f32
    nest.yield %t : f32
  }
  func.return %r, %s : !dense, !dense
}

// -----

// A call per element in the inner loop: as many lanes as f64 has.
// CHECK: lanes = 4 : i64
// WIDE: lanes = 8 : i64
func.func @calls(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = nest.kernel extents [64] ins(%a : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) {
  ^bb0(%x: f32):
    %e = opsir.exp %x : (f32) -> f32
    nest.yield %e : f32
  }
  func.return %r : tensor<64xf32>
}

// -----

// The same call outside the inner loop does not narrow it.
// CHECK: lanes = 8 : i64
// WIDE: lanes = 16 : i64
func.func @calls_per_row(%a: tensor<64x1xf32>) -> tensor<64x64xf32> {
  %r = nest.kernel extents [64, 64] ins(%a : tensor<64x1xf32> along [4, 0]) outs(tensor<64x64xf32> along [256, 4]) {
  ^bb0(%x: f32):
    %e = opsir.exp %x : (f32) -> f32
    nest.yield %e : f32
  }
  func.return %r : tensor<64x64xf32>
}

// -----

// Without an axis there is nothing to put side by side; lanes written by hand stay.
// CHECK-LABEL: func.func @kept
// CHECK: lanes = 1 : i64
// CHECK: lanes = 2 : i64, unroll = 4 : i64
// WIDE-LABEL: func.func @kept
// WIDE: lanes = 1 : i64
// WIDE: lanes = 2 : i64, unroll = 4 : i64
func.func @kept(%a: tensor<f32>, %b: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  %r = nest.kernel extents [] ins(%a : tensor<f32> along []) outs(tensor<f32> along []) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %s = nest.kernel extents [8] ins(%b : tensor<8xf32> along [4]) outs(tensor<8xf32> along [4]) attributes {lanes = 2 : i64, unroll = 4 : i64} {
  ^bb0(%y: f32):
    nest.yield %y : f32
  }
  func.return %r, %s : tensor<f32>, tensor<8xf32>
}

// -----

// Whatever is written by hand is kept, and the rest chosen.
// CHECK-LABEL: func.func @all_kept
// CHECK: attributes {lanes = 4 : i64, unroll = 3 : i64, tile = 16 : i64, stream = 1 : i64, parallel = 1 : i64, block = 32 : i64}
// CHECK: attributes {lanes = 8 : i64, {{.*}}stream = 1 : i64
func.func @all_kept(%a: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = nest.kernel extents [8, 8] ins(%a : tensor<64xf32> along [4, 32]) outs(tensor<64xf32> along [32, 4])
      attributes {lanes = 4 : i64, unroll = 3 : i64, tile = 16 : i64, stream = 1 : i64, parallel = 1 : i64, block = 32 : i64} {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  %s = nest.kernel extents [64] ins(%b : tensor<64xf32> along [4]) outs(tensor<64xf32> along [4]) attributes {stream = 1 : i64} {
  ^bb0(%y: f32):
    nest.yield %y : f32
  }
  func.return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// Rows of unknown length and an operand that repeats in each of them: a packed block.
// CHECK-LABEL: func.func @short_rows
// CHECK: nest.kernel extents [n, p] {{.*}} attributes {lanes = 8 : i64, parallel = 0 : i64, block = 4096 : i64}
!rows = tensor<?x?xf32, #opsir.layout<sizes [n, p]>>
!row = tensor<?xf32, #opsir.layout<sizes [p]>>
func.func @short_rows(%a: !rows, %b: !row) -> !rows {
  %0 = nest.kernel extents [n, p] ins(%a : !rows along [p*4, 4], %b : !row along [0, 4])
      outs(!rows along [p*4, 4]) {
  ^bb0(%x: f32, %y: f32):
    %s = opsir.add %x, %y : (f32, f32) -> f32
    nest.yield %s : f32
  }
  func.return %0 : !rows
}

// -----

// Rows that all operands walk on from are one axis already; here a row is known to be long; here
// the function of the column would be called for each element.
// CHECK-LABEL: func.func @long_rows
// CHECK: nest.kernel extents [n, 64] {{.*}} attributes {lanes = 8 : i64, parallel = 0 : i64} {
// CHECK: nest.kernel extents [n, p] {{.*}} attributes {lanes = 4 : i64, parallel = 0 : i64} {
!long = tensor<?x64xf32, #opsir.layout<sizes [n]>>
!rows = tensor<?x?xf64, #opsir.layout<sizes [n, p]>>
func.func @long_rows(%a: !long, %b: tensor<64xf32>, %c: !rows,
                     %d: tensor<?xf64, #opsir.layout<sizes [n]>>) -> (!long, !rows) {
  %0 = nest.kernel extents [n, 64]
      ins(%a : !long along [256, 4], %b : tensor<64xf32> along [0, 4])
      outs(!long along [256, 4]) {
  ^bb0(%x: f32, %y: f32):
    %s = opsir.add %x, %y : (f32, f32) -> f32
    nest.yield %s : f32
  }
  %1 = nest.kernel extents [n, p]
      ins(%c : !rows along [p*8, 8], %d : tensor<?xf64, #opsir.layout<sizes [n]>> along [8, 0])
      outs(!rows along [p*8, 8]) {
  ^bb0(%x: f64, %y: f64):
    %e = opsir.exp %y : (f64) -> f64
    %s = opsir.add %x, %e : (f64, f64) -> f64
    nest.yield %s : f64
  }
  func.return %0, %1 : !long, !rows
}

// -----

// Threads share the outermost axis that has enough iterations, else the longest.
// CHECK: extents [8, 64] {{.*}}parallel = 0 : i64
func.func @outermost(%a: f32) -> tensor<512xf32> {
  %r = nest.kernel extents [8, 64] ins(%a : f32) outs(tensor<512xf32> along [256, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<512xf32>
}

// CHECK: extents [2, 64] {{.*}}parallel = 1 : i64
func.func @few(%a: f32) -> tensor<128xf32> {
  %r = nest.kernel extents [2, 64] ins(%a : f32) outs(tensor<128xf32> along [256, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<128xf32>
}

// CHECK: extents [2, 5, 3] {{.*}}parallel = 1 : i64
func.func @all_few(%a: f32) -> tensor<30xf32> {
  %r = nest.kernel extents [2, 5, 3] ins(%a : f32) outs(tensor<30xf32> along [60, 12, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %r : tensor<30xf32>
}
