// RUN: tally-opt %s --tally-unify-sizes --allow-unregistered-dialect --split-input-file | FileCheck %s

// Behind an assert two sizes are one value; before it they are not.

// CHECK-LABEL: func.func @behind_assert
// CHECK-DAG:     %[[D0:.*]] = tensor.dim %arg0
// CHECK-DAG:     %[[D1:.*]] = tensor.dim %arg1
// CHECK:         "test.before"(%[[D1]])
// CHECK:         tally.assert %{{.*}}, <d0 == d1> (d0 = %[[D0]], d1 = %[[D1]] : index, index)
// CHECK-NEXT:    tensor.empty(%[[D0]])
// CHECK-NEXT:    return %[[D0]], %[[D0]]
func.func @behind_assert(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x, %c0 : tensor<?xf32>
  %d1 = tensor.dim %y, %c0 : tensor<?xf32>
  "test.before"(%d1) : (index) -> ()
  %same = arith.cmpi eq, %d0, %d1 : index
  tally.assert %same, <d0 == d1> (d0 = %d0, d1 = %d1 : index, index)
  %e = tensor.empty(%d1) : tensor<?xf32>
  return %d0, %d1 : index, index
}

// -----

// A symbol reads better than the value it names, and keeps that value.

// CHECK-LABEL: func.func @symbol
// CHECK:         %[[D:.*]] = tensor.dim
// CHECK:         %[[S0:.*]] = tally.symbol "s0" = %[[D]]
// CHECK:         return %[[S0]], %[[S0]], %[[S0]]
func.func @symbol(%x: tensor<?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %s0 = tally.symbol "s0" = %d : index
  %e = tensor.empty(%s0) : tensor<?xf32>
  %again = tensor.dim %e, %c0 : tensor<?xf32>
  return %d, %s0, %again : index, index, index
}

// -----

// Equal by proof: results of operations, arithmetic, and what does not change in a loop.

// CHECK-LABEL: func.func @proven
// CHECK:         %[[SUM:.*]] = arith.addi
// CHECK:         scf.for
// CHECK:           "test.use"(%[[SUM]])
// CHECK:         return %[[SUM]], %[[SUM]]
func.func @proven(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?xf32>
  %d1 = tensor.dim %y, %c0 : tensor<?xf32>
  %sum = arith.addi %d0, %d1 : index
  %swapped = arith.addi %d1, %d0 : index
  %z = tensor.concat dim(0) %y, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> tensor<?xf32> {
    %d = tensor.dim %t, %c0 : tensor<?xf32>
    "test.use"(%d) : (index) -> ()
    scf.yield %t : tensor<?xf32>
  }
  %dr = tensor.dim %r, %c0 : tensor<?xf32>
  return %swapped, %dr : index, index
}

// -----

// A size that is known is a constant.

// CHECK-LABEL: func.func @constant
// CHECK:         %[[C4:.*]] = arith.constant 4 : index
// CHECK:         %[[D:.*]] = tensor.dim
// CHECK:         "test.before"(%[[D]])
// CHECK:         tally.assert %{{.*}}, <d == 4> (d = %[[D]] : index)
// CHECK-NEXT:    tensor.empty(%[[C4]])
func.func @constant(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  "test.before"(%d) : (index) -> ()
  %ok = arith.cmpi eq, %d, %c4 : index
  tally.assert %ok, <d == 4> (d = %d : index)
  %e = tensor.empty(%d) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// What is asserted in one branch holds in that branch alone, and so does the
// condition of a branch.

// CHECK-LABEL: func.func @branch
// CHECK-SAME:    %[[A:[a-z0-9]+]]: index, %[[B:[a-z0-9]+]]: index
// CHECK:         scf.if
// CHECK-NEXT:      "test.inside"(%[[A]])
// CHECK:         "test.outside"(%[[B]])
// CHECK:         scf.if
// CHECK-NEXT:      tally.assert %{{.*}}, <a == b> (a = %[[A]], b = %[[B]] : index, index)
// CHECK-NEXT:      "test.inside"(%[[A]])
// CHECK:         "test.outside"(%[[B]])
// CHECK:         return %[[B]]
func.func @branch(%a: index, %b: index, %p: i1) -> index {
  %same = arith.cmpi eq, %a, %b : index
  scf.if %same {
    "test.inside"(%b) : (index) -> ()
  }
  "test.outside"(%b) : (index) -> ()
  scf.if %p {
    tally.assert %same, <a == b> (a = %a, b = %b : index, index)
    "test.inside"(%b) : (index) -> ()
  }
  "test.outside"(%b) : (index) -> ()
  return %b : index
}

// -----

// So it is with the iterations of a loop and with blocks.

// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %[[A:[a-z0-9]+]]: index, %[[B:[a-z0-9]+]]: index
// CHECK:         scf.for
// CHECK:           "test.inside"(%[[A]])
// CHECK:         return %[[B]]
func.func @loop(%a: index, %b: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %same = arith.cmpi eq, %a, %b : index
  scf.for %i = %c0 to %n step %c1 {
    tally.assert %same, <a == b> (a = %a, b = %b : index, index)
    "test.inside"(%b) : (index) -> ()
  }
  return %b : index
}

// CHECK-LABEL: func.func @blocks
// CHECK-SAME:    %[[A:[a-z0-9]+]]: index, %[[B:[a-z0-9]+]]: index
// CHECK:       ^bb1:
// CHECK:         "test.inside"(%[[A]])
// CHECK:       ^bb2:
// CHECK:         "test.outside"(%[[B]])
func.func @blocks(%a: index, %b: index, %p: i1) {
  %same = arith.cmpi eq, %a, %b : index
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  tally.assert %same, <a == b> (a = %a, b = %b : index, index)
  "test.inside"(%b) : (index) -> ()
  cf.br ^bb2
^bb2:
  "test.outside"(%b) : (index) -> ()
  return
}

// -----

// What an assert guards stays behind the assert: neither the index nor what is
// computed from it is replaced by a value from before.

// CHECK-LABEL: func.func @guarded
// CHECK:         scf.for
// CHECK:           %[[G:.*]] = tally.assert {{.*}} guards(%{{.*}} : index)
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[G]], %c1
// CHECK-NEXT:      tensor.extract %{{.*}}[%[[G]]]
// CHECK-NEXT:      tensor.extract %{{.*}}[%[[NEXT]]]
func.func @guarded(%t: tensor<?xf32>, %i: index, %n: index, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %early = arith.addi %i, %c1 : index
  "test.use"(%early) : (index) -> ()
  scf.for %k = %c0 to %n step %c1 {
    %g = tally.assert %ok message("the index and the next one are in bounds") guards(%i : index)
    %next = arith.addi %g, %c1 : index
    %e = tensor.extract %t[%g] : tensor<?xf32>
    %f = tensor.extract %t[%next] : tensor<?xf32>
    "test.use"(%e, %f) : (f32, f32) -> ()
  }
  return
}

