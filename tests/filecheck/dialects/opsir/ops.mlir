// RUN: OPSIR_ROUNDTRIP
// RUN: OPSIR_GENERIC PREFIX=GENERIC

// Every op in its custom form, on tensors and on scalars, and in the generic form.

// CHECK-LABEL: func.func @elementwise
// GENERIC-LABEL: sym_name = "elementwise"
func.func @elementwise(%f: tensor<4xf32>, %i: tensor<4xi32>, %b: tensor<4xi1>, %s: f32, %n: i32, %p: i1) {
  // CHECK-NEXT: opsir.add %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "opsir.add"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %add0 = opsir.add %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.add %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.add"(%s, %s) : (f32, f32) -> f32
  %add1 = opsir.add %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.sub %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.sub"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %sub0 = opsir.sub %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.sub %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.sub"(%s, %s) : (f32, f32) -> f32
  %sub1 = opsir.sub %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.mul %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.mul"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %mul0 = opsir.mul %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.mul %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.mul"(%s, %s) : (f32, f32) -> f32
  %mul1 = opsir.mul %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.div %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.div"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %div0 = opsir.div %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.div %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.div"(%s, %s) : (f32, f32) -> f32
  %div1 = opsir.div %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.div_trunc %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.div_trunc"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %div_trunc0 = opsir.div_trunc %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.div_trunc %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.div_trunc"(%s, %s) : (f32, f32) -> f32
  %div_trunc1 = opsir.div_trunc %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.div_floor %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.div_floor"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %div_floor0 = opsir.div_floor %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.div_floor %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.div_floor"(%s, %s) : (f32, f32) -> f32
  %div_floor1 = opsir.div_floor %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.rem %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.rem"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %rem0 = opsir.rem %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.rem %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.rem"(%s, %s) : (f32, f32) -> f32
  %rem1 = opsir.rem %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.mod %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.mod"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %mod0 = opsir.mod %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.mod %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.mod"(%s, %s) : (f32, f32) -> f32
  %mod1 = opsir.mod %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.pow %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.pow"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %pow0 = opsir.pow %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.pow %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.pow"(%s, %s) : (f32, f32) -> f32
  %pow1 = opsir.pow %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.neg %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.neg"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %neg0 = opsir.neg %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.neg %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.neg"(%s) : (f32) -> f32
  %neg1 = opsir.neg %s : (f32) -> f32
  // CHECK-NEXT: opsir.abs %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.abs"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %abs0 = opsir.abs %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.abs %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.abs"(%s) : (f32) -> f32
  %abs1 = opsir.abs %s : (f32) -> f32
  // CHECK-NEXT: opsir.sign %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.sign"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %sign0 = opsir.sign %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.sign %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.sign"(%s) : (f32) -> f32
  %sign1 = opsir.sign %s : (f32) -> f32
  // CHECK-NEXT: opsir.positive %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.positive"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %positive0 = opsir.positive %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.positive %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.positive"(%s) : (f32) -> f32
  %positive1 = opsir.positive %s : (f32) -> f32
  // CHECK-NEXT: opsir.square %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.square"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %square0 = opsir.square %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.square %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.square"(%s) : (f32) -> f32
  %square1 = opsir.square %s : (f32) -> f32
  // CHECK-NEXT: opsir.sqrt %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.sqrt"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %sqrt0 = opsir.sqrt %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.sqrt %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.sqrt"(%s) : (f32) -> f32
  %sqrt1 = opsir.sqrt %s : (f32) -> f32
  // CHECK-NEXT: opsir.rsqrt %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.rsqrt"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %rsqrt0 = opsir.rsqrt %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.rsqrt %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.rsqrt"(%s) : (f32) -> f32
  %rsqrt1 = opsir.rsqrt %s : (f32) -> f32
  // CHECK-NEXT: opsir.reciprocal %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.reciprocal"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %reciprocal0 = opsir.reciprocal %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.reciprocal %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.reciprocal"(%s) : (f32) -> f32
  %reciprocal1 = opsir.reciprocal %s : (f32) -> f32
  // CHECK-NEXT: opsir.fma %f, %f, %f : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.fma"(%f, %f, %f) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %fma0 = opsir.fma %f, %f, %f : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.fma %s, %s, %s : (f32, f32, f32) -> f32
  // GENERIC-NEXT: "opsir.fma"(%s, %s, %s) : (f32, f32, f32) -> f32
  %fma1 = opsir.fma %s, %s, %s : (f32, f32, f32) -> f32
  // CHECK-NEXT: opsir.minimum %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.minimum"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %minimum0 = opsir.minimum %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.minimum %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.minimum"(%s, %s) : (f32, f32) -> f32
  %minimum1 = opsir.minimum %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.maximum %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.maximum"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %maximum0 = opsir.maximum %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.maximum %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.maximum"(%s, %s) : (f32, f32) -> f32
  %maximum1 = opsir.maximum %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.fmin %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.fmin"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %fmin0 = opsir.fmin %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.fmin %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.fmin"(%s, %s) : (f32, f32) -> f32
  %fmin1 = opsir.fmin %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.fmax %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.fmax"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %fmax0 = opsir.fmax %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.fmax %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.fmax"(%s, %s) : (f32, f32) -> f32
  %fmax1 = opsir.fmax %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.clip %f, %f, %f : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.clip"(%f, %f, %f) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %clip0 = opsir.clip %f, %f, %f : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.clip %s, %s, %s : (f32, f32, f32) -> f32
  // GENERIC-NEXT: "opsir.clip"(%s, %s, %s) : (f32, f32, f32) -> f32
  %clip1 = opsir.clip %s, %s, %s : (f32, f32, f32) -> f32
  // CHECK-NEXT: opsir.eq %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.eq"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %eq0 = opsir.eq %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.eq %s, %s : (f32, f32) -> i1
  // GENERIC-NEXT: "opsir.eq"(%s, %s) : (f32, f32) -> i1
  %eq1 = opsir.eq %s, %s : (f32, f32) -> i1
  // CHECK-NEXT: opsir.ne %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.ne"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %ne0 = opsir.ne %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.ne %s, %s : (f32, f32) -> i1
  // GENERIC-NEXT: "opsir.ne"(%s, %s) : (f32, f32) -> i1
  %ne1 = opsir.ne %s, %s : (f32, f32) -> i1
  // CHECK-NEXT: opsir.lt %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.lt"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %lt0 = opsir.lt %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.lt %s, %s : (f32, f32) -> i1
  // GENERIC-NEXT: "opsir.lt"(%s, %s) : (f32, f32) -> i1
  %lt1 = opsir.lt %s, %s : (f32, f32) -> i1
  // CHECK-NEXT: opsir.le %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.le"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %le0 = opsir.le %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.le %s, %s : (f32, f32) -> i1
  // GENERIC-NEXT: "opsir.le"(%s, %s) : (f32, f32) -> i1
  %le1 = opsir.le %s, %s : (f32, f32) -> i1
  // CHECK-NEXT: opsir.gt %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.gt"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %gt0 = opsir.gt %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.gt %s, %s : (f32, f32) -> i1
  // GENERIC-NEXT: "opsir.gt"(%s, %s) : (f32, f32) -> i1
  %gt1 = opsir.gt %s, %s : (f32, f32) -> i1
  // CHECK-NEXT: opsir.ge %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.ge"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %ge0 = opsir.ge %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.ge %s, %s : (f32, f32) -> i1
  // GENERIC-NEXT: "opsir.ge"(%s, %s) : (f32, f32) -> i1
  %ge1 = opsir.ge %s, %s : (f32, f32) -> i1
  // CHECK-NEXT: opsir.logical_and %b, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.logical_and"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %logical_and0 = opsir.logical_and %b, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.logical_and %p, %p : (i1, i1) -> i1
  // GENERIC-NEXT: "opsir.logical_and"(%p, %p) : (i1, i1) -> i1
  %logical_and1 = opsir.logical_and %p, %p : (i1, i1) -> i1
  // CHECK-NEXT: opsir.logical_or %b, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.logical_or"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %logical_or0 = opsir.logical_or %b, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.logical_or %p, %p : (i1, i1) -> i1
  // GENERIC-NEXT: "opsir.logical_or"(%p, %p) : (i1, i1) -> i1
  %logical_or1 = opsir.logical_or %p, %p : (i1, i1) -> i1
  // CHECK-NEXT: opsir.logical_xor %b, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.logical_xor"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %logical_xor0 = opsir.logical_xor %b, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.logical_xor %p, %p : (i1, i1) -> i1
  // GENERIC-NEXT: "opsir.logical_xor"(%p, %p) : (i1, i1) -> i1
  %logical_xor1 = opsir.logical_xor %p, %p : (i1, i1) -> i1
  // CHECK-NEXT: opsir.logical_not %b : (tensor<4xi1>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.logical_not"(%b) : (tensor<4xi1>) -> tensor<4xi1>
  %logical_not0 = opsir.logical_not %b : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.logical_not %p : (i1) -> i1
  // GENERIC-NEXT: "opsir.logical_not"(%p) : (i1) -> i1
  %logical_not1 = opsir.logical_not %p : (i1) -> i1
  // CHECK-NEXT: opsir.bitwise_and %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // GENERIC-NEXT: "opsir.bitwise_and"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %bitwise_and0 = opsir.bitwise_and %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: opsir.bitwise_and %n, %n : (i32, i32) -> i32
  // GENERIC-NEXT: "opsir.bitwise_and"(%n, %n) : (i32, i32) -> i32
  %bitwise_and1 = opsir.bitwise_and %n, %n : (i32, i32) -> i32
  // CHECK-NEXT: opsir.bitwise_or %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // GENERIC-NEXT: "opsir.bitwise_or"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %bitwise_or0 = opsir.bitwise_or %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: opsir.bitwise_or %n, %n : (i32, i32) -> i32
  // GENERIC-NEXT: "opsir.bitwise_or"(%n, %n) : (i32, i32) -> i32
  %bitwise_or1 = opsir.bitwise_or %n, %n : (i32, i32) -> i32
  // CHECK-NEXT: opsir.bitwise_xor %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // GENERIC-NEXT: "opsir.bitwise_xor"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %bitwise_xor0 = opsir.bitwise_xor %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: opsir.bitwise_xor %n, %n : (i32, i32) -> i32
  // GENERIC-NEXT: "opsir.bitwise_xor"(%n, %n) : (i32, i32) -> i32
  %bitwise_xor1 = opsir.bitwise_xor %n, %n : (i32, i32) -> i32
  // CHECK-NEXT: opsir.bitwise_not %i : (tensor<4xi32>) -> tensor<4xi32>
  // GENERIC-NEXT: "opsir.bitwise_not"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  %bitwise_not0 = opsir.bitwise_not %i : (tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: opsir.bitwise_not %n : (i32) -> i32
  // GENERIC-NEXT: "opsir.bitwise_not"(%n) : (i32) -> i32
  %bitwise_not1 = opsir.bitwise_not %n : (i32) -> i32
  // CHECK-NEXT: opsir.shift_left %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // GENERIC-NEXT: "opsir.shift_left"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %shift_left0 = opsir.shift_left %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: opsir.shift_left %n, %n : (i32, i32) -> i32
  // GENERIC-NEXT: "opsir.shift_left"(%n, %n) : (i32, i32) -> i32
  %shift_left1 = opsir.shift_left %n, %n : (i32, i32) -> i32
  // CHECK-NEXT: opsir.shift_right %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // GENERIC-NEXT: "opsir.shift_right"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %shift_right0 = opsir.shift_right %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: opsir.shift_right %n, %n : (i32, i32) -> i32
  // GENERIC-NEXT: "opsir.shift_right"(%n, %n) : (i32, i32) -> i32
  %shift_right1 = opsir.shift_right %n, %n : (i32, i32) -> i32
  // CHECK-NEXT: opsir.where %b, %f, %f : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.where"(%b, %f, %f) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %where0 = opsir.where %b, %f, %f : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.where %p, %s, %s : (i1, f32, f32) -> f32
  // GENERIC-NEXT: "opsir.where"(%p, %s, %s) : (i1, f32, f32) -> f32
  %where1 = opsir.where %p, %s, %s : (i1, f32, f32) -> f32
  // CHECK-NEXT: opsir.floor %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.floor"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %floor0 = opsir.floor %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.floor %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.floor"(%s) : (f32) -> f32
  %floor1 = opsir.floor %s : (f32) -> f32
  // CHECK-NEXT: opsir.ceil %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.ceil"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %ceil0 = opsir.ceil %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.ceil %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.ceil"(%s) : (f32) -> f32
  %ceil1 = opsir.ceil %s : (f32) -> f32
  // CHECK-NEXT: opsir.trunc %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.trunc"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %trunc0 = opsir.trunc %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.trunc %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.trunc"(%s) : (f32) -> f32
  %trunc1 = opsir.trunc %s : (f32) -> f32
  // CHECK-NEXT: opsir.rint %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.rint"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %rint0 = opsir.rint %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.rint %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.rint"(%s) : (f32) -> f32
  %rint1 = opsir.rint %s : (f32) -> f32
  // CHECK-NEXT: opsir.round %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.round"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %round0 = opsir.round %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.round %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.round"(%s) : (f32) -> f32
  %round1 = opsir.round %s : (f32) -> f32
  // CHECK-NEXT: opsir.isnan %f : (tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.isnan"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  %isnan0 = opsir.isnan %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.isnan %s : (f32) -> i1
  // GENERIC-NEXT: "opsir.isnan"(%s) : (f32) -> i1
  %isnan1 = opsir.isnan %s : (f32) -> i1
  // CHECK-NEXT: opsir.isinf %f : (tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.isinf"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  %isinf0 = opsir.isinf %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.isinf %s : (f32) -> i1
  // GENERIC-NEXT: "opsir.isinf"(%s) : (f32) -> i1
  %isinf1 = opsir.isinf %s : (f32) -> i1
  // CHECK-NEXT: opsir.isfinite %f : (tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.isfinite"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  %isfinite0 = opsir.isfinite %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.isfinite %s : (f32) -> i1
  // GENERIC-NEXT: "opsir.isfinite"(%s) : (f32) -> i1
  %isfinite1 = opsir.isfinite %s : (f32) -> i1
  // CHECK-NEXT: opsir.signbit %f : (tensor<4xf32>) -> tensor<4xi1>
  // GENERIC-NEXT: "opsir.signbit"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  %signbit0 = opsir.signbit %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: opsir.signbit %s : (f32) -> i1
  // GENERIC-NEXT: "opsir.signbit"(%s) : (f32) -> i1
  %signbit1 = opsir.signbit %s : (f32) -> i1
  // CHECK-NEXT: opsir.copysign %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.copysign"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %copysign0 = opsir.copysign %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.copysign %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.copysign"(%s, %s) : (f32, f32) -> f32
  %copysign1 = opsir.copysign %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.hypot %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.hypot"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %hypot0 = opsir.hypot %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.hypot %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.hypot"(%s, %s) : (f32, f32) -> f32
  %hypot1 = opsir.hypot %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.heaviside %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.heaviside"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %heaviside0 = opsir.heaviside %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.heaviside %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.heaviside"(%s, %s) : (f32, f32) -> f32
  %heaviside1 = opsir.heaviside %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.nextafter %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.nextafter"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nextafter0 = opsir.nextafter %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.nextafter %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.nextafter"(%s, %s) : (f32, f32) -> f32
  %nextafter1 = opsir.nextafter %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.exp %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.exp"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %exp0 = opsir.exp %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.exp %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.exp"(%s) : (f32) -> f32
  %exp1 = opsir.exp %s : (f32) -> f32
  // CHECK-NEXT: opsir.exp2 %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.exp2"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %exp20 = opsir.exp2 %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.exp2 %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.exp2"(%s) : (f32) -> f32
  %exp21 = opsir.exp2 %s : (f32) -> f32
  // CHECK-NEXT: opsir.expm1 %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.expm1"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %expm10 = opsir.expm1 %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.expm1 %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.expm1"(%s) : (f32) -> f32
  %expm11 = opsir.expm1 %s : (f32) -> f32
  // CHECK-NEXT: opsir.log %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.log"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %log0 = opsir.log %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.log %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.log"(%s) : (f32) -> f32
  %log1 = opsir.log %s : (f32) -> f32
  // CHECK-NEXT: opsir.log2 %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.log2"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %log20 = opsir.log2 %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.log2 %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.log2"(%s) : (f32) -> f32
  %log21 = opsir.log2 %s : (f32) -> f32
  // CHECK-NEXT: opsir.log10 %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.log10"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %log100 = opsir.log10 %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.log10 %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.log10"(%s) : (f32) -> f32
  %log101 = opsir.log10 %s : (f32) -> f32
  // CHECK-NEXT: opsir.log1p %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.log1p"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %log1p0 = opsir.log1p %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.log1p %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.log1p"(%s) : (f32) -> f32
  %log1p1 = opsir.log1p %s : (f32) -> f32
  // CHECK-NEXT: opsir.sin %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.sin"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %sin0 = opsir.sin %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.sin %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.sin"(%s) : (f32) -> f32
  %sin1 = opsir.sin %s : (f32) -> f32
  // CHECK-NEXT: opsir.cos %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.cos"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %cos0 = opsir.cos %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.cos %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.cos"(%s) : (f32) -> f32
  %cos1 = opsir.cos %s : (f32) -> f32
  // CHECK-NEXT: opsir.tan %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.tan"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %tan0 = opsir.tan %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.tan %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.tan"(%s) : (f32) -> f32
  %tan1 = opsir.tan %s : (f32) -> f32
  // CHECK-NEXT: opsir.asin %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.asin"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %asin0 = opsir.asin %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.asin %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.asin"(%s) : (f32) -> f32
  %asin1 = opsir.asin %s : (f32) -> f32
  // CHECK-NEXT: opsir.acos %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.acos"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %acos0 = opsir.acos %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.acos %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.acos"(%s) : (f32) -> f32
  %acos1 = opsir.acos %s : (f32) -> f32
  // CHECK-NEXT: opsir.atan %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.atan"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %atan0 = opsir.atan %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.atan %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.atan"(%s) : (f32) -> f32
  %atan1 = opsir.atan %s : (f32) -> f32
  // CHECK-NEXT: opsir.atan2 %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.atan2"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %atan20 = opsir.atan2 %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.atan2 %s, %s : (f32, f32) -> f32
  // GENERIC-NEXT: "opsir.atan2"(%s, %s) : (f32, f32) -> f32
  %atan21 = opsir.atan2 %s, %s : (f32, f32) -> f32
  // CHECK-NEXT: opsir.sinh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.sinh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %sinh0 = opsir.sinh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.sinh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.sinh"(%s) : (f32) -> f32
  %sinh1 = opsir.sinh %s : (f32) -> f32
  // CHECK-NEXT: opsir.cosh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.cosh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %cosh0 = opsir.cosh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.cosh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.cosh"(%s) : (f32) -> f32
  %cosh1 = opsir.cosh %s : (f32) -> f32
  // CHECK-NEXT: opsir.tanh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.tanh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %tanh0 = opsir.tanh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.tanh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.tanh"(%s) : (f32) -> f32
  %tanh1 = opsir.tanh %s : (f32) -> f32
  // CHECK-NEXT: opsir.asinh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.asinh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %asinh0 = opsir.asinh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.asinh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.asinh"(%s) : (f32) -> f32
  %asinh1 = opsir.asinh %s : (f32) -> f32
  // CHECK-NEXT: opsir.acosh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.acosh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %acosh0 = opsir.acosh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.acosh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.acosh"(%s) : (f32) -> f32
  %acosh1 = opsir.acosh %s : (f32) -> f32
  // CHECK-NEXT: opsir.atanh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.atanh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %atanh0 = opsir.atanh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.atanh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.atanh"(%s) : (f32) -> f32
  %atanh1 = opsir.atanh %s : (f32) -> f32
  // CHECK-NEXT: opsir.cbrt %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.cbrt"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %cbrt0 = opsir.cbrt %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.cbrt %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.cbrt"(%s) : (f32) -> f32
  %cbrt1 = opsir.cbrt %s : (f32) -> f32
  // CHECK-NEXT: opsir.erf %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.erf"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %erf0 = opsir.erf %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.erf %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.erf"(%s) : (f32) -> f32
  %erf1 = opsir.erf %s : (f32) -> f32
  // CHECK-NEXT: opsir.erfc %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.erfc"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %erfc0 = opsir.erfc %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.erfc %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.erfc"(%s) : (f32) -> f32
  %erfc1 = opsir.erfc %s : (f32) -> f32
  // CHECK-NEXT: opsir.sigmoid %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.sigmoid"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %sigmoid0 = opsir.sigmoid %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.sigmoid %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.sigmoid"(%s) : (f32) -> f32
  %sigmoid1 = opsir.sigmoid %s : (f32) -> f32
  // CHECK-NEXT: opsir.softplus %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.softplus"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %softplus0 = opsir.softplus %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.softplus %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.softplus"(%s) : (f32) -> f32
  %softplus1 = opsir.softplus %s : (f32) -> f32
  // CHECK-NEXT: opsir.relu %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.relu"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %relu0 = opsir.relu %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.relu %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.relu"(%s) : (f32) -> f32
  %relu1 = opsir.relu %s : (f32) -> f32
  // CHECK-NEXT: opsir.silu %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.silu"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %silu0 = opsir.silu %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.silu %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.silu"(%s) : (f32) -> f32
  %silu1 = opsir.silu %s : (f32) -> f32
  // CHECK-NEXT: opsir.gelu %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.gelu"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %gelu0 = opsir.gelu %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.gelu %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.gelu"(%s) : (f32) -> f32
  %gelu1 = opsir.gelu %s : (f32) -> f32
  // CHECK-NEXT: opsir.gelu_tanh %f : (tensor<4xf32>) -> tensor<4xf32>
  // GENERIC-NEXT: "opsir.gelu_tanh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %gelu_tanh0 = opsir.gelu_tanh %f : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: opsir.gelu_tanh %s : (f32) -> f32
  // GENERIC-NEXT: "opsir.gelu_tanh"(%s) : (f32) -> f32
  %gelu_tanh1 = opsir.gelu_tanh %s : (f32) -> f32
  func.return
}

