// RUN: tally-opt %s --tally-lower-deallocations --split-input-file | FileCheck %s

// Nothing to compare: one branch, or none where the buffer is owned for sure.
// CHECK-LABEL: func.func @one
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[C:.*]]: i1
// CHECK-NEXT: scf.if %[[C]]
// CHECK-NEXT:   memref.dealloc %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @one(%a: memref<?xf32>, %c: i1) {
  bufferization.dealloc (%a : memref<?xf32>) if (%c)
  return
}

// CHECK-LABEL: func.func @owned
// CHECK: memref.dealloc
// CHECK-NOT: scf.if
func.func @owned(%a: memref<?xf32>) {
  %true = arith.constant true
  bufferization.dealloc (%a : memref<?xf32>) if (%true)
  return
}

// Nothing is owned where nothing is freed.
// CHECK-LABEL: func.func @nothing
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: return %[[NO]]
func.func @nothing(%r: memref<?xf32>) -> i1 {
  %owned = bufferization.dealloc retain (%r : memref<?xf32>)
  return %owned : i1
}

// CHECK-LABEL: func.func @retained
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<4xi32>, %[[C:.*]]: i1, %[[D:.*]]: i1, %[[R:.*]]: memref<2xf64, strided<[1], offset: ?>>)
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[A]]
// CHECK: %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[BASE]]
// CHECK: memref.extract_strided_metadata %[[B]]
// CHECK: %[[PB:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: memref.extract_strided_metadata %[[R]]
// CHECK: %[[PR:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[AR:.*]] = arith.cmpi eq, %[[PA]], %[[PR]]
// CHECK: %[[MOVES:.*]] = arith.andi %[[C]], %[[AR]]
// CHECK: %[[OWNED:.*]] = arith.ori %{{.*}}, %[[MOVES]]
// CHECK: %[[FREE_A:.*]] = arith.andi %[[C]], %{{.*}}
// CHECK: %[[BR:.*]] = arith.cmpi eq, %[[PB]], %[[PR]]
// CHECK: %[[BA:.*]] = arith.cmpi eq, %[[PB]], %[[PA]]
// CHECK: %[[AGAIN:.*]] = arith.andi %[[FREE_A]], %[[BA]]
// CHECK: scf.if %[[FREE_A]]
// CHECK:   memref.dealloc %[[A]]
// CHECK: scf.if
// CHECK:   memref.dealloc %[[B]]
func.func @retained(%a: memref<?xf32>, %b: memref<4xi32>, %c: i1, %d: i1,
                    %r: memref<2xf64, strided<[1], offset: ?>>) -> i1 {
  %owned = bufferization.dealloc (%a, %b : memref<?xf32>, memref<4xi32>) if (%c, %d)
      retain (%r : memref<2xf64, strided<[1], offset: ?>>)
  return %owned : i1
}
