// RUN: tally-opt %s --tally-insert-runtime-asserts --allow-unregistered-dialect --split-input-file | FileCheck %s

// What is not proven is asserted. The message gets the value of each side that
// is more than a symbol, and where each value comes from.

// CHECK-LABEL: func.func @asserted
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index
// CHECK:         %[[S0:.*]] = tally.symbol "s0" = %[[A]] from "x.size(0)" in [0, 4096] : index
// CHECK:         %[[S1:.*]] = tally.symbol "s1" = %[[B]] from "x.size(1)" in [0, 4096] : index
// CHECK-NEXT:    %[[P:.*]] = arith.muli %[[S0]], %[[S1]] : index
// CHECK-NEXT:    %[[C7:.*]] = arith.constant 7 : index
// CHECK-NEXT:    %[[OK:.*]] = arith.cmpi eq, %[[P]], %[[C7]] : index
// CHECK-NEXT:    tally.assert %[[OK]], <s0 * s1 == 7> (s0 = %[[S0]], s1 = %[[S1]], "s0 * s1" = %[[P]] : index, index, index)
// CHECK-SAME:      message("seven are needed") sources({s0 = "x.size(0)", s1 = "x.size(1)"}) required_by("linalg.add")
// CHECK-NOT:     tally.check
func.func @asserted(%a: index, %b: index) {
  %s0 = tally.symbol "s0" = %a from "x.size(0)" in [0, 4096] : index
  %s1 = tally.symbol "s1" = %b from "x.size(1)" in [0, 4096] : index
  tally.check <s0 * s1 == 7>, "seven are needed" (s0 = %s0, s1 = %s1 : index, index) required_by("linalg.add")
  return
}

// -----

// What follows from declarations and from asserts before needs no assert.

// CHECK-LABEL: func.func @proven
// CHECK-COUNT-1: tally.assert
// CHECK-NOT:     tally.assert
// CHECK-NOT:     tally.check
func.func @proven(%a: index, %b: index) {
  %s0 = tally.symbol "s0" = %a in [1, 64] divisible_by 8 : index
  %s1 = tally.symbol "s1" = %b : index
  tally.check <8 <= s0> (s0 = %s0 : index)
  tally.check <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
  tally.check <s1 mod 4 == 0> (s1 = %s1 : index)
  tally.check <s0 * s1 == s1 * s0> (s0 = %s0, s1 = %s1 : index, index)
  return
}

// -----

// An assert stands as early as its values exist, but behind what was asserted
// before, and in front of what it protects.

// CHECK-LABEL: func.func @early
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index
// CHECK-NEXT:    arith.cmpi eq, %[[A]], %[[B]] : index
// CHECK-NEXT:    tally.assert %{{.*}}, <a == b>
// CHECK-NEXT:    %[[LATE:.*]] = "test.late"
// CHECK-NEXT:    arith.cmpi sle, %[[LATE]], %[[B]]
// CHECK-NEXT:    tally.assert %{{.*}}, <u <= b>
// CHECK-NEXT:    "test.work"
// CHECK-NEXT:    return
func.func @early(%a: index, %b: index) {
  %u = "test.late"() : () -> index
  "test.work"() : () -> ()
  tally.check <a == b> (a = %a, b = %b : index, index)
  tally.check <u <= b> (u = %u, b = %b : index, index)
  return
}

// -----

// A symbol that is defined late: a later check of what existed before follows it.

// CHECK-LABEL: func.func @in_order
// CHECK:         %[[U:.*]] = tally.symbol "u0"
// CHECK:         tally.assert %{{.*}}, <u0 <= x>
// CHECK:         tally.assert %{{.*}}, <x <= y>
func.func @in_order(%t: tensor<?xindex>, %x: index, %y: index) {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %t[%c0] : tensor<?xindex>
  %u0 = tally.symbol "u0" = %e : index
  tally.check <u0 <= x> (u0 = %u0, x = %x : index, index)
  tally.check <x <= y> (x = %x, y = %y : index, index)
  return
}

// -----

// An assert is in front of what it may come before, a call as well: nothing is
// done that a failed check would have prevented.

// CHECK-LABEL: func.func @before_call
// CHECK:         tally.assert %{{.*}}, <a == b>
// CHECK-NEXT:    call @other
func.func private @other()
func.func @before_call(%a: index, %b: index) {
  call @other() : () -> ()
  tally.check <a == b> (a = %a, b = %b : index, index)
  return
}

