// RUN: tally-opt %s -loop-invariant-code-motion | FileCheck %s
// RUN: tally-opt %s -canonicalize -cse -loop-invariant-code-motion -int-range-optimizations -sccp -remove-dead-values | FileCheck %s

// An access that uses what the assert returns cannot leave the loop before it,
// where the loop may run no iteration.
// CHECK-LABEL: func.func @guarded_extract(
// CHECK:       scf.for
// CHECK:         %[[G:.*]] = tally.assert {{.*}} guards(%{{.*}} : index)
// CHECK-NEXT:    tensor.extract %{{.*}}[%[[G]]]
func.func @guarded_extract(%t: tensor<?xf32>, %i: index, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %d = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %z) -> f32 {
    %ok = arith.cmpi ult, %i, %d : index
    %g = tally.assert %ok, <i < s0> (i = %i, s0 = %d : index, index) guards(%i : index)
    %e = tensor.extract %t[%g] : tensor<?xf32>
    %a = arith.addf %acc, %e : f32
    scf.yield %a : f32
  }
  return %r : f32
}

// A tensor precondition is held through the size of its destination.
// CHECK-LABEL: func.func @guarded_add(
// CHECK:       scf.for
// CHECK:         %[[G:.*]] = tally.assert {{.*}} guards(%{{.*}} : index)
// CHECK-NEXT:    %[[E:.*]] = tensor.empty(%[[G]])
// CHECK-NEXT:    linalg.add {{.*}} outs(%[[E]]
func.func @guarded_add(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.dim %y, %c0 : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    %ok = arith.cmpi eq, %d, %e : index
    %g = tally.assert %ok, <s0 == s1> (s0 = %d, s1 = %e : index, index) guards(%d : index)
    %init = tensor.empty(%g) : tensor<?xf32>
    %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The same assert twice: the second does nothing new, but none may go without a
// proof that MLIR's passes do not have.
// CHECK-LABEL: func.func @order(
// CHECK:       tally.assert %[[A:.*]] message("first")
// CHECK:       tally.assert %[[B:.*]] message("second")
func.func @order(%a: i1, %b: i1) {
  tally.assert %a message("first")
  tally.assert %b message("second")
  return
}

// An assert stays in its branch, and in front of the memory it protects.
// CHECK-LABEL: func.func @memory(
// CHECK:       scf.if
// CHECK-NEXT:    tally.assert
// CHECK-NEXT:    memref.load
func.func @memory(%m: memref<?xf32>, %i: index, %d: index, %p: i1) -> f32 {
  %z = arith.constant 0.0 : f32
  %ok = arith.cmpi ult, %i, %d : index
  %r = scf.if %p -> f32 {
    tally.assert %ok, <i < s0> (i = %i, s0 = %d : index, index)
    %v = memref.load %m[%i] : memref<?xf32>
    scf.yield %v : f32
  } else {
    scf.yield %z : f32
  }
  return %r : f32
}
