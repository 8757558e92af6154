// Results of programs that elementwise fusion gets wrong where it takes any
// operation with parallel loops for one that may be repeated.
// RUN: tally-run %s --entry accumulates --input f32[2,3]=0 --input f32[2]=1,1 --input f32[2]=10,20 | FileCheck %s --check-prefix=ROWS
// RUN: tally-run %s --entry accumulates --input f32[2,1]=0 --input f32[2]=1,1 --input f32[2]=10,20 | FileCheck %s --check-prefix=ROW
// RUN: tally-run %s --entry accumulates --input f32[0,3]= --input f32[0]= --input f32[0]= | FileCheck %s --check-prefix=NONE
// ROWS: out0: f32[2, 3] =
// ROWS-NEXT: {{\[}}[11. 11. 11.]
// ROWS-NEXT: [21. 21. 21.]]
// ROW: out0: f32[2, 1] =
// ROW-NEXT: {{\[}}[11.]
// ROW-NEXT: [21.]]
// NONE: out0: f32[0, 3] =
func.func @accumulates(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %acc: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A sum of one element, added to each of another tensor.
// RUN: tally-run %s --entry rank_zero --input f32[5]=0 --input f32=1 | FileCheck %s --check-prefix=ZERO
// ZERO: [1. 1. 1. 1. 1.]
func.func @rank_zero(%x: tensor<?xf32>, %y: tensor<f32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%y : tensor<f32>) outs(%f : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %e2 = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %s : tensor<?xf32>, tensor<f32>) outs(%e2 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A product of zeros: 1 where there are none.
// RUN: tally-run %s --entry product --input i64[0]= | FileCheck %s --check-prefix=EMPTY
// RUN: tally-run %s --entry product --input i64[1]=7 | FileCheck %s --check-prefix=SOME
// RUN: tally-run %s --entry product --input i64[4]=7 | FileCheck %s --check-prefix=SOME
// EMPTY: out0: i64 =
// EMPTY-NEXT: 1
// SOME: out0: i64 =
// SOME-NEXT: 0
func.func @product(%x: tensor<?xi64>) -> tensor<i64> {
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<i64>
  %f = linalg.fill ins(%one : i64) outs(%e : tensor<i64>) -> tensor<i64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xi64>) outs(%f : tensor<i64>) {
  ^bb0(%a: i64, %o: i64):
    %z = arith.subi %a, %a : i64
    %y = arith.muli %o, %z : i64
    linalg.yield %y : i64
  } -> tensor<i64>
  return %r : tensor<i64>
}

// The last of each row, and what was there where a row is empty.
// RUN: tally-run %s --entry last --input f32[2,0]= --input f32[2]=8,9 | FileCheck %s --check-prefix=KEPT
// RUN: tally-run %s --entry last --input f32[2,1]=1,2 --input f32[2]=8,9 | FileCheck %s --check-prefix=LAST
// RUN: tally-run %s --entry last --input f32[2,3]=0,0,1,0,0,2 --input f32[2]=8,9 | FileCheck %s --check-prefix=LAST
// KEPT: [8. 9.]
// LAST: [1. 2.]
func.func @last(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A diagonal of one in another.
// RUN: tally-run %s --entry diagonal --input f32[2,2]=1 --input f32[2,2]=5 | FileCheck %s --check-prefix=DIAGONAL
// DIAGONAL: {{\[}}[1. 5.]
// DIAGONAL-NEXT: [5. 1.]]
func.func @diagonal(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A size that is read behind the operation that it expands is read behind its
// check.
// RUN: tally-run %s --entry expands --input f32[6]=1,2,3,4,5,6 --input i64[1]=3 --input i64=0 | FileCheck %s --check-prefix=EXPANDS
// RUN: not tally-run %s --entry expands --input f32[6]=1,2,3,4,5,6 --input i64[1]=3 --input i64=9000000000 2>&1 | FileCheck %s --check-prefix=BEYOND
// EXPANDS: out0: f32[3, 2] =
// EXPANDS-NEXT: {{\[}}[ 2. 4.]
// BEYOND: check failed: {{.*}} needed by tensor.extract
func.func @expands(%x: tensor<?xf32>, %t: tensor<?xindex>, %at: index) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %o: f32):
    %1 = arith.addf %in, %in : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %size = tensor.extract %t[%at] : tensor<?xindex>
  %r = tensor.expand_shape %s [[0, 1]] output_shape [%size, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