// -----

// A loop may run no iteration. A check that says the same in every iteration is asserted
// once, before the loop, and only if there is an iteration; behind the loop no more is
// known. What the bounds of the loop imply needs no assert.

// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %[[N:.*]]: index, %[[A:.*]]: index, %[[B:.*]]: index
// CHECK:         %[[NONE:.*]] = arith.cmpi sle, %[[N]], %{{.*}}
// CHECK:         %[[EQ:.*]] = arith.cmpi eq, %[[A]], %[[B]]
// CHECK:         %[[OK:.*]] = arith.ori %[[NONE]], %[[EQ]]
// CHECK:         tally.assert %[[OK]], <a == b>
// CHECK-NEXT:    arith.cmpi eq
// CHECK-NEXT:    tally.assert %{{.*}}, <a == b>
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @loop(%n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tally.check <a == b> (a = %a, b = %b : index, index)
    tally.check <0 <= i and i < n> (i = %i, n = %n : index, index)
    tally.check <a + i == b + i> (a = %a, b = %b, i = %i : index, index, index)
  }
  tally.check <a == b> (a = %a, b = %b : index, index)
  return
}

// -----

// What a `while` goes on for is known in its body, of the values that it hands to it; of
// others nothing is, nor of what comes out.

// CHECK-LABEL: func.func @while_goes_on
// CHECK:         do
// CHECK-NEXT:    ^bb0(%[[OTHER:.*]]: i32, %[[TESTED:.*]]: i32):
// CHECK-NOT:       tested
// CHECK:           tally.assert %{{.*}}, <"other != 0">
// CHECK-NOT:       tested
// CHECK:           scf.yield
// CHECK:         tally.assert %{{.*}}, <"last != 0">
func.func @while_goes_on(%n: i32, %d: i32) {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%u = %d, %v = %n) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ne, %u, %zero : i32
    scf.condition(%go) %v, %u : i32, i32
  } do {
  ^bb0(%other: i32, %tested: i32):
    tally.check <"tested != 0"> (tested = %tested : i32)
    tally.check <"other != 0"> (other = %other : i32)
    %next = arith.subi %tested, %other : i32
    scf.yield %next, %tested : i32, i32
  }
  tally.check <"last != 0"> (last = %r#1 : i32)
  return
}

// -----

// What is known before a loop holds in every iteration.

// CHECK-LABEL: func.func @before_loop
// CHECK-COUNT-1: tally.assert
// CHECK-NOT:     tally.assert
func.func @before_loop(%n: index, %a: index, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tally.check <a == b> (a = %a, b = %b : index, index)
  scf.for %i = %c0 to %n step %c1 {
    tally.check <a + i == b + i> (a = %a, b = %b, i = %i : index, index, index)
  }
  return
}

// -----

// The bounds of an unsigned loop say nothing about signed numbers: up to -1 it
// runs 2^64 - 1 iterations.

// CHECK-LABEL: func.func @unsigned_loop
// CHECK:         scf.for unsigned
// CHECK:           tally.assert %{{.*}}, <i < n> {{.*}} sources({i = "the index of a loop", n = "arg0"})
func.func @unsigned_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %i = %c0 to %n step %c1 {
    tally.check <i < n> (i = %i, n = %n : index, index)
  }
  return
}

// -----

// A step that may be negative says nothing about the lower bound.

// CHECK-LABEL: func.func @unknown_step
// CHECK:         tally.assert %{{.*}}, <0 <= i>
func.func @unknown_step(%n: index, %step: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %step {
    tally.check <0 <= i> (i = %i : index)
  }
  return
}

// -----

// Parallel loops: every iteration asserts for itself.

// CHECK-LABEL: func.func @parallel
// CHECK:         scf.parallel
// CHECK-NEXT:      arith.cmpi slt
// CHECK-NEXT:      tally.assert %{{.*}}, <i < m>
// CHECK-NEXT:      scf.reduce
func.func @parallel(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    tally.check <i + j < n + m> (i = %i, j = %j, n = %n, m = %m : index, index, index, index)
    tally.check <i < m> (i = %i, m = %m : index, index)
  }
  return
}

// -----

// A value that goes around a loop is not what it was at first.

