// RUN: tally-test-opt %s -tally-propagate-shapes -split-input-file | FileCheck %s
// RUN: tally-test-opt %s -tally-check-pipeline=verify=true -split-input-file | FileCheck %s --check-prefix=CHECKED

// Operations with regions that are not Tally's carry sizes and facts as those of
// scf do, through the interfaces that they implement.

// A size that no iteration changes is that of the result, and what is captured
// has in the body the size that it has outside.
// CHECK-LABEL: func.func @repeat(
// CHECK-SAME:    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
// CHECK:         test_hop.repeat
// CHECK-NOT:       tally.check
// CHECK:         return
// CHECKED-LABEL: func.func @repeat(
// CHECKED:         test_hop.repeat
// CHECKED-NOT:     tally.assert
// CHECKED:         return
func.func @repeat(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_hop.repeat %n carries(%x) uses(%x) : (index, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %c: tensor<?xf32>):
    %b = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  %s = linalg.add ins(%r, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// The body uses values from outside: they become captures, whose sizes are known
// after the loop has been closed, too; the assert before it is not repeated.
// CHECKED-LABEL: func.func @captures(
// CHECKED:         tally.assert {{.*}}<s0 == s1>
// CHECKED:         test_hop.repeat
// CHECKED-NOT:     tally.assert
// CHECKED:         return
func.func @captures(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %r = test_hop.repeat %n carries(%x) uses() : (index, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %b = linalg.add ins(%a, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// An argument that no operand is passed to is the operation's own: nothing is known
// of its size, and what needs one asks for it.
// CHECK-LABEL: func.func @own_argument(
// CHECK-SAME:    -> tensor<?xf32>
// CHECK:         test_hop.opaque
// CHECK-NEXT:    ^bb0(%[[OWN:.*]]: tensor<?xf32>):
// CHECK:           %[[SIZE:.*]] = tensor.dim %[[OWN]]
// CHECK:           tally.check <size == 4> (size = %[[SIZE]] : index)
// CHECKED-LABEL: func.func @own_argument(
// CHECKED:         test_hop.opaque
// CHECKED:           tally.assert {{.*}}<size == 4>
func.func @own_argument() -> tensor<?xf32> {
  %r = test_hop.opaque : tensor<?xf32> {
  ^bb0(%own: tensor<?xf32>):
    %s = linalg.exp ins(%own : tensor<?xf32>) outs(%own : tensor<?xf32>) -> tensor<?xf32>
    %four = tensor.cast %s : tensor<?xf32> to tensor<4xf32>
    test_hop.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Upstream's interface for loops tells what is carried: nothing changes a size here.
// CHECK-LABEL: func.func @rounds(
// CHECK-SAME:    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
// CHECK:         test_hop.rounds
// CHECK-NOT:       tally.check
// CHECK:         return
// CHECKED-LABEL: func.func @rounds(
// CHECKED:         test_hop.rounds
// CHECKED-NOT:     tally.assert
// CHECKED:         return
func.func @rounds(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_hop.rounds carries(%x) uses(%x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: index, %a: tensor<?xf32>, %c: tensor<?xf32>):
    %b = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  %s = linalg.add ins(%r, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Nothing is known of a loop that does not tell what it yields, and of one that
// has a result for some of what it carries alone.
// CHECK-LABEL: func.func @hidden_rounds(
// CHECK:         test_hop.rounds
// CHECK:           tally.check {{.*}}required_by("linalg.add")
// CHECK:         test_hop.rounds
// CHECK:           tally.check {{.*}}required_by("linalg.add")
// CHECK:         tally.check {{.*}}required_by("linalg.add")
// CHECK:         return
func.func @hidden_rounds(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_hop.rounds carries(%x) uses(%x) {hides} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: index, %a: tensor<?xf32>, %c: tensor<?xf32>):
    %b = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  %t = test_hop.rounds carries(%x, %x) uses(%x) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: index, %a: tensor<?xf32>, %d: tensor<?xf32>, %c: tensor<?xf32>):
    %b = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b, %d : tensor<?xf32>, tensor<?xf32>
  }
  %s = linalg.add ins(%r, %t : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// What an iteration makes longer has another size in the next: its own check, and
// no assert in front of the loop.
// CHECK-LABEL: func.func @grows(
// CHECK:         test_hop.repeat
// CHECK:           tally.check
// CHECKED-LABEL: func.func @grows(
// CHECKED:         test_hop.repeat
// CHECKED:           tally.assert
func.func @grows(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_hop.repeat %n carries(%x) uses(%x) : (index, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %c: tensor<?xf32>):
    %s = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
    %b = test_hop.append %s, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The region says when it runs, so that its check can stand before the loop: it is
// asserted where the count is positive.
// CHECKED-LABEL: func.func @hoisted(
// CHECKED:         %[[NEVER:.*]] = arith.cmpi sle, %s0, %c0
// CHECKED:         %[[SAME:.*]] = arith.cmpi eq, %s1, %s2
// CHECKED:         %[[OK:.*]] = arith.ori %[[NEVER]], %[[SAME]]
// CHECKED:         tally.assert %[[OK]], <s1 == s2>
// CHECKED:         test_hop.repeat
// CHECKED-NOT:     tally.assert
func.func @hoisted(%n: index {tally.value = #tally.expr<s0>}, %x: tensor<?xf32> {tally.shape = #tally.shape<s1>}, %y: tensor<?xf32> {tally.shape = #tally.shape<s2>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %r = test_hop.repeat %n carries(%x) uses(%y) : (index, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %c: tensor<?xf32>):
    %b = linalg.add ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The flag of a branch holds in one region, and not in the other; the result is
// one of two.
// CHECK-LABEL: func.func @when(
// CHECKED-LABEL: func.func @when(
// CHECKED:         test_hop.when
// CHECKED-NOT:     tally.assert
// CHECKED:         return
func.func @when(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  %r = test_hop.when %same : tensor<?xf32> {
    %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %s : tensor<?xf32>
  } or {
    %s = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %s : tensor<?xf32>
  }
  // In both cases it is as long as %x.
  %t = linalg.add ins(%r, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}

// -----

// A loop of which upstream's interface for branches alone tells how it goes round;
// its body always runs, so that the assert stands before it.
// CHECK-LABEL: func.func @again(
// CHECK-SAME:    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
// CHECKED-LABEL: func.func @again(
// CHECKED:         tally.assert {{.*}}<s0 == s1>
// CHECKED:         test_hop.again
// CHECKED-NOT:     tally.assert
// CHECKED:         return
func.func @again(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_hop.again(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %b = linalg.add ins(%a, %y : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  %s = linalg.add ins(%r, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Of a loop that only upstream's interface for loops describes, bounds and step are
// known: it requires of them what scf.for does.
// CHECK-LABEL: func.func @count(
// CHECK:         tally.check <1 <= {{.*}}>, "the step of the loop is positive" {{.*}}required_by("test_hop.count")
// CHECK-NEXT:    tally.check {{.*}}, "the loop variable stays below 2^63" {{.*}}required_by("test_hop.count")
// CHECK-NEXT:    test_hop.count
// CHECKED-LABEL: func.func @count(
// CHECKED:         tally.assert {{.*}}required_by("test_hop.count")
func.func @count(%lo: index, %hi: index, %step: index) {
  test_hop.count %lo to %hi step %step carries() : () -> () {
  ^bb0(%i: index):
    test_hop.yield
  }
  return
}

// -----

// Its result is what it started from or what an iteration made: each has an element,
// and the one that is started from no second one.
// CHECK-LABEL: func.func @one_of_two(
// CHECKED-LABEL: func.func @one_of_two(
// CHECKED:         test_hop.count
// CHECKED-NOT:     tally.assert
// CHECKED:         tally.assert {{.*}}<1 < size>
// CHECKED-NOT:     tally.assert
// CHECKED:         return
func.func @one_of_two(%h: index, %x: tensor<?xf32> {tally.shape = #tally.shape<s0 + 1>}, %y: tensor<?xf32> {tally.shape = #tally.shape<2 * s0 + 2>}) -> (f32, f32)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = test_hop.count %c0 to %h step %c1 carries(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: index, %a: tensor<?xf32>):
    test_hop.yield %y : tensor<?xf32>
  }
  %v = tensor.extract %r[%c0] : tensor<?xf32>
  %w = tensor.extract %r[%c1] : tensor<?xf32>
  return %v, %w : f32, f32
}

// -----

// A model that has its methods declared by DeclareOpInterfaceMethods alone.
// CHECK-LABEL: func.func @append(
// CHECK-SAME:    -> (tensor<?xf32> {tally.shape = #tally.shape<s0 + s1>})
func.func @append(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_hop.append %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
