// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @attribute(%a: memref<?x?xf32>, %l: memref<?x?xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' has no attribute 'upper'}}
  tally.linear_algebra cholesky ins(%a : memref<?x?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>) {upper}
  return
}

// -----

func.func @transposed(%a: memref<2x3xf32>, %f: memref<2x3xf32>, %p: memref<2xi32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'lu' has an operand of type 'memref<2x3xf32>', whose sizes do not fit the others}}
  tally.linear_algebra lu ins(%a : memref<2x3xf32>) outs(%f, %p, %i : memref<2x3xf32>, memref<2xi32>, memref<i32>) {transposed}
  return
}

// -----

func.func @full(%a: memref<?x?xf32>, %l: memref<?x?xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' has no attribute 'full'}}
  tally.linear_algebra cholesky ins(%a : memref<?x?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>) {full}
  return
}

// -----

func.func @counts(%a: memref<?x?xf32>, %l: memref<?x?xf32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' takes 1 inputs and 2 destinations}}
  tally.linear_algebra cholesky ins(%a : memref<?x?xf32>) outs(%l : memref<?x?xf32>)
  return
}

// -----

func.func @element(%a: memref<?x?xf16>, %l: memref<?x?xf16>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op needs elements of type f32 or f64, not 'f16'}}
  tally.linear_algebra cholesky ins(%a : memref<?x?xf16>) outs(%l, %i : memref<?x?xf16>, memref<i32>)
  return
}

// -----

func.func @info(%a: memref<?x?xf32>, %l: memref<?x?xf32>, %i: memref<i64>) {
  // expected-error @below {{'tally.linear_algebra' op needs an operand of elements of type 'i32', not 'memref<i64>'}}
  tally.linear_algebra cholesky ins(%a : memref<?x?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i64>)
  return
}

// -----

func.func @mixed(%a: tensor<?x?xf32>, %l: memref<?x?xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op needs operands that are all tensors, or all memrefs}}
  tally.linear_algebra cholesky ins(%a : tensor<?x?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>)
  return
}

// -----

func.func @vector(%a: memref<?xf32>, %l: memref<?x?xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op needs a matrix, not 'memref<?xf32>'}}
  tally.linear_algebra cholesky ins(%a : memref<?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>)
  return
}

// -----

func.func @square(%a: memref<2x3xf32>, %l: memref<?x?xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' has an operand of type 'memref<2x3xf32>', whose sizes do not fit the others}}
  tally.linear_algebra cholesky ins(%a : memref<2x3xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>)
  return
}

// -----

func.func @batch(%a: memref<4x?x?xf32>, %l: memref<4x?x?xf32>, %i: memref<5xi32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' has an operand of type 'memref<5xi32>', whose sizes do not fit the others}}
  tally.linear_algebra cholesky ins(%a : memref<4x?x?xf32>) outs(%l, %i : memref<4x?x?xf32>, memref<5xi32>)
  return
}

// -----

func.func @lesser(%a: memref<2x3xf32>, %q: memref<2x3xf32>, %r: memref<3x3xf32>) {
  // expected-error @below {{'tally.linear_algebra' op needs 2, the lesser of rows and columns, not 3}}
  tally.linear_algebra qr ins(%a : memref<2x3xf32>) outs(%q, %r : memref<2x3xf32>, memref<3x3xf32>)
  return
}

// -----

func.func @results(%a: tensor<?x?xf32>, %l: tensor<?x?xf32>, %i: tensor<i32>) {
  // expected-error @below {{'tally.linear_algebra' op needs one result for each destination that is a tensor, of its type}}
  tally.linear_algebra cholesky ins(%a : tensor<?x?xf32>) outs(%l, %i : tensor<?x?xf32>, tensor<i32>)
  return
}

// -----

func.func @hermitian(%a: memref<?x?xf32>, %l: memref<?x?xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' has no attribute 'hermitian'}}
  tally.linear_algebra cholesky ins(%a : memref<?x?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>) {hermitian}
  return
}

// -----

func.func @parts(%a: memref<?x?x3xf32>, %l: memref<?x?x2xf32>, %i: memref<i32>) {
  // expected-error @below {{'tally.linear_algebra' op of kind 'cholesky' has an operand of type 'memref<?x?x3xf32>', whose sizes do not fit the others}}
  tally.linear_algebra cholesky ins(%a : memref<?x?x3xf32>) outs(%l, %i : memref<?x?x2xf32>, memref<i32>) {complex}
  return
}