// CHECK-LABEL: func.func @carried
// CHECK:         scf.for
// CHECK:           tally.assert %{{.*}}, <x == 0>
// CHECK:         tally.assert %{{.*}}, <r == 0>
func.func @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c0) -> (index, index) {
    tally.check <x == 0> (x = %x : index)
    %z = arith.addi %x, %c1 : index
    scf.yield %y, %z : index, index
  }
  tally.check <r == 0> (r = %r#0 : index)
  return
}

// -----

// Nor is a tensor that two loop arguments swap.

// CHECK-LABEL: func.func @swapped
// CHECK:         scf.for
// CHECK:           tally.assert %{{.*}}, <d == da>
func.func @swapped(%n: index, %a: tensor<?xf32>, %b: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %da = tensor.dim %a, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<?xf32>, tensor<?xf32>) {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    tally.check <d == da> (d = %d, da = %da : index, index)
    scf.yield %y, %x : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// -----

// scf.while: what holds of one iteration does not hold of the next.

// CHECK-LABEL: func.func @while
// CHECK:         scf.while
// CHECK:         do
// CHECK:           tally.assert %{{.*}}, <0 <= j>
// CHECK:         tally.assert %{{.*}}, <r == 0>
func.func @while(%n: index) {
  %c0 = arith.constant 0 : index
  %cm1 = arith.constant -1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %go = arith.cmpi sgt, %i, %n : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%j: index):
    tally.check <0 <= j> (j = %j : index)
    %next = arith.addi %j, %cm1 : index
    scf.yield %next : index
  }
  tally.check <r == 0> (r = %r : index)
  return
}

// -----

// An assert in one branch holds in that branch.

// CHECK-LABEL: func.func @one_branch
// CHECK:         scf.if
// CHECK:           tally.assert %{{.*}}, <a == b>
// CHECK-NOT:       tally.assert
// CHECK:         }
// CHECK:         tally.assert %{{.*}}, <a == b>
func.func @one_branch(%c: i1, %a: index, %b: index) {
  scf.if %c {
    tally.check <a == b> (a = %a, b = %b : index, index)
    tally.check <b == a> (a = %a, b = %b : index, index)
  }
  tally.check <a == b> (a = %a, b = %b : index, index)
  return
}

// -----

// The condition of a branch holds in the branch, its negation in the other one.

// CHECK-LABEL: func.func @condition
// CHECK:         scf.if
// CHECK-NEXT:    } else {
// CHECK-NEXT:      arith.cmpi slt
// CHECK-NEXT:      tally.assert %{{.*}}, <b < a>{{.*$}}
// CHECK-NEXT:    }
func.func @condition(%a: index, %b: index) {
  %p = arith.cmpi slt, %a, %b : index
  scf.if %p {
    tally.check <a + 1 <= b> (a = %a, b = %b : index, index)
  } else {
    tally.check <b <= a> (a = %a, b = %b : index, index)
    tally.check <b < a> (a = %a, b = %b : index, index)
  }
  return
}

// -----

// An unsigned comparison does not order signed numbers.

// CHECK-LABEL: func.func @unsigned_condition
// CHECK:         tally.assert %{{.*}}, <a < b>
func.func @unsigned_condition(%a: index, %b: index) {
  %p = arith.cmpi ult, %a, %b : index
  scf.if %p {
    tally.check <a < b> (a = %a, b = %b : index, index)
  }
  return
}

// -----

// The subgraphs of a tally.cond are branches as well.

// CHECK-LABEL: func.func @cond
// CHECK:         tally.cond
// CHECK-NOT:       tally.assert
// CHECK:         } else {
// CHECK-NOT:       tally.assert %{{.*}}, <y <= x>
// CHECK:           tally.assert %{{.*}}, <x < y> (x = %{{.*}}, y = %{{.*}} : index, index) sources({x = "arg0", y = "arg1"})
// CHECK:         }
func.func @cond(%a: index, %b: index) {
  %p = arith.cmpi slt, %a, %b : index
  tally.cond %p(%a, %b) : (index, index) -> () {
  ^bb0(%x: index, %y: index):
    tally.check <x < y> (x = %x, y = %y : index, index)
    tally.yield
  } else {
  ^bb0(%x: index, %y: index):
    tally.check <y <= x> (x = %x, y = %y : index, index)
    tally.check <x < y> (x = %x, y = %y : index, index)
    tally.yield
  }
  return
}

