// Behind a check that always fails, and in a branch that is never taken, sizes
// become constants that disagree. The program compiles, and its check fails.
// RUN: split-file %s %t
// RUN: not tally-run %t/generic.mlir --input 'f32[4,3]=0' --input i64=0 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: tally-run %t/fused.mlir --input 'f64[2,0,4]=' | FileCheck %s --check-prefix=FUSED
// RUN: not tally-run %t/buffers.mlir --input 'i8[3,1]=1,2,3' --input i64=1 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not tally-run %t/slice.mlir --input 'f32[2]=1,2' --input i64=1 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: tally-run %t/branch.mlir --input 'f32[1,4,1]=1,2,3,4' --input i64=1 | FileCheck %s --check-prefix=BRANCH
// RUN: not tally-run %t/branch.mlir --input 'f32[0,4,0]=' --input i64=-1 2>&1 | FileCheck %s --check-prefix=BRANCH-BAD
// RUN: tally-run %t/nested.mlir --input 'f32[2,1]=1,2' | FileCheck %s --check-prefix=NESTED
// RUN: tally-run %t/nested.mlir --input 'f32[1,0]=' | FileCheck %s --check-prefix=NONE
// RUN: not tally-run %t/copy.mlir --input 'i64[2,0]=' 2>&1 | FileCheck %s --check-prefix=COPY

