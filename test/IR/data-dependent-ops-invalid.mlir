// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @mask_shape(%x: tensor<?x4xf32>, %m: tensor<?x1xi1>) {
  // expected-error @below {{'tally.masked_select' op needs a mask of the shape of its source, not 'tensor<?x1xi1>' for 'tensor<?x4xf32>'; broadcast them}}
  %r = tally.masked_select %x, %m : tensor<?x4xf32>, tensor<?x1xi1>
  return
}

// -----

func.func @mask_rank(%x: tensor<?x4xf32>, %m: tensor<?xi1>) {
  // expected-error @below {{'tally.masked_select' op needs a mask of the shape of its source}}
  %r = tally.masked_select %x, %m : tensor<?x4xf32>, tensor<?xi1>
  return
}

// -----

func.func @mask_type(%x: tensor<?xf32>, %m: tensor<?xi8>) {
  // expected-error @below {{'tally.masked_select' op operand #1 must be ranked tensor of 1-bit signless integer values, but got 'tensor<?xi8>'}}
  %r = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi8>
  return
}

// -----

func.func @selected_type(%x: tensor<?xf32>, %m: tensor<?xi1>) {
  // expected-error @below {{'tally.masked_select' op inferred type(s) 'tensor<?xf32>' are incompatible with return type(s) of operation 'tensor<?xf64>'}}
  // expected-error @below {{failed to infer returned types}}
  %r = "tally.masked_select"(%x, %m) : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf64>
  return
}

// -----

func.func @unique_unsigned(%x: tensor<?xui8>) {
  // expected-error @below {{'tally.unique' op cannot sort elements of type 'ui8'}}
  %v, %i, %c = tally.unique %x : tensor<?xui8>
  return
}

// -----

func.func @unique_complex(%x: tensor<?xcomplex<f32>>) {
  // expected-error @below {{'tally.unique' op cannot sort elements of type 'complex<f32>'}}
  %v, %i, %c = tally.unique %x : tensor<?xcomplex<f32>>
  return
}

// -----

func.func @repeat_matrix(%n: tensor<?x?xi64>) {
  // expected-error @below {{'tally.repeat_interleave' op operand #0 must be 1D tensor of 64-bit signless integer values, but got 'tensor<?x?xi64>'}}
  %r = tally.repeat_interleave %n : tensor<?x?xi64>
  return
}

// -----

func.func @repeat_floats(%n: tensor<?xf32>) {
  // expected-error @below {{'tally.repeat_interleave' op operand #0 must be 1D tensor of 64-bit signless integer values, but got 'tensor<?xf32>'}}
  %r = tally.repeat_interleave %n : tensor<?xf32>
  return
}

// -----

func.func @bincount_booleans(%v: tensor<?xi64>, %w: tensor<?xi1>, %n: index) {
  // expected-error @below {{'tally.bincount' op cannot add weights of type 'i1'}}
  %r = tally.bincount %v minlength %n weights %w : tensor<?xi64>, tensor<?xi1>
  return
}

// -----

func.func @bincount_weights(%v: tensor<3xi64>, %w: tensor<4xf32>, %n: index) {
  // expected-error @below {{'tally.bincount' op needs a weight for each value, not 'tensor<4xf32>' for 'tensor<3xi64>'}}
  %r = tally.bincount %v minlength %n weights %w : tensor<3xi64>, tensor<4xf32>
  return
}

// -----

func.func @bincount_small(%v: tensor<?xi8>, %n: index) {
  // expected-error @below {{'tally.bincount' op operand #0 must be 1D tensor of 64-bit signless integer values, but got 'tensor<?xi8>'}}
  %r = tally.bincount %v minlength %n : tensor<?xi8>
  return
}

// -----

func.func @slice_step(%x: tensor<?xf32>, %i: index) {
  // expected-error @below {{'tally.slice' op attribute 'step' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r = tally.slice %x[%i to %i step 0] dim 0 : tensor<?xf32>
  return
}

// -----

func.func @slice_dim(%x: tensor<?xf32>, %i: index) {
  // expected-error @below {{there is no dimension 1 in 'tensor<?xf32>'}}
  %r = tally.slice %x[%i to %i] dim 1 : tensor<?xf32>
  return
}

// -----

func.func @slice_of_scalar(%x: tensor<f32>, %i: index) {
  // expected-error @below {{there is no dimension 0 in 'tensor<f32>'}}
  %r = tally.slice %x[%i to %i] dim 0 : tensor<f32>
  return
}

// -----

func.func @select_dim(%x: tensor<?x2xf32>, %i: index) {
  // expected-error @below {{there is no dimension 2 in 'tensor<?x2xf32>'}}
  %r = tally.select %x[%i] dim 2 : tensor<?x2xf32>
  return
}

// -----

func.func @negative_dim(%x: tensor<?x2xf32>, %i: index) {
  // expected-error @below {{there is no dimension -1 in 'tensor<?x2xf32>'}}
  %r = tally.select %x[%i] dim -1 : tensor<?x2xf32>
  return
}

// -----

func.func @split_dim(%x: tensor<?x2xf32>, %i: index) {
  // expected-error @below {{there is no dimension 2 in 'tensor<?x2xf32>'}}
  %r = tally.split %x[%i] dim 2 : tensor<?x2xf32>
  return
}

// -----

func.func @split_results(%x: tensor<?xf32>, %i: index) {
  // expected-error @below {{'tally.split' op inferred type(s) 'tensor<?xf32>', 'tensor<?xf32>' are incompatible with return type(s) of operation 'tensor<?xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %r = "tally.split"(%x, %i, %i) {dim = 0} : (tensor<?xf32>, index, index) -> tensor<?xf32>
  return
}

// -----

func.func @unique_binds_value(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.unique' op binds 'u0' to the value of a 'tensor<?xf32>'; read one of its sizes}}
  %v, %i, %c = tally.unique %x : tensor<?xf32> bind #tally.bindings<u0 = result(0)>
  return
}

// -----

func.func @repeat_binds_result(%n: tensor<?xi64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.repeat_interleave' op binds 'u0' to result 1, but has 1 results}}
  %r = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u0 = result(1).size(0)>
  return
}
