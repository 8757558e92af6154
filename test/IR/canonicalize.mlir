// RUN: tally-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @known_branch(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>)
func.func @known_branch(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NOT: tally.cond
  // CHECK: %[[E:.*]] = linalg.exp ins(%[[X]]
  // CHECK: return %[[E]]
  %true = arith.constant true
  %r = tally.cond %true(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %e = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %e : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    %e = linalg.log ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A symbol is read from the result: the operation stays.
// CHECK-LABEL: func.func @known_branch_binds(
func.func @known_branch_binds(%x: tensor<?xf32>) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // CHECK: tally.cond %{{.*}} bind #tally.bindings<u0 = result(1).size(0)>
  // CHECK: tally.size <u0>
  %false = arith.constant false
  %r:2 = tally.cond %false(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) bind #tally.bindings<u0 = result(1).size(0)> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a, %a : tensor<?xf32>, tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a, %a : tensor<?xf32>, tensor<?xf32>
  }
  %n = tally.size <u0> : index
  return %n : index
}

// -----

// A symbol is defined in the branch that does not run: it would be declared and
// never bound.
// CHECK-LABEL: func.func @dead_definition(
func.func @dead_definition(%x: tensor<?xi1>) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // CHECK: tally.cond
  // CHECK:   tally.nonzero
  %true = arith.constant true
  %r = tally.cond %true : () -> index {
    %c3 = arith.constant 3 : index
    tally.yield %c3 : index
  } else {
    %nz = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %n = tally.size <u0> : index
    tally.yield %n : index
  }
  return %r : index
}

// -----

// Asserts in the branch that runs stay, those in the other go.
// CHECK-LABEL: func.func @known_branch_asserts(
func.func @known_branch_asserts(%ok: i1) {
  // CHECK-NEXT: tally.assert %{{.*}} message("taken")
  // CHECK-NEXT: return
  %true = arith.constant true
  tally.cond %true(%ok) : (i1) -> () {
  ^bb0(%a: i1):
    tally.assert %a message("taken")
    tally.yield
  } else {
  ^bb0(%a: i1):
    tally.assert %a message("dropped")
    tally.yield
  }
  return
}

// -----

// A result that nobody uses goes with what made it.
// CHECK-LABEL: func.func @unused_result(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: tensor<?xf32>)
func.func @unused_result(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[R:.*]] = tally.cond %[[P]](%[[X]]) : (tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NOT: linalg.exp
  // CHECK: return %[[R]]
  %r:2 = tally.cond %p(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>):
    %e = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %e, %a : tensor<?xf32>, tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    %e = linalg.log ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %a, %e : tensor<?xf32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}

// -----

// A conditional without results, effects and bindings is dead.
// CHECK-LABEL: func.func @dead(
func.func @dead(%p: i1, %x: tensor<?xf32>) {
  // CHECK-NEXT: return
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  }
  return
}

// -----

// One that asserts is not.
// CHECK-LABEL: func.func @not_dead(
func.func @not_dead(%p: i1, %ok: i1) {
  // CHECK: tally.cond
  // CHECK:   tally.assert
  tally.cond %p(%ok) : (i1) -> () {
  ^bb0(%a: i1):
    tally.assert %a message("needed")
    tally.yield
  } else {
  ^bb0(%a: i1):
    tally.yield
  }
  return
}

// -----

// Inputs: %x is passed twice, %y is not used, the constant moves inside.
// CHECK-LABEL: func.func @inputs(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: index, %[[Y:.*]]: index)
func.func @inputs(%p: i1, %x: index, %y: index) -> index {
  // CHECK: tally.cond %[[P]](%[[X]]) : (index) -> index {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: index):
  // CHECK:        arith.addi %[[A]], %[[A]]
  // CHECK:      } else {
  // CHECK-NEXT: ^bb0(%[[B:.*]]: index):
  // CHECK:        arith.addi %[[B]], %c7
  %c7 = arith.constant 7 : index
  %r = tally.cond %p(%y, %x, %c7, %x, %y) : (index, index, index, index, index) -> index {
  ^bb0(%a: index, %b: index, %c: index, %d: index, %e: index):
    %s = arith.addi %b, %d : index
    tally.yield %s : index
  } else {
  ^bb0(%a: index, %b: index, %c: index, %d: index, %e: index):
    %s = arith.addi %d, %c : index
    tally.yield %s : index
  }
  return %r : index
}

// -----

// CHECK-LABEL: func.func @items(
// CHECK-SAME:    %[[V:.*]]: i64, %[[N:.*]]: index)
func.func @items(%v: i64, %n: index) -> (i64, f32, i64) {
  // CHECK-DAG: %[[C:.*]] = arith.constant 2.500000e+00 : f32
  // CHECK: return %[[V]], %[[C]], %[[V]]
  %t = tensor.from_elements %v : tensor<1x1xi64>
  %a = tally.item %t : tensor<1x1xi64>
  %c = arith.constant dense<2.5> : tensor<1xf32>
  %b = tally.item %c : tensor<1xf32>
  %s = tensor.splat %v[%n] : tensor<?xi64>
  %d = tally.item %s : tensor<?xi64>
  return %a, %b, %d : i64, f32, i64
}

// -----

// CHECK-LABEL: func.func @item_binds(
func.func @item_binds(%v: i64) -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // CHECK: tally.item %{{.*}} : tensor<1xi64> bind
  %t = tensor.from_elements %v : tensor<1xi64>
  %a = tally.item %t : tensor<1xi64> bind #tally.bindings<u0 = result(0)>
  %n = tally.size <u0> : index
  return %n : index
}

// -----

// An assert that holds goes, and gives what it guarded.
// CHECK-LABEL: func.func @holds(
// CHECK-SAME:    %[[I:.*]]: index)
func.func @holds(%i: index) -> index {
  // CHECK-NEXT: return %[[I]]
  %true = arith.constant true
  %g = tally.assert %true message("never") guards(%i : index)
  return %g : index
}

// -----

// One that cannot hold stays: it is an error at run time.
// CHECK-LABEL: func.func @never_holds(
func.func @never_holds() {
  // CHECK: tally.assert %false
  %false = arith.constant false
  tally.assert %false message("always")
  return
}