// -----

// A range that a symbol declares in one branch says nothing outside of it: the
// product may wrap.

// CHECK-LABEL: func.func @range_in_branch
// CHECK:         scf.if
// CHECK:           tally.symbol "s0" = %{{.*}} in [0, 4096]
// CHECK-NEXT:    }
// CHECK:         tally.assert %{{.*}}, <0 <= p>
func.func @range_in_branch(%c: i1, %d: index) {
  scf.if %c {
    tally.check <0 <= d and d <= 4096> (d = %d : index)
    %s = tally.symbol "s0" = %d in [0, 4096] : index
  }
  %p = arith.muli %d, %d : index
  tally.check <0 <= p> (p = %p : index)
  return
}

// -----

// Blocks: a check holds where its block dominates, and only there.

// CHECK-LABEL: func.func @blocks
// CHECK:       ^bb1:
// CHECK:         tally.assert %{{.*}}, <a == b>
// CHECK-NEXT:    cf.br ^bb2
// CHECK:       ^bb2:
// CHECK-NEXT:    cf.br ^bb4
// CHECK:       ^bb4:
// CHECK:         tally.assert %{{.*}}, <a == b>
func.func @blocks(%c: i1, %a: index, %b: index) {
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  tally.check <a == b> (a = %a, b = %b : index, index)
  cf.br ^bb2
^bb2:
  tally.check <a == b> (a = %a, b = %b : index, index)
  cf.br ^bb4
^bb3:
  cf.br ^bb4
^bb4:
  tally.check <a == b> (a = %a, b = %b : index, index)
  return
}

// -----

// A sum that wraps is not the sum of the numbers, and is compared exactly.

// CHECK-LABEL: func.func @wraps
// CHECK:         arith.addi {{.*}} : i128
// CHECK:         tally.assert %{{.*}}, <s == a + b>
func.func @wraps(%a: index, %b: index) {
  %s = arith.addi %a, %b : index
  tally.check <s == a + b> (s = %s, a = %a, b = %b : index, index, index)
  return
}

// -----

// A division by zero is a check that fails, not a trap; behind it the divisor
// is known.

// CHECK-LABEL: func.func @division
// CHECK:         %[[NONZERO:.*]] = arith.cmpi ne, %{{.*}}, %c0
// CHECK:         arith.select %[[NONZERO]]
// CHECK:         %[[OK:.*]] = arith.andi %{{.*}}, %[[NONZERO]] : i1
// CHECK:         tally.assert %[[OK]], <a mod b == 0>
// CHECK-NOT:     tally.assert
func.func @division(%a: index, %b: index) {
  tally.check <a mod b == 0> (a = %a, b = %b : index, index)
  tally.check <"b != 0"> (b = %b : index)
  return
}

// -----

// Behind an assumption, and behind what can never hold, nothing is asserted
// that follows.

// CHECK-LABEL: func.func @assumed
// CHECK-NEXT:    tally.assume <a <= 3>
// CHECK-NEXT:    return
func.func @assumed(%a: index) {
  tally.assume <a <= 3> (a = %a : index)
  tally.check <a <= 5> (a = %a : index)
  return
}

// -----

// An assumption after a check does not excuse it.

// CHECK-LABEL: func.func @assumed_later
// CHECK:         tally.assert %{{.*}}, <a <= 5>
// CHECK:         tally.assume <a <= 3>
func.func @assumed_later(%a: index) {
  tally.check <a <= 5> (a = %a : index)
  tally.assume <a <= 3> (a = %a : index)
  return
}

// -----

// Where a value comes from: an argument, a size, an element, the result of an
// operation, or the operand that a subgraph is given.