// -----

// Before promote-types dtypes may mix and numbers be weak; the result is not decided.
// CHECK-LABEL: func.func @undecided
// GENERIC-LABEL: sym_name = "undecided"
func.func @undecided(%a: tensor<?xi8>, %b: tensor<4x?xf64>, %n: !opsir.weak<int>, %x: !opsir.weak<float>) {
  // CHECK-NEXT: %{{.*}} = opsir.add %a, %b : (tensor<?xi8>, tensor<4x?xf64>) -> tensor<*x!opsir.infer>
  // GENERIC: "opsir.add"(%a, %b) : (tensor<?xi8>, tensor<4x?xf64>) -> tensor<*x!opsir.infer>
  %0 = opsir.add %a, %b : (tensor<?xi8>, tensor<4x?xf64>) -> tensor<*x!opsir.infer>
  // CHECK-NEXT: %{{.*}} = opsir.mul %{{.*}}, %x : (tensor<*x!opsir.infer>, !opsir.weak<float>) -> tensor<*x!opsir.infer>
  // GENERIC-NEXT: "opsir.mul"
  %1 = opsir.mul %0, %x : (tensor<*x!opsir.infer>, !opsir.weak<float>) -> tensor<*x!opsir.infer>
  // CHECK-NEXT: %{{.*}} = opsir.sub %n, %x : (!opsir.weak<int>, !opsir.weak<float>) -> !opsir.infer
  // GENERIC-NEXT: "opsir.sub"
  %2 = opsir.sub %n, %x : (!opsir.weak<int>, !opsir.weak<float>) -> !opsir.infer
  func.return
}

