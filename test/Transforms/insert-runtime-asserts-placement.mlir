// RUN: tally-opt %s --tally-insert-runtime-asserts --allow-unregistered-dialect --split-input-file | FileCheck %s
// RUN: tally-opt %s --tally-insert-runtime-asserts=explain --allow-unregistered-dialect --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tally-test-opt %s --tally-insert-runtime-asserts --test-irredundant-asserts --allow-unregistered-dialect --split-input-file -o /dev/null

// What is known in every iteration is asserted before the loops, where all of them
// have an iteration and the branch between them is taken. What depends on the outer
// index stays in the outer loop.

// CHECK-LABEL: func.func @nested
// CHECK:         tally.assert %{{.*}}, <s == b>
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             tally.assert %{{.*}}, <s <= i>
// CHECK:             scf.for
// CHECK-NOT:           tally.assert

// EXPLAIN: remark: s == b: asserted before the 'scf.for' at {{.*}}, where 1 <= m and p and 1 <= n
// EXPLAIN: remark: s <= i: asserted before the 'scf.for' at {{.*}}, where 1 <= m{{$}}
func.func @nested(%n: index {tally.name = "n"}, %m: index {tally.name = "m"}, %p: i1 {tally.name = "p"},
                  %x: tensor<?xf32>, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      scf.for %j = %c0 to %m step %c1 {
        %d = tensor.dim %x, %c0 : tensor<?xf32>
        %s = arith.addi %d, %c1 : index
        tally.check <s == b> (s = %s, b = %b : index, index)
        tally.check <s <= i> (s = %s, i = %i : index, index)
      }
    }
  }
  return
}

// -----

// The second loop has an iteration exactly if the first one has.

// CHECK-LABEL: func.func @second_loop
// CHECK-COUNT-1: tally.assert
// CHECK-NOT:     tally.assert

// EXPLAIN: remark: a == b: asserted before the 'scf.for'
// EXPLAIN: remark: a == b: proven (facts) from
func.func @second_loop(%n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tally.check <a == b> (a = %a, b = %b : index, index)
  }
  scf.for %i = %c0 to %n step %c1 {
    tally.check <a == b> (a = %a, b = %b : index, index)
  }
  return
}

// -----

// A branch keeps its checks, but for those of what was there before an effect
// that comes before the branch.

// CHECK-LABEL: func.func @effect
// CHECK-SAME:    %[[N:.*]]: index, %[[B:.*]]: index, %[[P:.*]]: i1
// CHECK:         %[[SKIPPED:.*]] = arith.xori %[[P]], %true
// CHECK:         %[[EQ:.*]] = arith.cmpi eq, %[[N]], %[[B]]
// CHECK:         %[[OK:.*]] = arith.ori %[[SKIPPED]], %[[EQ]]
// CHECK:         tally.assert %[[OK]], <n == b>
// CHECK:         %[[U:.*]] = "test.effect"
// CHECK:         scf.if
// CHECK:           tally.assert %{{.*}}, <u == b>
func.func @effect(%n: index, %b: index, %p: i1) {
  %u = "test.effect"() : () -> index
  scf.if %p {
    tally.check <n == b> (n = %n, b = %b: index, index)
    tally.check <u == b> (u = %u, b = %b: index, index)
  }
  return
}

// -----

// An operand that is computed behind an effect is computed again before it.

// CHECK-LABEL: func.func @computed_late
// CHECK:         tally.assert %{{.*}}, <m == b>
// CHECK:         "test.effect"
// CHECK:         arith.addi
func.func @computed_late(%n: index, %b: index) {
  %c1 = arith.constant 1 : index
  tally.assume <0 <= n and n <= 64> (n = %n : index)
  "test.effect"() : () -> ()
  %m = arith.addi %n, %c1 : index
  tally.check <m == b> (m = %m, b = %b: index, index)
  return
}

// -----

// The subgraphs of a higher-order operation are closed: what they are given is
// there before.

