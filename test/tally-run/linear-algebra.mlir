// Operands with gaps between their elements, beside the interpreter; what cannot be computed fails the call.
// RUN: tally-run %s --compare --entry solve --input f64[4,4]=4,1,2,9,1,5,3,9,2,3,6,9,9,9,9,9 --input f64[6]=1,2,3,4,5,6 | FileCheck %s --check-prefix=SOLVE
// SOLVE: 1.59038464 1.64522549
// RUN: tally-run %s --compare --entry pivots --input f32[2,2]=1,0,0,1 --input i32[2]=1,2 --input f32[2,1]=3,4 | FileCheck %s --check-prefix=FINE
// FINE: {{\[}}3.]
// FINE: {{\[}}4.]
// RUN: not tally-run %s --entry pivots --input f32[2,2]=1,0,0,1 --input i32[2]=1,3 --input f32[2,1]=3,4 2>&1 | FileCheck %s --check-prefix=PIVOT
// RUN: not tally-run %s --interpret --entry pivots --input f32[2,2]=1,0,0,1 --input i32[2]=0,1 --input f32[2,1]=3,4 2>&1 | FileCheck %s --check-prefix=PIVOT
// PIVOT: linear algebra: a pivot is no row of the matrix
// RUN: not tally-run %s --entry pivots --input f32[2,2]=1,0,0,1 --input i32[3]=1,2,3 --input f32[2,1]=3,4 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: does not hold
// A library that is not there is told with the package that has it.
// RUN: not env TALLY_LIBLAPACK=/no/liblapack.so tally-run %s --entry values --input f32[2,2]=1,2,3,4 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: linear algebra needs LAPACK, Debian's package liblapack3: /no/liblapack.so
// RUN: not env TALLY_LIBLAPACK=libm.so.6 tally-run %s --entry values --input f32[2,2]=1,2,3,4 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: the library of LAPACK has no sgetrf_
// Small matrices need none.
// RUN: env TALLY_LIBLAPACK=/no/liblapack.so tally-run %s --entry pivots --input f32[2,2]=1,0,0,1 --input i32[2]=1,2 --input f32[2,1]=3,4 | FileCheck %s --check-prefix=FINE
// RUN: not tally-run %s --entry values --input f32[2,2]=nan,nan,nan,nan 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.

// RUN: not tally-run %s --interpret --entry undefined 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: an element of a matrix

// The upper left part of a matrix, which is solved for the columns of a tensor.
func.func @solve(%a: tensor<4x4xf64>, %y: tensor<6xf64>) -> tensor<3x2xf64> {
  %part = tensor.extract_slice %a[0, 0] [3, 3] [1, 1] : tensor<4x4xf64> to tensor<3x3xf64>
  %b = tensor.expand_shape %y [[0, 1]] output_shape [3, 2] : tensor<6xf64> into tensor<3x2xf64>
  %f = tensor.empty() : tensor<3x3xf64>
  %i = tensor.empty() : tensor<i32>
  %l:2 = tally.linear_algebra cholesky ins(%part : tensor<3x3xf64>) outs(%f, %i : tensor<3x3xf64>, tensor<i32>) -> tensor<3x3xf64>, tensor<i32>
  %e = tensor.empty() : tensor<3x2xf64>
  %x = tally.linear_algebra solve_triangular ins(%l#0, %b : tensor<3x3xf64>, tensor<3x2xf64>) outs(%e : tensor<3x2xf64>) -> tensor<3x2xf64>
  return %x : tensor<3x2xf64>
}

func.func @pivots(%f: tensor<?x?xf32>, %p: tensor<?xi32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x?xf32>
  %r = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %r) : tensor<?x?xf32>
  %x = tally.linear_algebra solve_lu ins(%f, %p, %b : tensor<?x?xf32>, tensor<?xi32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}

func.func @values(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %s = tally.linear_algebra svd ins(%a : tensor<2x2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}

func.func @undefined() -> tensor<2xf32> {
  %a = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %s = tally.linear_algebra svd ins(%a : tensor<2x2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
