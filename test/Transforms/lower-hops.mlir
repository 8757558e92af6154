// RUN: tally-opt %s -tally-lower-hops | FileCheck %s

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[P:.*]]: i1, %[[Q:.*]]: i1, %[[X:.*]]: tensor<?xf32>)
func.func @nested(%p: i1, %q: i1, %x: tensor<?xf32>) -> (tensor<?xf32>, i1) {
  // CHECK: %[[R:.*]]:2 = scf.if %[[P]] -> (tensor<?xf32>, i1) {
  %r:2 = tally.cond %p(%x, %q) : (tensor<?xf32>, i1) -> (tensor<?xf32>, i1) {
  ^bb0(%a: tensor<?xf32>, %b: i1):
    // CHECK-NEXT: %[[I:.*]] = scf.if %[[Q]] -> (tensor<?xf32>) {
    // CHECK-NEXT:   scf.yield %[[X]] : tensor<?xf32>
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   %[[C:.*]] = func.call @block(%[[X]]) : (tensor<?xf32>) -> tensor<?xf32>
    // CHECK-NEXT:   scf.yield %[[C]] : tensor<?xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield %[[I]], %[[Q]]
    %i = tally.cond %b(%a) : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%c: tensor<?xf32>):
      tally.yield %c : tensor<?xf32>
    } else {
    ^bb0(%c: tensor<?xf32>):
      %s = tally.invoke_subgraph @block(%c) : (tensor<?xf32>) -> tensor<?xf32>
      tally.yield %s : tensor<?xf32>
    }
    tally.yield %i, %b : tensor<?xf32>, i1
  } else {
  ^bb0(%a: tensor<?xf32>, %b: i1):
    // CHECK: } else {
    // CHECK-NEXT: %[[T:.*]] = arith.constant true
    // CHECK-NEXT: scf.yield %[[X]], %[[T]]
    %t = arith.constant true
    tally.yield %a, %t : tensor<?xf32>, i1
  }
  // CHECK: return %[[R]]#0, %[[R]]#1
  return %r#0, %r#1 : tensor<?xf32>, i1
}

// CHECK-LABEL: func.func private @block(
func.func private @block(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// An operation without results that only asserts; attributes stay.
// CHECK-LABEL: func.func @no_results(
func.func @no_results(%p: i1, %ok: i1) {
  // CHECK-NEXT: scf.if %{{.*}} {
  // CHECK-NEXT:   tally.assert %{{.*}} message("in the branch")
  // CHECK-NEXT: } else {
  // CHECK-NEXT: } {note = "kept"}
  tally.cond %p(%ok) {note = "kept"} : (i1) -> () {
  ^bb0(%a: i1):
    tally.assert %a message("in the branch")
    tally.yield
  } else {
  ^bb0(%a: i1):
    tally.yield
  }
  return
}

// The same call twice, within a loop, one of them with an attribute.
// CHECK-LABEL: func.func @calls(
func.func @calls(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: func.call @block(%{{.*}}) {note = "kept"} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: func.call @block(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %b = tally.invoke_subgraph @block(%a) {note = "kept"} : (tensor<?xf32>) -> tensor<?xf32>
    %c = tally.invoke_subgraph @block(%b) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %c : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