// CHECK-LABEL: func.func @subgraphs
// CHECK:         tally.assert %{{.*}}, <x < y> (x = %[[N:.*]], y = %[[B:.*]] : index, index) sources({x = "n", y = "b"})
// CHECK:         tally.assert %{{.*}}, <y < x> (x = %[[N]], y = %[[B]] : index, index)
// CHECK:         scf.for

// EXPLAIN: remark: x < y: asserted before the 'scf.for' at {{.*}}, where p and 1 <= n
// EXPLAIN: remark: y < x: asserted before the 'scf.for' at {{.*}}, where not p and 1 <= n
func.func @subgraphs(%n: index {tally.name = "n"}, %b: index {tally.name = "b"}, %p: i1 {tally.name = "p"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tally.cond %p(%n, %b) : (index, index) -> () {
    ^bb0(%x: index, %y: index):
      tally.check <x < y> (x = %x, y = %y : index, index)
      tally.yield
    } else {
    ^bb0(%x: index, %y: index):
      tally.check <y < x> (x = %x, y = %y : index, index)
      tally.yield
    }
  }
  return
}

// -----

// A loop that asks first runs its condition at least once; its body perhaps
// never. A case of a switch runs for its number.

// CHECK-LABEL: func.func @while
// CHECK:         tally.assert %{{.*}}, <a <= b>
// CHECK:         scf.while
// CHECK:         do
// CHECK:           tally.assert %{{.*}}, <a == b>
// CHECK:         tally.assert %{{.*}}, <a == 7>
// CHECK:         scf.for

// EXPLAIN: remark: a <= b: asserted before the 'scf.while' at {{[^,]*$}}
// EXPLAIN: remark: a == b: asserted{{$}}
// EXPLAIN: remark: a == 7: asserted before the 'scf.for' at {{.*}}, where {{.*}} == 2 and 1 <= {{.*}}
func.func @while(%n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    tally.check <a <= b> (a = %a, b = %b : index, index)
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%j: index):
    tally.check <a == b> (a = %a, b = %b : index, index)
    %next = arith.addi %j, %c1 : index
    scf.yield %next : index
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.index_switch %b
    case 2 {
      tally.check <a == 7> (a = %a : index)
      scf.yield
    }
    default {
      scf.yield
    }
  }
  return
}

// -----

// Overflow where the branch is not taken is nothing to complain of: the check is
// only needed where it is.

// CHECK-LABEL: func.func @not_taken
// CHECK:         arith.muli
// CHECK:         %[[OK:.*]] = arith.ori
// CHECK-NEXT:    tally.assert %[[OK]], <n * n <= b>
// CHECK:         scf.for
func.func @not_taken(%n: index, %b: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %small = arith.cmpi ult, %n, %c64 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.if %small {
      tally.check <n * n <= b> (n = %n, b = %b : index, index)
    }
  }
  return
}

// -----

// A condition that only the body computes is no condition before the loop.

// CHECK-LABEL: func.func @variant
// CHECK-NOT:     tally.assert
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             tally.assert %{{.*}}, <a == b>
func.func @variant(%n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %first = arith.cmpi eq, %i, %a : index
    scf.if %first {
      tally.check <a == b> (a = %a, b = %b : index, index)
    }
  }
  return
}

// -----

// A size that cancels out of the condition is told: the assert stays behind
// the call that makes it.

// CHECK-LABEL: func.func @cancels
// CHECK:         call @make
// CHECK:         %[[D:.*]] = tensor.dim
// CHECK:         tally.assert %{{.*}}, <p == q + 1> (p = %[[D]], q = %[[D]]
func.func private @make() -> tensor<?xf32>
func.func @cancels() {
  %c0 = arith.constant 0 : index
  %t = call @make() : () -> tensor<?xf32>
  %d = tensor.dim %t, %c0 : tensor<?xf32>
  tally.check <p == q + 1> (p = %d, q = %d : index, index)
  return
}
