// Behind a check that always fails, and in a branch that is never taken, sizes
// become constants that disagree. The program compiles, and its check fails.
// RUN: split-file %s %t
// RUN: not tally-run %t/generic.mlir --input 'f32[4,3]=0' --input i64=0 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: not tally-run %t/slice.mlir --input 'f32[2]=1,2' --input i64=1 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: tally-run %t/branch.mlir --input 'f32[1,4,1]=1,2,3,4' --input i64=1 | FileCheck %s --check-prefix=BRANCH
// RUN: not tally-run %t/branch.mlir --input 'f32[0,4,0]=' --input i64=-1 2>&1 | FileCheck %s --check-prefix=BRANCH-BAD
// RUN: tally-run %t/nested.mlir --input 'f32[2,1]=1,2' | FileCheck %s --check-prefix=NESTED
// RUN: tally-run %t/nested.mlir --input 'f32[1,0]=' | FileCheck %s --check-prefix=NONE

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