// -----

// CHECK-LABEL: func.func @broadcast
// GENERIC-LABEL: sym_name = "broadcast"
func.func @broadcast(%v: tensor<3xf32>, %s: f32, %n: tensor<?x1xf32, #opsir.layout<sizes [n]>>) {
  // CHECK-NEXT: opsir.broadcast %v : tensor<3xf32> to tensor<2x3xf32>
  // GENERIC: "opsir.broadcast"(%v) : (tensor<3xf32>) -> tensor<2x3xf32>
  %0 = opsir.broadcast %v : tensor<3xf32> to tensor<2x3xf32>
  // CHECK-NEXT: opsir.broadcast %v axes [1] : tensor<3xf32> to tensor<2x3x4x4xf32>
  // GENERIC-NEXT: "opsir.broadcast"(%v) <{axes = array<i64: 1>}> : (tensor<3xf32>) -> tensor<2x3x4x4xf32>
  %1 = opsir.broadcast %v axes [1] : tensor<3xf32> to tensor<2x3x4x4xf32>
  // CHECK-NEXT: opsir.broadcast %s : f32 to tensor<2xf32>
  // GENERIC-NEXT: "opsir.broadcast"(%s) : (f32) -> tensor<2xf32>
  %2 = opsir.broadcast %s : f32 to tensor<2xf32>
  // CHECK-NEXT: opsir.broadcast %n : tensor<?x1xf32, #opsir.layout<sizes [n]>> to tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
  // GENERIC-NEXT: "opsir.broadcast"
  %3 = opsir.broadcast %n : tensor<?x1xf32, #opsir.layout<sizes [n]>> to tensor<?x?xf32, #opsir.layout<sizes [n, m]>>
  func.return
}

