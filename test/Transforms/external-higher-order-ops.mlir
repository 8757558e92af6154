// RUN: tally-test-opt %s -tally-lift-free-symbols | FileCheck %s --check-prefix=LIFT
// RUN: tally-test-opt %s -tally-lift-free-symbols -tally-lower-hops | FileCheck %s --check-prefix=LOWER

// Operations of a dialect that is not Tally's are lifted and lowered like ours.

// A loop: what it carries changes from iteration to iteration, so that %x is passed once
// more, as a capture.
// LIFT-LABEL: func.func @repeat(
// LIFT-SAME:    %[[N:.*]]: index, %[[X:.*]]: tensor<?xf32>, %[[D:.*]]: index)
// LOWER-LABEL: func.func @repeat(
// LOWER-SAME:    %[[N:.*]]: index, %[[X:.*]]: tensor<?xf32>, %[[D:.*]]: index)
func.func @repeat(%n: index, %x: tensor<?xf32>, %d: index) -> tensor<?xf32> {
  %s0 = tally.symbol "s0" = %d in [0, 64] : index
  // LIFT: test_hop.repeat %[[N]] carries(%[[X]]) uses(%s0, %[[X]]) : (index, tensor<?xf32>, index, tensor<?xf32>) -> tensor<?xf32> {
  // LIFT: ^bb0(%[[A:.*]]: tensor<?xf32>, %[[S:.*]]: index, %[[X1:.*]]: tensor<?xf32>):
  // LIFT:   %[[S0:.*]] = tally.symbol "s0" = %[[S]] in [0, 64] : index
  // LIFT:   tensor.empty(%[[S0]])
  // LIFT:   linalg.add ins(%[[A]], %[[X1]]
  // LOWER: scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (tensor<?xf32>) {
  // LOWER:   linalg.add ins(%[[A]], %[[X]]
  // LOWER:   scf.yield
  %r = test_hop.repeat %n carries(%x) uses() : (index, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %e = tensor.empty(%s0) : tensor<?xf32>
    %b = linalg.add ins(%a, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    test_hop.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The interface is attached from outside; it lowers to tally.cond, which is
// lowered in turn, as is the one inside.
// LIFT-LABEL: func.func @pick(
// LIFT-SAME:    %[[I:.*]]: index, %[[P:.*]]: i1, %[[X:.*]]: tensor<?xf32>)
// LOWER-LABEL: func.func @pick(
// LOWER-SAME:    %[[I:.*]]: index, %[[P:.*]]: i1, %[[X:.*]]: tensor<?xf32>)
func.func @pick(%i: index, %p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  // LIFT: test_hop.pick %[[I]](%[[X]], %[[P]])
  // LIFT: ^bb0(%[[A:.*]]: tensor<?xf32>, %[[Q:.*]]: i1):
  // LIFT:   tally.cond %[[Q]](%[[A]]) :
  // LOWER-NOT: tally.cond
  // LOWER-NOT: test_hop
  // LOWER: %[[ZERO:.*]] = arith.cmpi eq, %[[I]], %{{.*}} : index
  // LOWER: scf.if %[[ZERO]] -> (tensor<?xf32>) {
  // LOWER:   scf.if %[[P]] -> (tensor<?xf32>) {
  // LOWER:     scf.yield %[[X]]
  %r = test_hop.pick %i(%x) : (index, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %b = tally.cond %p : () -> tensor<?xf32> {
      tally.yield %a : tensor<?xf32>
    } else {
      %e = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
      tally.yield %e : tensor<?xf32>
    }
    test_hop.yield %b : tensor<?xf32>
  } or {
  ^bb0(%a: tensor<?xf32>):
    test_hop.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
