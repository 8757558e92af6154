// RUN: tally-opt %s --tally-copy-strided-casts | FileCheck %s

// The callee takes its argument for whole.
// CHECK-LABEL: func.func @column
// CHECK: %[[SLICE:.*]] = memref.subview
// CHECK-NOT: memref.cast
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %[[SLICE]], %[[COPY]]
// CHECK: call @callee(%[[COPY]])
func.func @column(%x: memref<?x?xf32>, %n: index) {
  %s = memref.subview %x[0, 0] [%n, 1] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[?]>>
  %c = memref.cast %s : memref<?xf32, strided<[?]>> to memref<?xf32>
  call @callee(%c) : (memref<?xf32>) -> ()
  return
}
func.func private @callee(memref<?xf32>)