// -----

// CHECK-LABEL: func.func @cast
// GENERIC-LABEL: sym_name = "cast"
func.func @cast(%v: tensor<3xf32>, %s: ui8, %n: !opsir.weak<int>) {
  // CHECK-NEXT: opsir.cast %v : tensor<3xf32> to tensor<3xbf16>
  // GENERIC: "opsir.cast"(%v) : (tensor<3xf32>) -> tensor<3xbf16>
  %0 = opsir.cast %v : tensor<3xf32> to tensor<3xbf16>
  // CHECK-NEXT: opsir.cast %s : ui8 to f16
  // GENERIC-NEXT: "opsir.cast"(%s) : (ui8) -> f16
  %1 = opsir.cast %s : ui8 to f16
  // CHECK-NEXT: opsir.cast %n {casting = "same_kind"} : !opsir.weak<int> to f64
  // GENERIC-NEXT: "opsir.cast"(%n) <{casting = "same_kind"}> : (!opsir.weak<int>) -> f64
  %2 = opsir.cast %n {casting = "same_kind"} : !opsir.weak<int> to f64
  func.return
}

// -----

// Literals keep their bits; what is not finite is written as its pattern.
// CHECK-LABEL: func.func @literals
// GENERIC-LABEL: sym_name = "literals"
func.func @literals() {
  // CHECK-NEXT: opsir.scalar 0.5 : f32
  // GENERIC: "opsir.scalar"() <{value = #opsir.number<"0.5">}> : () -> f32
  %0 = opsir.scalar 0.5 : f32
  // CHECK-NEXT: opsir.scalar -0.0 : f64
  // GENERIC-NEXT: value = #opsir.number<"-0.0">
  %1 = opsir.scalar -0.0 : f64
  // CHECK-NEXT: opsir.scalar 0.1 : f32
  // GENERIC-NEXT: value = #opsir.number<"0.1">
  %2 = opsir.scalar 0.100000001 : f32
  // CHECK-NEXT: opsir.scalar 1.0e-45 : f32
  // GENERIC-NEXT: value = #opsir.number<"1.0e-45">
  %3 = opsir.scalar 1.0e-45 : f32
  // CHECK-NEXT: opsir.scalar 0x7F800000 : f32
  // GENERIC-NEXT: value = #opsir.number<"0x7F800000">
  %4 = opsir.scalar 1.0e40 : f32
  // CHECK-NEXT: opsir.scalar 0xFFC00001 : f32
  // GENERIC-NEXT: value = #opsir.number<"0xFFC00001">
  %5 = opsir.scalar 0xFFC00001 : f32
  // CHECK-NEXT: opsir.scalar 0x7C00 : f16
  // GENERIC-NEXT: value = #opsir.number<"0x7C00">
  %6 = opsir.scalar 0x7C00 : f16
  // CHECK-NEXT: opsir.scalar 1.0 : bf16
  // GENERIC-NEXT: value = #opsir.number<"1.0">
  %7 = opsir.scalar 0x3F80 : bf16
  // CHECK-NEXT: opsir.scalar 18446744073709551615 : ui64
  // GENERIC-NEXT: value = #opsir.number<"18446744073709551615">
  %8 = opsir.scalar 18446744073709551615 : ui64
  // CHECK-NEXT: opsir.scalar -128 : i8
  // GENERIC-NEXT: value = #opsir.number<"-128">
  %9 = opsir.scalar -128 : i8
  // CHECK-NEXT: opsir.scalar true : i1
  // GENERIC-NEXT: value = #opsir.number<"true">
  %10 = opsir.scalar true : i1
  // CHECK-NEXT: opsir.scalar 100000000000000000000000000000 : !opsir.weak<int>
  // GENERIC-NEXT: value = #opsir.number<"100000000000000000000000000000">
  %11 = opsir.scalar 100000000000000000000000000000 : !opsir.weak<int>
  // CHECK-NEXT: opsir.scalar 0.1 : !opsir.weak<float>
  // GENERIC-NEXT: value = #opsir.number<"0.1">
  %12 = opsir.scalar 0.1 : !opsir.weak<float>
  func.return
}

