// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-split-blocks))' | FileCheck %s
// RUN: tally-opt %s --pass-pipeline='builtin.module(any(tally-split-blocks))' | FileCheck %s

// Branches and loops end their blocks, but not those in others, nor operations that have a
// region and are no branches.
// CHECK-LABEL: func.func @steps
// CHECK-NOT: cf.br
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: cf.br
// CHECK: memref.store
// CHECK-NOT: cf.br
// CHECK: }
// CHECK: cf.br ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: linalg.map
// CHECK-NOT: cf.br
// CHECK: scf.if
// CHECK: cf.br ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: return
func.func @steps(%p: i1, %n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      memref.store %i, %x[%c0] : memref<?xindex>
    }
    memref.store %i, %x[%i] : memref<?xindex>
  }
  linalg.map { arith.addi } ins(%x, %x : memref<?xindex>, memref<?xindex>) outs(%x : memref<?xindex>)
  scf.if %p {
    memref.store %c1, %x[%c0] : memref<?xindex>
  }
  return
}

// A function has blocks already, or none.
// CHECK-LABEL: func.func @blocks
// CHECK: cf.br ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: scf.if
// CHECK: cf.br ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: return
func.func @blocks(%p: i1, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  cf.br ^bb1
^bb1:
  scf.if %p {
    memref.store %c0, %x[%c0] : memref<?xindex>
  }
  return
}

// CHECK-LABEL: func.func private @extern
func.func private @extern()
