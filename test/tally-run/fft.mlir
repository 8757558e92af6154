// Lines with gaps between their elements, beside the interpreter, and complex numbers of a caller.
// RUN: tally-run %s --compare --entry rows --input f64[3,4]=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s --check-prefix=ROWS
// ROWS: 15. 0.
// ROWS: -6. 3.46410162
// RUN: tally-run %s --compare --entry shift --input f32[4,2]=0,0,1,0,0,0,0,0 | FileCheck %s --check-prefix=SHIFT
// SHIFT: 1.
// RUN: tally-run %s --compare --entry shift --input f32[1,2]=3,4 | FileCheck %s --check-prefix=ONE
// ONE: 3. 4.
// RUN: not tally-run %s --interpret --entry undefined 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: an element of a Fourier transform
// RUN: not tally-run %s --entry halves --input f32[5,2]=0,0,0,0,0,0,0,0,0,0 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: does not hold

// Every second column, transformed along the rows.
func.func @rows(%a: tensor<3x4xf64>) -> tensor<2x2x2xf64> {
  %part = tensor.extract_slice %a[0, 0] [3, 2] [1, 2] : tensor<3x4xf64> to tensor<3x2xf64>
  %e = tensor.empty() : tensor<2x2x2xf64>
  %r = tally.fft real_to_complex dim(0) scale(none) ins(%part : tensor<3x2xf64>) outs(%e : tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
  return %r : tensor<2x2x2xf64>
}

func.func @shift(%z: tensor<?x2xf32> {tally.complex}) -> (tensor<?x2xf32> {tally.complex}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %z, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %r = tally.fft forward dim(0) scale(none) ins(%z : tensor<?x2xf32>) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

func.func @halves(%z: tensor<?x2xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %z, %c0 : tensor<?x2xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %r = tally.fft complex_to_real dim(0) scale(none) ins(%z : tensor<?x2xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<9xf32>
}

func.func @undefined() -> tensor<2xf32> {
  %x = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = tally.fft complex_to_real dim(0) scale(none) ins(%x : tensor<2x2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
