// RUN: tally-opt %s --tally-print-shapes -o /dev/null | FileCheck %s
// RUN: tally-opt %s --tally-bind-symbols --tally-insert-runtime-asserts=explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// The same question about the same value has one answer, where the first asking
// runs on every way to the second.

// CHECK-LABEL: @same
// CHECK:         %0: [u0, 1]
// CHECK-NEXT:    %1: [u0, 1]
// CHECK-NEXT:    %2: [u2, 1]
// CHECK-NEXT:    %3: [u2, 1]
// EXPLAIN: u0 == u1: proven
// EXPLAIN: u0 == u2: asserted
// EXPLAIN: u2 == u3: proven
func.func @same(%x: tensor<?xi1> {tally.shape = #tally.shape<s0>}, %y: tensor<?xi1> {tally.shape = #tally.shape<s0>},
                %p: i1)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked>} {
  %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %b = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
  tally.check <u0 == u1>
  %c = tally.nonzero %y : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u2 = result(0).size(0)>
  tally.check <u0 == u2>
  scf.if %p {
    %d = tally.nonzero %y : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u3 = result(0).size(0)>
    tally.check <u2 == u3>
  }
  return
}

// A branch beside, or an earlier iteration of a loop, is not on every way.

// CHECK-LABEL: @branches
// CHECK:         : [u0, 1]
// CHECK-NEXT:    : [u1, 1]
// CHECK-NEXT:    : [u2, 1]
// EXPLAIN: u2 <= 4: asserted
func.func @branches(%x: tensor<?xi1> {tally.shape = #tally.shape<s0>}, %p: i1)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
  scf.if %p {
    %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    tally.check <u0 <= 4>
  } else {
    %b = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
  }
  %c = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u2 = result(0).size(0)>
  tally.check <u2 <= 4>
  return
}

// What is declared of one is known of the other; of a float only what a
// comparison says, since NaN is not equal to itself.

// CHECK-LABEL: @items
// CHECK:         %0 = u0
// CHECK-NEXT:    %1 = u0
// EXPLAIN: u1 <= 4: merged into the assert of u0 <= 4
// EXPLAIN: zuf0 == zuf1: asserted
// EXPLAIN: zuf0 > 0.5: asserted
// EXPLAIN: zuf1 > 0.5: merged into the assert of 0.5 < zuf0
func.func @items(%f: tensor<f32>, %i: tensor<1xi64>)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked [0, 4], u1 : unbacked, zuf0 : unbacked float, zuf1 : unbacked float>} {
  %0 = tally.item %i : tensor<1xi64> bind #tally.bindings<u0 = result(0)>
  %1 = tally.item %i : tensor<1xi64> bind #tally.bindings<u1 = result(0)>
  tally.check <u1 <= 4>
  %2 = tally.item %f : tensor<f32> bind #tally.bindings<zuf0 = result(0)>
  %3 = tensor.extract %f[] : tensor<f32>
  %4 = tally.item %f : tensor<f32> bind #tally.bindings<zuf1 = result(0)>
  tally.check <zuf0 == zuf1>
  tally.check <"zuf0 > 0.5">
  tally.check <"zuf1 > 0.5">
  return
}

// An argument of rank 0 is read once as well; a boolean may be a number.

// CHECK-LABEL: @arguments
// CHECK:         %{{.*}} = s0
// CHECK-NEXT:    %{{.*}} = s0
// CHECK-NEXT:    %{{.*}} = s1 == 1
// EXPLAIN: v <= 8: merged into the assert of s0 <= 8
func.func @arguments(%t: tensor<i64> {tally.value = #tally.expr<s0>}, %p: tensor<i1> {tally.value = #tally.expr<s1>})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 8], s1 : [0, 1]>} {
  %v = tally.item %t : tensor<i64>
  %w = tensor.extract %t[] : tensor<i64>
  %b = tally.item %p : tensor<i1>
  tally.check <v <= 8> (v = %w : i64)
  return
}
