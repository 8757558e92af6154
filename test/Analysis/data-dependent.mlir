// RUN: tally-opt %s --tally-print-shapes -o /dev/null | FileCheck %s
// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s --check-prefix=PRECONDITIONS
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline{explain=true verify=true})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FATE

// As many as there are elements.
// CHECK-LABEL: @compaction
// CHECK: tally.masked_select needs s0 == s1
// CHECK: : [u0]
// PRECONDITIONS-LABEL: @compaction(
// PRECONDITIONS: tally.check <s0 == s1> required_by("tally.masked_select")
// FATE: s0 == s1: asserted
// FATE: u0 <= 3 * s1: proven
// FATE: u0 <= 3 * s0: proven
func.func @compaction(%x: tensor<?x3xf32> {tally.shape = #tally.shape<s0, 3>}, %m: tensor<?x3xi1> {tally.shape = #tally.shape<s1, 3>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %r = tally.masked_select %x, %m : tensor<?x3xf32>, tensor<?x3xi1> bind #tally.bindings<u0 = result(0).size(0)>
  %n = tally.size <u0> : index
  tally.check <u0 <= 3 * s1>
  tally.check <u0 <= 3 * s0>
  return %n : index
}

// One symbol for values and counts, wherever it is bound; not 0 where there is
// an element.
// CHECK-LABEL: @unique
// CHECK: %values: [u0]
// CHECK: %inverse: [s0, 3]
// CHECK: %counts: [u0]
// FATE: u0 >= 1: proven
// FATE: u0 <= 3 * s0: proven
// FATE: d == e: proven (canonical)
func.func @unique(%x: tensor<?x3xf32> {tally.shape = #tally.shape<s0, 3>}) -> (tensor<?xf32>, tensor<?xi64>)
    attributes {tally.symbols = #tally.symbols<s0 : [1, 100], u0 : unbacked>} {
  %v, %i, %c = tally.unique %x : tensor<?x3xf32> bind #tally.bindings<u0 = result(2).size(0)>
  tally.check <"u0 >= 1">
  tally.check <u0 <= 3 * s0>
  %a = arith.constant 0 : index
  %d = tensor.dim %v, %a : tensor<?xf32>
  %e = tensor.dim %c, %a : tensor<?xi64>
  tally.check <d == e> (d = %d, e = %e : index, index)
  return %v, %c : tensor<?xf32>, tensor<?xi64>
}

// That nothing is negative is one boolean, made once for the same tensor.
// CHECK-LABEL: @counts
// PRECONDITIONS-LABEL: @counts(
// PRECONDITIONS: %[[ALL:.*]] = linalg.generic {{.*}} ins(%arg0
// PRECONDITIONS: arith.cmpi sge
// PRECONDITIONS: %[[OK:.*]] = tensor.extract %[[ALL]][]
// PRECONDITIONS: tally.check <ok>, "a negative number of repetitions" (ok = %[[OK]] : i1) required_by("tally.repeat_interleave")
// PRECONDITIONS: tally.repeat_interleave
// PRECONDITIONS: tally.check <0 <= arg3>, "minlength is negative" (arg3 = %arg3 : index) required_by("tally.bincount")
// PRECONDITIONS: tally.check <s1 == s2> required_by("tally.bincount")
// PRECONDITIONS: linalg.generic {{.*}} ins(%arg1
// PRECONDITIONS: tally.check <ok>, "a value is negative" {{.*}} required_by("tally.bincount")
// PRECONDITIONS: tally.bincount
// PRECONDITIONS-NOT: linalg.generic
// PRECONDITIONS: tally.repeat_interleave
// FATE: a negative number of repetitions: asserted
// FATE: a value is negative: asserted
// FATE: u0 >= 0: proven
// FATE: u1 >= k: proven
func.func @counts(%n: tensor<?xi64>, %v: tensor<?xi64>, %w: tensor<?xf32>, %k: index) -> (tensor<?xi64>, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
  %r = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %b = tally.bincount %v minlength %k weights %w : tensor<?xi64>, tensor<?xf32> bind #tally.bindings<u1 = result(0).size(0)>
  tally.check <"u0 >= 0">
  tally.check <"u1 >= k"> (k = %k : index)
  %r2 = tally.repeat_interleave %n : tensor<?xi64>
  return %r, %b : tensor<?xi64>, tensor<?xf32>
}

// What is known is added up here, and needs no data.
// CHECK-LABEL: @known_counts
// CHECK: : [6]
// PRECONDITIONS-LABEL: @known_counts(
// PRECONDITIONS-NOT: linalg.generic
// PRECONDITIONS: return
// FATE: d == 6: proven (canonical)
func.func @known_counts(%i: index) -> (tensor<?xi64>, tensor<?xi64>) {
  %c = arith.constant dense<[1, 0, 5]> : tensor<3xi64>
  %r = tally.repeat_interleave %c : tensor<3xi64>
  %z = arith.constant 0 : index
  %d = tensor.dim %r, %z : tensor<?xi64>
  %six = arith.constant 6 : index
  tally.check <d == 6> (d = %d : index)
  %b = tally.bincount %c minlength %i : tensor<3xi64>
  return %r, %b : tensor<?xi64>, tensor<?xi64>
}

// CHECK-LABEL: @negative_counts
// CHECK: tally.repeat_interleave needs 0 <= n
// CHECK: : [max(n, 0) + 1]
// A size does not prove the check of a part: the part would have none.
// CHECK-LABEL: @bound_parts
// CHECK: tally.split needs 0 <= n
// FATE: 0 <= n: asserted
func.func @negative_counts(%i: i64 {tally.value = #tally.expr<n>}) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<n>} {
  %one = arith.constant 1 : i64
  %c = tensor.from_elements %i, %one : tensor<2xi64>
  %r = tally.repeat_interleave %c : tensor<2xi64>
  return %r : tensor<?xi64>
}
func.func @bound_parts(%x: tensor<?xf32>, %n: index {tally.value = #tally.expr<n>}, %m: index {tally.value = #tally.expr<m>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n, m, u0 : unbacked>} {
  %a, %b = tally.split %x[%n, %m] dim 0 : tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  return %a : tensor<?xf32>
}

// CHECK-LABEL: @parts
// CHECK: : [-(min(select(u0 <= -1, max(s0 + u0, 0), min(s0, u0)) - select(u1 <= -1, max(s0 + u1, 0), min(s0, u1)), 0) floordiv 2), 8]
// CHECK: tally.select needs 0 <= s0 + u0 and u0 < s0
// CHECK: : [8]
// CHECK: tally.split needs 0 <= u0
// CHECK: tally.split needs 0 <= u1
// CHECK: tally.split needs s0 == u0 + u1
// CHECK: #0: [u3, 8]
// CHECK: #1: [u4, 8]
// PRECONDITIONS-LABEL: @parts(
// PRECONDITIONS: tally.check <-s0 <= u0 < s0>, "the index is out of range" required_by("tally.select")
// PRECONDITIONS: tally.check <0 <= u0>, "a part has a negative size" required_by("tally.split")
// PRECONDITIONS: tally.check <u0 + u1 == s0> required_by("tally.split")
// FATE: 2 * u2 <= s0 + 1: proven
// FATE: 0 <= u0: asserted
// FATE: u3 + u4 == s0: merged into the assert of s0 == u0 + u1
func.func @parts(%x: tensor<?x8xf32> {tally.shape = #tally.shape<s0, 8>, tally.name = "x"}, %ti: tensor<i64>, %tj: tensor<i64>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked, u4 : unbacked>} {
  %i = tally.item %ti : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %j = tally.item %tj : tensor<i64> bind #tally.bindings<u1 = result(0)>
  %a = arith.index_cast %i : i64 to index
  %b = arith.index_cast %j : i64 to index
  %s = tally.slice %x[%a to %b step 2] dim 0 : tensor<?x8xf32> bind #tally.bindings<u2 = result(0).size(0)>
  tally.check <2 * u2 <= s0 + 1>
  %e = tally.select %x[%a] dim 0 : tensor<?x8xf32>
  %p:2 = tally.split %x[%a, %b] dim 0 : tensor<?x8xf32> bind #tally.bindings<u3 = result(0).size(0), u4 = result(1).size(0)>
  tally.check <u3 + u4 == s0>
  return %s, %e, %p#0, %p#1 : tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
