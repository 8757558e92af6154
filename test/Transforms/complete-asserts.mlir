// RUN: tally-opt %s --tally-complete-asserts --split-input-file | FileCheck %s
// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-complete-asserts,tally-verify-form)" --split-input-file -o /dev/null
// RUN: tally-opt %s --pass-pipeline="builtin.module(any(tally-complete-asserts,tally-verify-form))" --split-input-file -o /dev/null

// Nothing is added where everything is known.
// CHECK-LABEL: func.func @known(
// CHECK-COUNT-1: tally.assert
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @known(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x, %c0 : tensor<?xf32>
  %d1 = tensor.dim %y, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %d0, %d1 : index
  tally.assert %ok, <d0 == d1> (d0 = %d0, d1 = %d1 : index, index)
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// An assert that was lost is back, once.
// CHECK-LABEL: func.func @lost(
// CHECK:         tally.assert %{{.*}}, <arg0_size_0 == arg1_size_0>{{.*}} required_by("arith.addf")
// CHECK-NOT:     tally.assert
// CHECK:         arith.addf
// CHECK:         arith.mulf
func.func @lost(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  %s = arith.mulf %r, %y : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Where a precondition is of each element, and a check before it was reduced to
// one value, nothing is missing.
// CHECK-LABEL: func.func @elements(
// CHECK-COUNT-1: tally.assert
// CHECK-NOT:     tally.assert
// CHECK:         tensor.extract %arg0[%{{.*}}] : tensor<?xf32>
func.func @elements(%x: tensor<?xf32>, %at: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %d = tensor.dim %at, %c0 : tensor<?xi64>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %init = tensor.from_elements %true : tensor<i1>
  %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%at : tensor<?xi64>) outs(%init : tensor<i1>) {
  ^bb0(%in: i64, %o: i1):
    %p = arith.index_cast %in : i64 to index
    %below = arith.cmpi ult, %p, %n : index
    %and = arith.andi %o, %below : i1
    linalg.yield %and : i1
  } -> tensor<i1>
  %ok = tensor.extract %all[] : tensor<i1>
  tally.assert %ok message("an index is out of bounds")
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: i64, %o: f32):
    %p = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What is known of a precondition is not asserted again: what is not known of it is.
// CHECK-LABEL: func.func @half_known(
// CHECK-COUNT-1: tally.assert
// CHECK:         tally.assert %{{.*}}, <arg1 < arg0_size_0>{{.*}} required_by("tensor.extract")
// CHECK-NOT:     tally.assert
func.func @half_known(%x: tensor<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi sge, %i, %c0 : index
  tally.assert %ok, <0 <= i> (i = %i : index)
  %r = tensor.extract %x[%i] : tensor<?xf32>
  return %r : f32
}

// -----

// What is asserted is read again, so nothing that is known of its symbols is
// used to compute it in fewer bits.
// CHECK-LABEL: func.func @exact(
// CHECK:         arith.muli {{.*}} : i192
// CHECK:         tally.assert %{{.*}}, <{{.*}} == 0>{{.*}} required_by("tensor.reshape")
func.func @exact(%x: tensor<?x?x?xf32>, %p: i1) -> tensor<?xf32> {
  %none = arith.constant dense<0> : tensor<1xindex>
  %small = tensor.empty() : tensor<2x3x4xf32>
  %y = scf.if %p -> tensor<?x?x?xf32> {
    %cast = tensor.cast %small : tensor<2x3x4xf32> to tensor<?x?x?xf32>
    scf.yield %cast : tensor<?x?x?xf32>
  } else {
    scf.yield %x : tensor<?x?x?xf32>
  }
  %r = tensor.reshape %y(%none) : (tensor<?x?x?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
