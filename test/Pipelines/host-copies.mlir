// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-add-context,tally-host-pipeline)' | FileCheck %s

// A copy of one piece stays one when sizes become constants.
// CHECK-LABEL: llvm.func @main
// CHECK-NOT: memrefCopy
// CHECK: llvm.intr.memcpy
// CHECK-NOT: memrefCopy
func.func @main(%x: memref<?x?xi32>) -> memref<?x?x1xi32> {
  %c1 = arith.constant 1 : index
  %d = memref.dim %x, %c1 : memref<?x?xi32>
  %r = memref.reinterpret_cast %x to offset: [0], sizes: [%c1, %d, 1], strides: [%d, 1, 1] : memref<?x?xi32> to memref<?x?x1xi32>
  %a = memref.alloc(%c1, %d) : memref<?x?x1xi32>
  memref.copy %r, %a : memref<?x?x1xi32> to memref<?x?x1xi32>
  return %a : memref<?x?x1xi32>
}