// -----

// CHECK-LABEL: func.func @sizes
// GENERIC-LABEL: sym_name = "sizes"
func.func @sizes(%a: tensor<?x4xf32>, %b: tensor<?xf32>) {
  // CHECK-NEXT: opsir.dim %a, 0 : tensor<?x4xf32>
  // GENERIC: "opsir.dim"(%a) <{axis = 0 : i64}> : (tensor<?x4xf32>) -> i64
  %0 = opsir.dim %a, 0 : tensor<?x4xf32>
  // CHECK-NEXT: opsir.require_equal %a[0], %b[0] : tensor<?x4xf32>, tensor<?xf32>
  // GENERIC-NEXT: "opsir.require_equal"(%a, %b) <{axes = [0 : i64, 0 : i64]}>
  opsir.require_equal %a[0], %b[0] : tensor<?x4xf32>, tensor<?xf32>
  func.return
}

// -----

// CHECK-LABEL: func.func @group
// GENERIC-LABEL: sym_name = "group"
func.func @group(%a: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK-NEXT: %{{.*}}, %{{.*}} = opsir.fused(%a, %s) : (tensor<4xf32>, f32) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: f32):
  // GENERIC: "opsir.fused"(%a, %s) ({
  %0, %1 = opsir.fused(%a, %s) : (tensor<4xf32>, f32) -> (tensor<4xf32>, tensor<4xi1>) {
  ^bb0(%x: tensor<4xf32>, %y: f32):
    // CHECK: opsir.add
    %2 = opsir.add %x, %y : (tensor<4xf32>, f32) -> tensor<4xf32>
    %3 = opsir.isnan %2 : (tensor<4xf32>) -> tensor<4xi1>
    // CHECK: opsir.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi1>
    opsir.yield %2, %3 : tensor<4xf32>, tensor<4xi1>
  }
  func.return %0, %1 : tensor<4xf32>, tensor<4xi1>
}