//--- generic.mlir
// GENERIC: check failed: {{.*}}1 == 2 does not hold; needed by linalg.generic
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%x: tensor<4x3xf32>, %n: index) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %1 = arith.subi %c3, %c2 : index
  %part = tensor.extract_slice %x[0, %c2] [%c2, %1] [2, 1] : tensor<4x3xf32> to tensor<?x?xf32>
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %r:2 = linalg.generic {indexing_maps = [#map, #map1, #map, #map2], iterator_types = ["parallel", "parallel"]} ins(%part, %part : tensor<?x?xf32>, tensor<?x?xf32>) outs(%part, %e : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    linalg.yield %b, %d : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %r#1 : tensor<?x?xf32>
}
//--- slice.mlir
// SLICE: check failed: {{.*}}needed by tensor.extract_slice
func.func @main(%x: tensor<2xf32>, %n: index) -> (tensor<?xf32>, tensor<2xf32>) {
  %c3 = arith.constant 3 : index
  %part = tensor.extract_slice %x[%c3] [%n] [1] : tensor<2xf32> to tensor<?xf32>
  %r = tensor.insert_slice %part into %x[%c3] [%n] [1] : tensor<?xf32> into tensor<2xf32>
  return %part, %r : tensor<?xf32>, tensor<2xf32>
}
//--- branch.mlir
// BRANCH: out0: f32[1, 4, 1] =
// BRANCH-BAD: check failed
func.func @main(%x: tensor<?x4x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %less = arith.cmpi slt, %n, %c0 : index
  %y = scf.if %less -> (tensor<?x?x?xf32>) {
    %e = tensor.empty(%n, %n) : tensor<?x1x?xf32>
    %cast = tensor.cast %e : tensor<?x1x?xf32> to tensor<?x?x?xf32>
    scf.yield %cast : tensor<?x?x?xf32>
  } else {
    %cast = tensor.cast %x : tensor<?x4x?xf32> to tensor<?x?x?xf32>
    scf.yield %cast : tensor<?x?x?xf32>
  }
  %d = tensor.dim %y, %n : tensor<?x?x?xf32>
  %r = tensor.insert_slice %y into %y[0, 0, 0] [%n, %d, %n] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
//--- nested.mlir
// What is inserted into the result of a branch is not computed in its place
// there by the branch itself.
// NESTED: out0: f32[2, 1] =
// NESTED-NEXT: {{\[\[}}2.]
// NESTED-NEXT: [4.]]
// NONE: out0: f32[1, 0] =
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %none = arith.cmpi sle, %d, %c0 : index
  %y = tally.cond %none : () -> tensor<?x?xf32> {
    tally.yield %x : tensor<?x?xf32>
  } else {
    %sum = arith.addf %x, %x : tensor<?x?xf32>
    tally.yield %sum : tensor<?x?xf32>
  }
  %d0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %r = tensor.insert_slice %y into %y[0, 0] [%d0, %d1] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
//--- fused.mlir
// Not refused: none of its loops has an iteration.
// FUSED: out0: f32[4, 0] =
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0 + d1, d0 * 2, d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<2x?x4xf64>) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %parts:2 = tally.split %x[%c2, %c0] dim 0 : tensor<2x?x4xf64>
  %flat = tensor.collapse_shape %parts#1 [[0, 1], [2]] : tensor<?x?x4xf64> into tensor<?x4xf64>
  %e = tensor.empty(%c0) : tensor<4x?xf32>
  %r = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%flat, %parts#0 : tensor<?x4xf64>, tensor<?x?x4xf64>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%a: f64, %b: f64, %out: f32):
    %t = arith.truncf %b : f64 to f32
    linalg.yield %t : f32
  } -> tensor<4x?xf32>
  %cast = tensor.cast %r : tensor<4x?xf32> to tensor<?x?xf32>
  return %cast : tensor<?x?xf32>
}
//--- buffers.mlir
// BUFFERS: check failed: {{.*}}needed by linalg.generic
#map = affine_map<(d0, d1, d2) -> (d2, d1)>
#map1 = affine_map<(d0, d1, d2) -> (0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d0)>
#map3 = affine_map<(d0, d1, d2) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<3x1xi8>, %n: index) -> tensor<?x?xf16> {
  %zero = arith.constant 0 : i8
  %c2 = arith.constant 2 : index
  %splat = tensor.splat %zero[%c2] : tensor<?x1xi8>
  %0 = tensor.empty() : tensor<1xf16>
  %1 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map3], iterator_types = ["parallel", "reduction", "reduction"]} ins(%splat, %x, %x : tensor<?x1xi8>, tensor<3x1xi8>, tensor<3x1xi8>) outs(%0 : tensor<1xf16>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %out: f16):
    %f = arith.uitofp %c : i8 to f16
    linalg.yield %f : f16
  } -> tensor<1xf16>
  %2 = tensor.empty(%n) : tensor<?x1xf16>
  %3 = linalg.generic {indexing_maps = [#map4, #map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%1, %1 : tensor<1xf16>, tensor<1xf16>) outs(%2 : tensor<?x1xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    linalg.yield %b : f16
  } -> tensor<?x1xf16>
  %cast = tensor.cast %3 : tensor<?x1xf16> to tensor<?x?xf16>
  return %cast : tensor<?x?xf16>
}
//--- copy.mlir
// COPY: check failed: {{.*}}s0 == 2 does not hold
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%arg0: tensor<2x?xi64>) -> (tensor<?xi64>, tensor<?x?xi64>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = tensor.empty(%c1, %c0) : tensor<?x?xi64>
  %1 = tensor.empty(%c0, %c0) : tensor<?x?xi64>
  %cast = tensor.cast %arg0 : tensor<2x?xi64> to tensor<?x2xi64>
  %dim = tensor.dim %0, %c0 : tensor<?x?xi64>
  %2 = tensor.empty(%dim, %c1) : tensor<?x?xi64>
  %c7_i64 = arith.constant 7 : i64
  %3 = linalg.fill ins(%c7_i64 : i64) outs(%2 : tensor<?x?xi64>) -> tensor<?x?xi64>
  %dim_0 = tensor.dim %cast, %c0 : tensor<?x2xi64>
  %4 = tensor.empty(%c1, %dim_0) : tensor<?x?xi64>
  %5:2 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %cast : tensor<?x?xi64>, tensor<?x2xi64>) outs(%3, %4 : tensor<?x?xi64>, tensor<?x?xi64>) {
  ^bb0(%in: i64, %in_1: i64, %out: i64, %out_2: i64):
    linalg.yield %in_1, %out : i64, i64
  } -> (tensor<?x?xi64>, tensor<?x?xi64>)
  %values, %inverse, %counts = tally.unique %3 : tensor<?x?xi64>
  return %values, %5#1 : tensor<?xi64>, tensor<?x?xi64>
}
