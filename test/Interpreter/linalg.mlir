// One path for all structured operations.
// RUN: tally-run %s --interpret --entry matmul --input 'i32[2,3]=1,2,3,4,5,6' --input 'i32[3,2]=1,0,0,1,1,1' | FileCheck %s --check-prefix=MATMUL
// RUN: not tally-run %s --interpret --entry matmul --input 'i32[2,3]=1' --input 'i32[2,2]=1' 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not tally-run %s --interpret --entry unfilled --input 'i32[2]=1' 2>&1 | FileCheck %s --check-prefix=UNFILLED
// RUN: tally-run %s --interpret --entry conv --input 'f32[1,5]=1,2,3,4,5' --input 'f32[1,2]=1,10' | FileCheck %s --check-prefix=CONV
// RUN: tally-run %s --interpret --entry indexed --input i64=3 | FileCheck %s --check-prefix=INDEXED
// RUN: not tally-run %s --interpret --entry gathers --input 'i64[3]=0,5,9' --input 'i64[2]=1,2' 2>&1 | FileCheck %s --check-prefix=GATHERS
// RUN: tally-run %s --interpret --entry tiles --input 'i32[3,4]=1,2,3,4,5,6,7,8,9,10,11,12' | FileCheck %s --check-prefix=TILES

// MATMUL: {{\[}}[ 4 5]
// MATMUL-NEXT: [10 11]]
// INNER: linalg.mlir:[[#@LINE+5]]:{{.*}}3 == 2 does not hold; size 0 of operand 1; needed by linalg.matmul
func.func @matmul(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<2x2xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x2xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
  %r = linalg.matmul
      ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) outs(%f : tensor<2x2xi32>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

// UNFILLED: element 0 of result 0 is poison
func.func @unfilled(%a: tensor<2xi32>) -> tensor<i32> {
  %e = tensor.empty() : tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<2xi32>) outs(%e : tensor<i32>) {
  ^bb0(%x: i32, %sum: i32):
    %s = arith.addi %x, %sum : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}

// CONV: {{\[}}[21. 43.]]
func.func @conv(%x: tensor<1x5xf32>, %k: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, o, k) -> (b, 2 * o + k)>, affine_map<(b, o, k) -> (b, k)>,
                                        affine_map<(b, o, k) -> (b, o)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %k : tensor<1x5xf32>, tensor<1x2xf32>) outs(%f : tensor<1x2xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// INDEXED: {{\[}}[ 0 1 2]
// INDEXED-NEXT: [10 11 12]
func.func @indexed(%n: index) -> tensor<?x3xindex> {
  %e = tensor.empty(%n) : tensor<?x3xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x3xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c10 = arith.constant 10 : index
    %m = arith.muli %i, %c10 : index
    %s = arith.addi %m, %j : index
    linalg.yield %s : index
  } -> tensor<?x3xindex>
  return %r : tensor<?x3xindex>
}

// By program order the first check is that of the first access, which fails
// for a later element only.
// GATHERS: linalg.mlir:[[#@LINE+8]]:{{.*}}0 <= 9 < 9 does not hold; an index is out of bounds; needed by tensor.extract
func.func @gathers(%at: tensor<3xi64>, %other: tensor<2xi64>) -> tensor<3xi64> {
  %table = arith.constant dense<1> : tensor<9xi64>
  %e = tensor.empty() : tensor<3xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%at : tensor<3xi64>) outs(%e : tensor<3xi64>) {
  ^bb0(%x: i64, %o: i64):
    %i = arith.index_cast %x : i64 to index
    %first = tensor.extract %table[%i] : tensor<9xi64>
    %second = tensor.extract %other[%i] : tensor<2xi64>
    %s = arith.addi %first, %second : i64
    linalg.yield %s : i64
  } -> tensor<3xi64>
  return %r : tensor<3xi64>
}

// TILES: [ 1  2  5  6  3  4  7  8  9 10 -1 -1 11 12 -1 -1  1 12]
func.func @tiles(%x: tensor<3x4xi32>) -> tensor<18xi32> {
  %pad = arith.constant -1 : i32
  %e = tensor.empty() : tensor<2x2x2x2xi32>
  %p = linalg.pack %x padding_value(%pad : i32) inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e
      : tensor<3x4xi32> -> tensor<2x2x2x2xi32>
  %b = tensor.empty() : tensor<3x4xi32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %b
      : tensor<2x2x2x2xi32> -> tensor<3x4xi32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %first = tensor.extract %u[%c0, %c0] : tensor<3x4xi32>
  %last = tensor.extract %u[%c2, %c3] : tensor<3x4xi32>
  %flat = tensor.collapse_shape %p [[0, 1, 2, 3]] : tensor<2x2x2x2xi32> into tensor<16xi32>
  %ends = tensor.from_elements %first, %last : tensor<2xi32>
  %r = tensor.concat dim(0) %flat, %ends : (tensor<16xi32>, tensor<2xi32>) -> tensor<18xi32>
  return %r : tensor<18xi32>
}
