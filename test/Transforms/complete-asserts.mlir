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
// -----

// What is asserted of all elements at once is looked for in this form: too many
// indices take part for a proof about one element.

// CHECK-LABEL: func.func @many_indices
// CHECK:         tally.assert
// CHECK:         tensor.generate
func.func @many_indices(%x: tensor<?xf32>, %s: tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %s, %c0 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %s, %c1 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %s, %c2 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c3 = arith.constant 3 : index
  %d3 = tensor.dim %s, %c3 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c4 = arith.constant 4 : index
  %d4 = tensor.dim %s, %c4 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c5 = arith.constant 5 : index
  %d5 = tensor.dim %s, %c5 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c6 = arith.constant 6 : index
  %d6 = tensor.dim %s, %c6 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c7 = arith.constant 7 : index
  %d7 = tensor.dim %s, %c7 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c8 = arith.constant 8 : index
  %d8 = tensor.dim %s, %c8 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c9 = arith.constant 9 : index
  %d9 = tensor.dim %s, %c9 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c10 = arith.constant 10 : index
  %d10 = tensor.dim %s, %c10 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c11 = arith.constant 11 : index
  %d11 = tensor.dim %s, %c11 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c12 = arith.constant 12 : index
  %d12 = tensor.dim %s, %c12 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c13 = arith.constant 13 : index
  %d13 = tensor.dim %s, %c13 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c14 = arith.constant 14 : index
  %d14 = tensor.dim %s, %c14 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c15 = arith.constant 15 : index
  %d15 = tensor.dim %s, %c15 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c16 = arith.constant 16 : index
  %d16 = tensor.dim %s, %c16 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c17 = arith.constant 17 : index
  %d17 = tensor.dim %s, %c17 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c18 = arith.constant 18 : index
  %d18 = tensor.dim %s, %c18 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c19 = arith.constant 19 : index
  %d19 = tensor.dim %s, %c19 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c20 = arith.constant 20 : index
  %d20 = tensor.dim %s, %c20 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c21 = arith.constant 21 : index
  %d21 = tensor.dim %s, %c21 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c22 = arith.constant 22 : index
  %d22 = tensor.dim %s, %c22 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c23 = arith.constant 23 : index
  %d23 = tensor.dim %s, %c23 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c24 = arith.constant 24 : index
  %d24 = tensor.dim %s, %c24 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %c25 = arith.constant 25 : index
  %d25 = tensor.dim %s, %c25 : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  %r = tensor.generate %d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8, %d9, %d10, %d11, %d12, %d13, %d14, %d15, %d16, %d17, %d18, %d19, %d20, %d21, %d22, %d23, %d24, %d25 {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index, %i5: index, %i6: index, %i7: index, %i8: index, %i9: index, %i10: index, %i11: index, %i12: index, %i13: index, %i14: index, %i15: index, %i16: index, %i17: index, %i18: index, %i19: index, %i20: index, %i21: index, %i22: index, %i23: index, %i24: index, %i25: index):
    %p1 = arith.addi %i0, %i1 : index
    %p2 = arith.addi %p1, %i2 : index
    %p3 = arith.addi %p2, %i3 : index
    %p4 = arith.addi %p3, %i4 : index
    %p5 = arith.addi %p4, %i5 : index
    %p6 = arith.addi %p5, %i6 : index
    %p7 = arith.addi %p6, %i7 : index
    %p8 = arith.addi %p7, %i8 : index
    %p9 = arith.addi %p8, %i9 : index
    %p10 = arith.addi %p9, %i10 : index
    %p11 = arith.addi %p10, %i11 : index
    %p12 = arith.addi %p11, %i12 : index
    %p13 = arith.addi %p12, %i13 : index
    %p14 = arith.addi %p13, %i14 : index
    %p15 = arith.addi %p14, %i15 : index
    %p16 = arith.addi %p15, %i16 : index
    %p17 = arith.addi %p16, %i17 : index
    %p18 = arith.addi %p17, %i18 : index
    %p19 = arith.addi %p18, %i19 : index
    %p20 = arith.addi %p19, %i20 : index
    %p21 = arith.addi %p20, %i21 : index
    %p22 = arith.addi %p21, %i22 : index
    %p23 = arith.addi %p22, %i23 : index
    %p24 = arith.addi %p23, %i24 : index
    %p25 = arith.addi %p24, %i25 : index
    %v = tensor.extract %x[%p25] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
}
