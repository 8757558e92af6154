// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @dimension(%a: memref<?x2xf32>, %b: memref<?x2xf32>) {
  // expected-error @below {{'tally.fft' op has no dimension 1}}
  tally.fft forward dim(1) scale(none) ins(%a : memref<?x2xf32>) outs(%b : memref<?x2xf32>)
  return
}

// -----

func.func @parts(%a: memref<?x3xf32>, %b: memref<?x3xf32>) {
  // expected-error @below {{'tally.fft' op of kind 'forward' has operands of types 'memref<?x3xf32>' and 'memref<?x3xf32>'; complex numbers are a last dimension of size 2}}
  tally.fft forward dim(0) scale(none) ins(%a : memref<?x3xf32>) outs(%b : memref<?x3xf32>)
  return
}

// -----

func.func @sizes(%a: memref<8xf32>, %b: memref<4x2xf32>) {
  // expected-error @below {{'tally.fft' op of kind 'real_to_complex' has sizes in dimension 0 that do not fit, of 'memref<8xf32>' and 'memref<4x2xf32>'}}
  tally.fft real_to_complex dim(0) scale(none) ins(%a : memref<8xf32>) outs(%b : memref<4x2xf32>)
  return
}

// -----

func.func @elements(%a: memref<?x2xf16>, %b: memref<?x2xf16>) {
  // expected-error @below {{'tally.fft' op needs elements of type f32 or f64, not 'f16'}}
  tally.fft forward dim(0) scale(none) ins(%a : memref<?x2xf16>) outs(%b : memref<?x2xf16>)
  return
}

// -----

func.func @destination(%a: memref<?x2xf32>, %b: memref<?x2xf64>) {
  // expected-error @below {{'tally.fft' op needs a destination like the operand, not 'memref<?x2xf64>'}}
  tally.fft forward dim(0) scale(none) ins(%a : memref<?x2xf32>) outs(%b : memref<?x2xf64>)
  return
}

// -----

func.func @result(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>) {
  // expected-error @below {{'tally.fft' op needs a result for a destination that is a tensor, of its type}}
  tally.fft forward dim(0) scale(none) ins(%a : tensor<?x2xf32>) outs(%b : tensor<?x2xf32>)
  return
}

// -----

// expected-error @below {{'tally.complex' of argument 0 must be a unit attribute of a tensor of f32 or f64 whose last dimension has size 2, not of a 'tensor<?x3xf32>'}}
func.func @attribute(%x: tensor<?x3xf32> {tally.complex}) {
  return
}