// CHECK-LABEL: func.func @sources
// CHECK:         <s0 == d0> {{.*}} sources({d0 = "mask.size(0)", s0 = "x.size(0)"}) declared_by("mask")
// CHECK:         <i <= d0> {{.*}} sources({d0 = "mask.size(0)", i = "n"})
// CHECK:         <e <= k> {{.*}} sources({e = "arg3[1]", k = "arg4"})
// CHECK:         <v <= k> {{.*}} sources({k = "arg4", v = "arg5.item()"})
// CHECK:         <d == k> {{.*}} sources({d = "tally.nonzero(mask).size(0)", k = "arg4"})
// CHECK:         <r == k> {{.*}} sources({k = "arg4", r = "callee(...)"})
// CHECK:         scf.for
// CHECK:           <f == 4> {{.*}} sources({f = "arg3[...]"})
func.func private @callee() -> index
func.func @sources(%x: tensor<?xf32> {tally.name = "x"}, %mask: tensor<?xi1> {tally.name = "mask"},
                   %n: i64 {tally.name = "n"}, %t: tensor<?xi64>, %k: index, %o: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dx = tensor.dim %x, %c0 : tensor<?xf32>
  %s0 = tally.symbol "s0" = %dx from "x.size(0)" : index
  %d0 = tensor.dim %mask, %c0 : tensor<?xi1>
  tally.check <s0 == d0> (s0 = %s0, d0 = %d0 : index, index) declared_by("mask")
  %i = arith.index_cast %n : i64 to index
  tally.check <i <= d0> (i = %i, d0 = %d0 : index, index)
  %e = tensor.extract %t[%c1] : tensor<?xi64>
  tally.check <e <= k> (e = %e, k = %k : i64, index)
  %v = tally.item %o : tensor<i64>
  tally.check <v <= k> (v = %v, k = %k : i64, index)
  %nz = tally.nonzero %mask : tensor<?xi1> -> tensor<?x1xi64>
  %d = tensor.dim %nz, %c0 : tensor<?x1xi64>
  tally.check <d == k> (d = %d, k = %k : index, index)
  %r = call @callee() : () -> index
  tally.check <r == k> (r = %r, k = %k : index, index)
  scf.for %j = %c0 to %k step %c1 {
    %f = tensor.extract %t[%j] : tensor<?xi64>
    tally.check <f == 4> (f = %f : i64)
  }
  return
}

// -----

// Nothing to do: an empty function and a declaration. Every function is handled
// by itself.

// CHECK-LABEL: func.func private @declared(index)
// CHECK:       func.func @empty() {
// CHECK-NEXT:    return
// CHECK:       func.func @first
// CHECK:         tally.assert %{{.*}}, <a == 1>
// CHECK:       func.func @second
// CHECK:         tally.assert %{{.*}}, <a == 1>
func.func private @declared(index)
func.func @empty() {
  return
}
func.func @first(%a: index) {
  tally.check <a == 1> (a = %a : index)
  call @second(%a) : (index) -> ()
  return
}
func.func @second(%a: index) {
  tally.check <a == 1> (a = %a : index)
  return
}

// -----

// A precondition that could not be stated, but follows from an assumption.

// CHECK-LABEL: func.func @unchecked
// CHECK:         tally.assume <0 <= j and j < n>
// CHECK-NEXT:    tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf32>
func.func @unchecked(%x: tensor<?xf32>, %at: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = tensor.extract %at[%i] : tensor<?xindex>
    tally.assume <0 <= j and j < n> (j = %j, n = %n : index, index)
    %v = tensor.extract %x[%j] {tally.unchecked} : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Arithmetic that cannot wrap because of an assert before it is exact.

// CHECK-LABEL: func.func @exact
// CHECK-COUNT-1: tally.assert
// CHECK:         arith.muli
// CHECK-NOT:     tally.assert
func.func @exact(%n: index) -> index {
  %c4 = arith.constant 4 : index
  tally.check <0 <= n and n <= 100> (n = %n : index)
  %p = arith.muli %n, %c4 : index
  tally.check <p == 4 * n and p <= 400> (p = %p, n = %n : index, index)
  return %p : index
}

// -----

// A boolean that nobody has a word for does not help: the message says it all.

// CHECK-LABEL: func.func @message
// CHECK-SAME:    %{{.*}}: tensor<?xi1>, %[[FLAG:.*]]: i1
// CHECK:         %[[OK:.*]] = "test.all"
// CHECK-NEXT:    tally.assert %[[OK]] message("an index is out of bounds of x") required_by("tensor.extract")
// CHECK-NEXT:    tally.assert %[[FLAG]], <flag> (flag = %[[FLAG]] : i1) message("the flag must be set")
func.func @message(%x: tensor<?xi1>, %flag: i1) {
  %ok = "test.all"(%x) : (tensor<?xi1>) -> i1
  tally.check <ok>, "an index is out of bounds of x" (ok = %ok : i1) required_by("tensor.extract")
  tally.check <flag>, "the flag must be set" (flag = %flag : i1)
  return
}
