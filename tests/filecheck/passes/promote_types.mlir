// RUN: OPSIR_PASS(promote-types)

// Both operands are cast to the dtype that NumPy's add has for them.
// CHECK-LABEL: func.func @mixed
// CHECK-SAME: (%a: tensor<4xi8>, %b: tensor<4xui8>) -> tensor<4xi16>
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : tensor<4xi8> to tensor<4xi16>
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %b : tensor<4xui8> to tensor<4xi16>
// CHECK-NEXT: %[[V2:.*]] = opsir.add %[[V0]], %[[V1]] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
// CHECK-NEXT: func.return %[[V2]] : tensor<4xi16>
func.func @mixed(%a: tensor<4xi8>, %b: tensor<4xui8>) -> tensor<4x!opsir.infer> {
  %0 = opsir.add %a, %b : (tensor<4xi8>, tensor<4xui8>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

// A weak literal takes on the dtype of each use; it never widens a float, and makes f64 of i32.
// CHECK-LABEL: func.func @weak_literal
// CHECK-SAME: (%a: tensor<4xbf16>, %i: tensor<4xi32>) -> (tensor<4xbf16>, tensor<4xf64>)
// CHECK-NEXT: %n = opsir.scalar 0.100098 : bf16
// CHECK-NEXT: %n_1 = opsir.scalar 0.1 : f64
// CHECK-NEXT: %[[V0:.*]] = opsir.mul %a, %n : (tensor<4xbf16>, bf16) -> tensor<4xbf16>
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %i : tensor<4xi32> to tensor<4xf64>
// CHECK-NEXT: %[[V2:.*]] = opsir.mul %[[V1]], %n_1 : (tensor<4xf64>, f64) -> tensor<4xf64>
// CHECK-NEXT: func.return %[[V0]], %[[V2]] : tensor<4xbf16>, tensor<4xf64>
func.func @weak_literal(%a: tensor<4xbf16>, %i: tensor<4xi32>) -> (tensor<4x!opsir.infer>, tensor<4x!opsir.infer>) {
  %n = opsir.scalar 0.1 : !opsir.weak<float>
  %0 = opsir.mul %a, %n : (tensor<4xbf16>, !opsir.weak<float>) -> tensor<4x!opsir.infer>
  %1 = opsir.mul %i, %n : (tensor<4xi32>, !opsir.weak<float>) -> tensor<4x!opsir.infer>
  func.return %0, %1 : tensor<4x!opsir.infer>, tensor<4x!opsir.infer>
}

// -----

// A weak argument becomes one scalar per dtype and role; a comparison is made exact by a flag.
// CHECK-LABEL: func.func @weak_argument
// CHECK-SAME: (%a: tensor<4xf32>, %s: f32, %s_1: i8, %s_2: i1, %b: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi1>) attributes {opsir.weak_args = [{argument = 1 : i64, source = 1 : i64, role = "convert", dtype = f32}, {argument = 2 : i64, source = 1 : i64, role = "clamp", dtype = i8}, {argument = 3 : i64, source = 1 : i64, role = "above", dtype = i8}]}
// CHECK-NEXT: %[[V0:.*]] = opsir.mul %a, %s : (tensor<4xf32>, f32) -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = opsir.lt %b, %s_1 : (tensor<4xi8>, i8) -> tensor<4xi1>
// CHECK-NEXT: %[[V2:.*]] = opsir.logical_or %[[V1]], %s_2 : (tensor<4xi1>, i1) -> tensor<4xi1>
// CHECK-NEXT: func.return %[[V0]], %[[V2]] : tensor<4xf32>, tensor<4xi1>
func.func @weak_argument(%a: tensor<4xf32>, %s: !opsir.weak<int>, %b: tensor<4xi8>) -> (tensor<4x!opsir.infer>, tensor<4x!opsir.infer>) {
  %0 = opsir.mul %a, %s : (tensor<4xf32>, !opsir.weak<int>) -> tensor<4x!opsir.infer>
  %1 = opsir.lt %b, %s : (tensor<4xi8>, !opsir.weak<int>) -> tensor<4x!opsir.infer>
  func.return %0, %1 : tensor<4x!opsir.infer>, tensor<4x!opsir.infer>
}

// -----

// Every i8 is below 300: the comparison with the end of the range that says so.
// CHECK-LABEL: func.func @by_value
// CHECK-SAME: (%a: tensor<4xi8>) -> tensor<4xi1>
// CHECK-NEXT: %n = opsir.scalar 127 : i8
// CHECK-NEXT: %[[V0:.*]] = opsir.le %a, %n : (tensor<4xi8>, i8) -> tensor<4xi1>
// CHECK-NEXT: func.return %[[V0]] : tensor<4xi1>
func.func @by_value(%a: tensor<4xi8>) -> tensor<4x!opsir.infer> {
  %n = opsir.scalar 300 : !opsir.weak<int>
  %0 = opsir.lt %a, %n : (tensor<4xi8>, !opsir.weak<int>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

// Bounds of a clip go by value too.
// CHECK-LABEL: func.func @clip
// CHECK-SAME: (%a: tensor<4xui8>) -> tensor<4xui8>
// CHECK-NEXT: %n = opsir.scalar 0 : ui8
// CHECK-NEXT: %m = opsir.scalar 255 : ui8
// CHECK-NEXT: %[[V0:.*]] = opsir.clip %a, %n, %m : (tensor<4xui8>, ui8, ui8) -> tensor<4xui8>
// CHECK-NEXT: func.return %[[V0]] : tensor<4xui8>
func.func @clip(%a: tensor<4xui8>) -> tensor<4x!opsir.infer> {
  %n = opsir.scalar -5 : !opsir.weak<int>
  %m = opsir.scalar 1000 : !opsir.weak<int>
  %0 = opsir.clip %a, %n, %m : (tensor<4xui8>, !opsir.weak<int>, !opsir.weak<int>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

// u64 against a signed integer: both kept at 64 bits, compared exactly, never through f64.
// CHECK-LABEL: func.func @unsigned_against_signed
// CHECK-SAME: (%a: tensor<4xui64>, %b: tensor<4xi32>) -> tensor<4xi1>
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %b : tensor<4xi32> to tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = opsir.lt %a, %[[V0]] : (tensor<4xui64>, tensor<4xi64>) -> tensor<4xi1>
// CHECK-NEXT: func.return %[[V1]] : tensor<4xi1>
func.func @unsigned_against_signed(%a: tensor<4xui64>, %b: tensor<4xi32>) -> tensor<4x!opsir.infer> {
  %0 = opsir.lt %a, %b : (tensor<4xui64>, tensor<4xi32>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

// The condition becomes bool, the values have a dtype in common.
// CHECK-LABEL: func.func @where
// CHECK-SAME: (%c: tensor<4xf32>, %a: tensor<4xi16>, %b: tensor<4xui16>) -> tensor<4xi32>
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %c : tensor<4xf32> to tensor<4xi1>
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %a : tensor<4xi16> to tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = opsir.cast %b : tensor<4xui16> to tensor<4xi32>
// CHECK-NEXT: %[[V3:.*]] = opsir.where %[[V0]], %[[V1]], %[[V2]] : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: func.return %[[V3]] : tensor<4xi32>
func.func @where(%c: tensor<4xf32>, %a: tensor<4xi16>, %b: tensor<4xui16>) -> tensor<4x!opsir.infer> {
  %0 = opsir.where %c, %a, %b : (tensor<4xf32>, tensor<4xi16>, tensor<4xui16>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

// Three operands are weighed at once: u16, i16 and f32 fit f32, taken in pairs they would not.
// CHECK-LABEL: func.func @three
// CHECK-SAME: (%a: tensor<4xui16>, %b: tensor<4xi16>, %c: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : tensor<4xui16> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %b : tensor<4xi16> to tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = opsir.clip %[[V0]], %[[V1]], %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[V2]] : tensor<4xf32>
func.func @three(%a: tensor<4xui16>, %b: tensor<4xi16>, %c: tensor<4xf32>) -> tensor<4x!opsir.infer> {
  %0 = opsir.clip %a, %b, %c : (tensor<4xui16>, tensor<4xi16>, tensor<4xf32>) -> tensor<4x!opsir.infer>
  func.return %0 : tensor<4x!opsir.infer>
}

// -----

// Python numbers alone.
// CHECK-LABEL: func.func @numbers_alone
// CHECK-SAME: (%n: f64, %x: f64) -> f64 attributes {opsir.weak_args = [{argument = 0 : i64, source = 0 : i64, role = "convert", dtype = f64}, {argument = 1 : i64, source = 1 : i64, role = "convert", dtype = f64}]}
// CHECK-NEXT: %[[V0:.*]] = opsir.mul %n, %x : (f64, f64) -> f64
// CHECK-NEXT: func.return %[[V0]] : f64
func.func @numbers_alone(%n: !opsir.weak<int>, %x: !opsir.weak<float>) -> !opsir.infer {
  %0 = opsir.mul %n, %x : (!opsir.weak<int>, !opsir.weak<float>) -> !opsir.infer
  func.return %0 : !opsir.infer
}

// -----

// A size is an i64 like any other: what the types say decides.
// CHECK-LABEL: func.func @size
// CHECK-SAME: (%a: tensor<?xf32>) -> tensor<?xf64>
// CHECK-NEXT: %n = opsir.dim %a, 0 : tensor<?xf32>
// CHECK-NEXT: %[[V0:.*]] = opsir.cast %a : tensor<?xf32> to tensor<?xf64>
// CHECK-NEXT: %[[V1:.*]] = opsir.cast %n : i64 to f64
// CHECK-NEXT: %[[V2:.*]] = opsir.div %[[V0]], %[[V1]] : (tensor<?xf64>, f64) -> tensor<?xf64>
// CHECK-NEXT: func.return %[[V2]] : tensor<?xf64>
func.func @size(%a: tensor<?xf32>) -> tensor<?x!opsir.infer> {
  %n = opsir.dim %a, 0 : tensor<?xf32>
  %0 = opsir.div %a, %n : (tensor<?xf32>, i64) -> tensor<?x!opsir.infer>
  func.return %0 : tensor<?x!opsir.infer>
}

// -----

// Dtypes that are decided stay: running the pass again changes nothing.
// CHECK-LABEL: func.func @decided
// CHECK-SAME: (%a: tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT: %[[V0:.*]] = opsir.exp %a : (tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT: func.return %[[V0]] : tensor<4xf16>
func.func @decided(%a: tensor<4xf16>) -> tensor<4xf16> {
  %0 = opsir.exp %a : (tensor<4xf16>) -> tensor<4xf16>
  func.return %0 : tensor<4xf16>
}
