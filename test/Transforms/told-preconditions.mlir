// A precondition is told in the two sides of its operation, not in the form in
// which it is proven.

// RUN: tally-opt %s --split-input-file --tally-propagate-shapes | FileCheck %s
// RUN: tally-opt %s --split-input-file --pass-pipeline='builtin.module(tally-check-pipeline{verify})' | FileCheck %s --check-prefix=CHECKED
// RUN: tally-opt %s --split-input-file --pass-pipeline='builtin.module(tally-check-pipeline{explain})' 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// CHECK-LABEL: func.func @element(
// CHECKED-LABEL: func.func @element(
// CHECK: tally.check <5 < s0> required_by("tensor.extract")
// CHECKED: tally.assert %{{.*}}, <5 < s0> (s0 = %{{.*}} : index) sources({s0 = "x.size(0)"}) required_by("tensor.extract")
// EXPLAIN: remark: 5 < s0: asserted
func.func @element(%x: tensor<?xf32> {tally.name = "x"}) -> f32 {
  %c5 = arith.constant 5 : index
  %v = tensor.extract %x[%c5] : tensor<?xf32>
  return %v : f32
}

// -----

// What is known of one side is not told.
// CHECK-LABEL: func.func @index(
// CHECK: tally.check <0 <= k < s0> (k = %arg1 : index) required_by("tensor.extract")
// CHECK: tally.check <s1 < s0> required_by("tensor.extract")
// CHECKED-LABEL: func.func @index(
// CHECKED: tally.assert %{{.*}}, <0 <= k < s0> (k = %arg1, s0 = %s0 : index, index) sources({k = "k", s0 = "x.size(0)"})
// CHECKED: tally.assert %{{.*}}, <s1 < s0> (s1 = %s1, s0 = %s0 : index, index) sources({s0 = "x.size(0)", s1 = "y.size(0)"})
func.func @index(%x: tensor<?xf32> {tally.name = "x"}, %k: index {tally.name = "k"},
                 %y: tensor<?xi8> {tally.name = "y"}) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%k] : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xi8>
  %w = tensor.extract %x[%n] : tensor<?xf32>
  return %v, %w : f32, f32
}

// -----

// The end of a slice is its offset and its size.
// CHECK-LABEL: func.func @slice(
// CHECK: tally.check <3 <= s0> required_by("tensor.extract_slice")
// CHECK: tally.check <s1 + 2 <= s0> required_by("tensor.extract_slice")
// CHECK: tally.check <2 * s1 - 2 < s0> required_by("tensor.extract_slice")
func.func @slice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %a = tensor.extract_slice %x[1] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %b = tensor.extract_slice %x[2] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %c = tensor.extract_slice %x[0] [%n] [2] : tensor<?xf32> to tensor<?xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Equal sizes: the operand's own is on the left, a number on the right.
// CHECK-LABEL: func.func @sizes(
// CHECK: tally.check <s0 + 1 == s1> required_by("linalg.add")
// CHECK: tally.check <s0 == 4> required_by("tensor.cast")
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<?xf32> to tensor<?xf32>
  %s = linalg.add ins(%p, %y : tensor<?xf32>, tensor<?xf32>) outs(%p : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %s, %r : tensor<?xf32>, tensor<4xf32>
}

// -----

// Every name that no table has comes from somewhere: a number that is computed
// from what computed it, the only element of a slice from its place.
// CHECKED-LABEL: func.func @sources(
// CHECKED: tally.assert %{{.*}}, <0 <= k_3 < s0> {{.*}} sources({k_3 = "k[3]", s0 = "x.size(0)"})
// CHECKED: tally.assert %{{.*}}, <0 <= arith_xori < s0> {{.*}} sources({arith_xori = "arith.xori(...)", s0 = "x.size(0)"})
func.func @sources(%x: tensor<?xf32> {tally.name = "x"}, %k: tensor<8xi64> {tally.name = "k"}) -> (f32, f32) {
  %s = tensor.extract_slice %k[3] [1] [1] : tensor<8xi64> to tensor<1xi64>
  %t = tensor.collapse_shape %s [] : tensor<1xi64> into tensor<i64>
  %e = tensor.extract %t[] : tensor<i64>
  %i = arith.index_cast %e : i64 to index
  %a = tensor.extract %x[%i] : tensor<?xf32>
  %c9 = arith.constant 9 : index
  %j = arith.xori %i, %c9 : index
  %b = tensor.extract %x[%j] : tensor<?xf32>
  return %a, %b : f32, f32
}

// -----

// Such a name is none that the table or another value has, and no keyword.
// CHECK-LABEL: func.func @names(
// CHECK: tally.check <0 <= s0_1 < s0> (s0_1 = %arg1 : index)
// CHECK: tally.check <0 <= value < s0> (value = %arg2 : index)
// CHECK: tally.check <0 <= at_element_1 and 0 <= at_element and at_element + at_element_1 <= s0>
// CHECKED-LABEL: func.func @names(
// CHECKED: tally.assert %{{.*}}, <0 <= s0_1 < s0> {{.*}} sources({s0 = "x.size(0)", s0_1 = "s0"})
// CHECKED: tally.assert %{{.*}}, <0 <= value < s0> {{.*}} sources({s0 = "x.size(0)", value = "min"})
// CHECKED: sources({at_element = "at[...]", at_element_1 = "at[...]", s0 = "x.size(0)"}) required_by("tensor.extract_slice")
func.func @names(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %k: index {tally.name = "s0"},
                 %min: index {tally.name = "min"}, %at: tensor<9xi64> {tally.name = "at"}, %i: index) -> (f32, f32, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %a = tensor.extract %x[%k] : tensor<?xf32>
  %b = tensor.extract %x[%min] : tensor<?xf32>
  %c = tensor.extract %at[%i] : tensor<9xi64>
  %d = arith.index_cast %c : i64 to index
  %e = arith.xori %i, %k : index
  %f = tensor.extract %at[%e] : tensor<9xi64>
  %g = arith.index_cast %f : i64 to index
  %s = tensor.extract_slice %x[%d] [%g] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b, %s : f32, f32, tensor<?xf32>
}

// -----

// Of a boolean that was reduced to, the message is all that is told, also where
// there is a way around it.
// CHECKED-LABEL: func.func @reduced(
// CHECKED: tally.assert %{{.*}} message("an index is out of bounds of x") required_by("tensor.extract")
func.func @reduced(%x: tensor<?x?xf32> {tally.name = "x"}, %i: tensor<?xi64>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%at: i64, %o: f32):
    %p = arith.index_cast %at : i64 to index
    %c = arith.constant 0 : index
    %v = tensor.extract %x[%p, %c] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
