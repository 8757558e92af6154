// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @unsorted(%x: tensor<?xcomplex<f32>>, %i: tensor<?xi64>) {
  // expected-error @below {{'tally.sort' op cannot sort elements of type 'complex<f32>'}}
  %r = tally.sort ins(%x : tensor<?xcomplex<f32>>) indices(%i : tensor<?xi64>) dim 0 -> tensor<?xi64>
  return
}

// -----

func.func @unsigned_floats(%x: tensor<?xf32>, %i: tensor<?xi64>) {
  // expected-error @below {{'tally.sort' op has no unsigned elements, but 'f32'}}
  %r = tally.sort ins(%x : tensor<?xf32>) indices(%i : tensor<?xi64>) dim 0 {is_unsigned} -> tensor<?xi64>
  return
}

// -----

func.func @dimension(%x: tensor<?xf32>, %i: tensor<?xi64>) {
  // expected-error @below {{'tally.sort' op sorts along dimension 1 of 'tensor<?xf32>'}}
  %r = tally.sort ins(%x : tensor<?xf32>) indices(%i : tensor<?xi64>) dim 1 -> tensor<?xi64>
  return
}

// -----

func.func @values_type(%x: tensor<?xf32>, %v: tensor<?xf64>) {
  // expected-error @below {{'tally.sort' op has values of another type than 'f32'}}
  %r = tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<?xf64>) dim 0 -> tensor<?xf64>
  return
}

// -----

func.func @indices_type(%x: tensor<?xf32>, %i: tensor<?xi32>) {
  // expected-error @below {{'tally.sort' op has indices of another type than i64}}
  %r = tally.sort ins(%x : tensor<?xf32>) indices(%i : tensor<?xi32>) dim 0 -> tensor<?xi32>
  return
}

// -----

func.func @nothing(%x: tensor<?xf32>) {
  // expected-error @below {{'tally.sort' op has neither values nor indices}}
  tally.sort ins(%x : tensor<?xf32>) dim 0
  return
}

// -----

func.func @whole_size(%x: tensor<4x?xf32>, %i: tensor<3x?xi64>) {
  // expected-error @below {{'tally.sort' op cannot order 'tensor<4x?xf32>' into 'tensor<3x?xi64>'}}
  %r = tally.sort ins(%x : tensor<4x?xf32>) indices(%i : tensor<3x?xi64>) dim 0 -> tensor<3x?xi64>
  return
}

// -----

func.func @part_size(%x: tensor<4x?xf32>, %i: tensor<5x?xi64>, %n: index) {
  // expected-error @below {{'tally.sort' op cannot order 'tensor<4x?xf32>' into 'tensor<5x?xi64>'}}
  %r = tally.sort ins(%x : tensor<4x?xf32>) indices(%i : tensor<5x?xi64>) dim 0 from %n -> tensor<5x?xi64>
  return
}

// -----

func.func @rank(%x: tensor<4x?xf32>, %i: tensor<?xi64>) {
  // expected-error @below {{'tally.sort' op cannot order 'tensor<4x?xf32>' into 'tensor<?xi64>'}}
  %r = tally.sort ins(%x : tensor<4x?xf32>) indices(%i : tensor<?xi64>) dim 0 -> tensor<?xi64>
  return
}

// -----

func.func @sizes_differ(%x: tensor<?xf32>, %v: tensor<2xf32>, %i: tensor<3xi64>, %n: index) {
  // expected-error @below {{'tally.sort' op has values and indices of different sizes}}
  %r:2 = tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<2xf32>) indices(%i : tensor<3xi64>) dim 0 from %n -> tensor<2xf32>, tensor<3xi64>
  return
}

// -----

func.func @results(%x: tensor<?xf32>, %v: tensor<?xf32>) {
  // expected-error @below {{'tally.sort' op needs one result for each destination that is a tensor, of its type}}
  tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<?xf32>) dim 0
  return
}

// -----

func.func @mixed(%x: tensor<?xf32>, %v: tensor<?xf32>, %i: memref<?xi64>) {
  // expected-error @below {{'tally.sort' op needs one result for each destination that is a tensor, of its type}}
  %r = tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<?xf32>) indices(%i : memref<?xi64>) dim 0 -> tensor<?xf32>
  return
}