// -----

// A subgraph stays closed: it does not use the equal value from outside.

// CHECK-LABEL: func.func @closed
// CHECK-SAME:    %[[P:[a-z0-9]+]]: i1, %[[A:[a-z0-9]+]]: index, %[[B:[a-z0-9]+]]: index
// CHECK:         tally.cond %[[P]](%[[A]])
// CHECK:         ^bb0(%[[X:.*]]: index):
// CHECK-NEXT:      "test.use"(%[[X]])
func.func @closed(%p: i1, %a: index, %b: index) {
  %same = arith.cmpi eq, %a, %b : index
  tally.assert %same, <a == b> (a = %a, b = %b : index, index)
  tally.cond %p(%b) : (index) -> () {
  ^bb0(%x: index):
    "test.use"(%x) : (index) -> ()
    tally.yield
  } else {
  ^bb0(%x: index):
    tally.yield
  }
  return
}

// -----

// Where no constant may stand, a known size is one all the same.

// CHECK-LABEL: func.func @in_parallel
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         scf.forall.in_parallel
// CHECK-NEXT:      tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[ZERO]]]
func.func @in_parallel(%x: tensor<1xf32>, %y: tensor<?xf32>, %n: index, %at: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi eq, %at, %c0 : index
  tally.assert %ok, <at == 0> (at = %at : index)
  %r = scf.forall (%i) in (%n) shared_outs(%o = %y) -> tensor<?xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%at] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

// An operation of the affine dialect keeps operands that are symbols to it.

// CHECK-LABEL: func.func @affine
// CHECK:         scf.for
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK:           %[[NEXT:.*]] = affine.apply
// CHECK:           affine.load %{{.*}}[%[[NEXT]]]
// CHECK:           memref.load %{{.*}}[%[[SUM]]]
func.func @affine(%m: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to 8 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = arith.addi %i, %c1 : index
      %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %v = affine.load %m[%next] : memref<?xf32>
      %w = memref.load %m[%next] : memref<?xf32>
      "test.use"(%v, %w, %sum) : (f32, f32, index) -> ()
    }
  }
  return
}

// -----

// Each function by itself; an empty one and a declaration have no sizes.

// CHECK-LABEL: func.func private @declared
// CHECK:       func.func @first
// CHECK-SAME:    %[[A:[a-z0-9]+]]: index, %[[B:[a-z0-9]+]]: index
// CHECK:         call @second(%[[A]], %[[A]])
// CHECK:       func.func @second
// CHECK-SAME:    %[[C:[a-z0-9]+]]: index, %[[D:[a-z0-9]+]]: index
// CHECK:         return %[[C]], %[[D]]
func.func private @declared(tensor<?xf32>)
func.func @empty() {
  return
}
func.func @first(%a: index, %b: index) {
  %same = arith.cmpi eq, %a, %b : index
  tally.assert %same, <a == b> (a = %a, b = %b : index, index)
  %r:2 = call @second(%a, %b) : (index, index) -> (index, index)
  return
}
func.func @second(%a: index, %b: index) -> (index, index) {
  return %a, %b : index, index
}
