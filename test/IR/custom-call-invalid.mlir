// RUN: tally-opt %s --split-input-file --verify-diagnostics

func.func @bounds(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{'tally.custom_call' op gives 1 bounds for 2 dynamic dimensions of its results; each needs one, in order}}
  %y, %z = tally.custom_call @f(%x) bounds(%n) : (tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?xi8>)
  return
}

// -----

func.func @argument(%x: tensor<2xcomplex<f32>>) {
  // expected-error @below {{argument 0 of type 'tensor<2xcomplex<f32>>' cannot be passed to a custom function: it takes numbers and ranked tensors of i1, i8, i16, i32, i64, index, f16, bf16, f32 and f64}}
  tally.custom_call @f(%x) : (tensor<2xcomplex<f32>>) -> ()
  return
}

// -----

func.func @result() {
  // expected-error @below {{result 1 of type 'tensor<*xf32>' cannot be passed to a custom function}}
  %y:2 = tally.custom_call @f() : () -> (i64, tensor<*xf32>)
  return
}

// -----

func.func @type(%x: i4) {
  // expected-error @below {{argument 0 of type 'i4' cannot be passed to a custom function}}
  tally.custom_call @f(%x) : (i4) -> ()
  return
}

// -----

func.func @name() {
  // expected-error @below {{calls 'a-b', which cannot name a C function}}
  tally.custom_call @"a-b"() : () -> ()
  return
}

// -----

func.func @reserved() {
  // expected-error @below {{calls 'tally_rt_free': names that start with 'tally_' belong to the runtime}}
  tally.custom_call @tally_rt_free() : () -> ()
  return
}

// -----

func.func @path(%n: index) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{binds 'u0' to dimension 1 of a tensor of rank 1}}
  %y = tally.custom_call @f() bounds(%n) : () -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(1)>
  return
}

// -----

func.func @sizes(%x: tensor<?xf32>) {
  // expected-error @below {{'tally.custom_call_dps' op returns 0 sizes for 1 dynamic dimensions of its outputs}}
  %y = tally.custom_call_dps @f outs(%x : tensor<?xf32>) is_scalar [false] -> (tensor<?xf32>)
  return
}

// -----

func.func @tensors(%x: tensor<3xf32>) {
  // expected-error @below {{returns other tensors than its outputs}}
  %y = tally.custom_call_dps @f outs(%x : tensor<3xf32>) is_scalar [false] -> (tensor<4xf32>)
  return
}

// -----

func.func @numbers(%x: tensor<3xf32>) {
  // expected-error @below {{'is_scalar' needs true for each number that it returns, and false for each output}}
  %y, %n = tally.custom_call_dps @f outs(%x : tensor<3xf32>) is_scalar [false] -> (tensor<3xf32>) scalars(i64)
  return
}