// -----

// A layout names sizes and gives strides in bytes; what goes without saying is left out.
// CHECK-LABEL: func.func @layouts
// CHECK-SAME: tensor<?x4xf32, #opsir.layout<sizes [n]>>
// CHECK-SAME: tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, n*4]>>
// CHECK-SAME: tensor<4xf32, #opsir.layout<strides [-4]>>
// CHECK-SAME: tensor<4xf32, #opsir.layout<strides [s], start 8>>
// CHECK-SAME: tensor<4x?xf32, #opsir.layout<sizes [n], strides [s, t], order [1, 0]>>
// GENERIC-LABEL: sym_name = "layouts"
func.func @layouts(%a: tensor<?x4xf32, #opsir.layout<sizes [n]>>,
    %b: tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [4, 4*n]>>,
    %c: tensor<4xf32, #opsir.layout<strides [-4], start 0>>,
    %d: tensor<4xf32, #opsir.layout<strides [s], start 8>>,
    %e: tensor<4x?xf32, #opsir.layout<order [1, 0], sizes [n], strides [s, t]>>) {
  func.return
}

// -----

// Views: the text of each kind; a reshape is told by its result.
// CHECK-LABEL: func.func @views
// GENERIC-LABEL: sym_name = "views"
func.func @views(%a: tensor<?x4xf32>) {
  // CHECK-NEXT: %{{.*}} = opsir.permute %a [1, 0] : tensor<?x4xf32> to tensor<4x?xf32>
  // GENERIC: "opsir.permute"(%a) <{view = #opsir.view<permute [1, 0]>}>
  %0 = opsir.permute %a [1, 0] : tensor<?x4xf32> to tensor<4x?xf32>
  // CHECK-NEXT: opsir.slice %a [1:, ::-2] : tensor<?x4xf32> to tensor<?x2xf32>
  // GENERIC: "opsir.slice"(%a) <{view = #opsir.view<slice [1:, ::-2]>}>
  %1 = opsir.slice %a [1:, ::-2] : tensor<?x4xf32> to tensor<?x2xf32>
  // CHECK-NEXT: opsir.slice %a [-1:1:-1, -2] : tensor<?x4xf32> to tensor<?xf32>
  // GENERIC: "opsir.slice"(%a) <{view = #opsir.view<slice [-1:1:-1, -2]>}>
  %2 = opsir.slice %a [-1:1:-1, -2] : tensor<?x4xf32> to tensor<?xf32>
  // CHECK-NEXT: opsir.flip %a [0, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // GENERIC: "opsir.flip"(%a) <{view = #opsir.view<flip [0, 1]>}>
  %3 = opsir.flip %a [0, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK-NEXT: opsir.expand_dims %a [1] : tensor<?x4xf32> to tensor<?x1x4xf32>
  // GENERIC: "opsir.expand_dims"(%a) <{view = #opsir.view<expand_dims [1]>}>
  %4 = opsir.expand_dims %a [1] : tensor<?x4xf32> to tensor<?x1x4xf32>
  // CHECK-NEXT: opsir.squeeze %{{.*}} [1] : tensor<?x1x4xf32> to tensor<?x4xf32>
  // GENERIC: "opsir.squeeze"(%{{.*}}) <{view = #opsir.view<squeeze [1]>}>
  %5 = opsir.squeeze %4 [1] : tensor<?x1x4xf32> to tensor<?x4xf32>
  // CHECK-NEXT: opsir.diagonal %a [0, 1] offset -1 : tensor<?x4xf32> to tensor<?xf32>
  // GENERIC: "opsir.diagonal"(%a) <{view = #opsir.view<diagonal [0, 1] offset -1>}>
  %6 = opsir.diagonal %a [0, 1] offset -1 : tensor<?x4xf32> to tensor<?xf32>
  // CHECK-NEXT: opsir.reshape %a : tensor<?x4xf32> to tensor<?x2x2xf32>
  // GENERIC: "opsir.reshape"(%a) : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
  %7 = opsir.reshape %a : tensor<?x4xf32> to tensor<?x2x2xf32>
  // CHECK-NEXT: opsir.copy %a : tensor<?x4xf32> to tensor<?x4xf32>
  // GENERIC: "opsir.copy"(%a) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %8 = opsir.copy %a : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK-NEXT: opsir.bind_sizes [v, 3] = slice [1:, :, 0] of [n, 3, m]
  // GENERIC: "opsir.bind_sizes"() <{binding = #opsir.size_binding<[v, 3] = slice [1:, :, 0] of [n, 3, m]>}>
  opsir.bind_sizes [v, 3] = slice [1:, :, 0] of [n, 3, m]
  // CHECK-NEXT: opsir.bind_sizes [w] = reshape [-1] of [n, 3]
  opsir.bind_sizes [w] = reshape [-1] of [n, 3]
  func.return
}
