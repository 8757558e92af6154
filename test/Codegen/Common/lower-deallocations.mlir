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
// CHECK: memref.extract_strided_metadata %[[R]]
// CHECK: %[[PR:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[AR:.*]] = arith.cmpi eq, %[[PA]], %[[PR]]
// CHECK: %[[MOVES:.*]] = arith.andi %[[C]], %[[AR]]
// CHECK: %[[FREE_A:.*]] = arith.andi %[[C]], %{{.*}}
// CHECK: memref.extract_strided_metadata %[[B]]
// CHECK: %[[PB:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[BR:.*]] = arith.cmpi eq, %[[PB]], %[[PR]]
// CHECK: %[[MOVES_B:.*]] = arith.andi %[[D]], %[[BR]]
// CHECK: %[[FREE_B:.*]] = arith.andi %[[D]], %{{.*}}
// CHECK: %[[OWNED:.*]] = arith.ori %[[MOVES]], %[[MOVES_B]]
// CHECK-NOT: cmpi
// CHECK: scf.if %[[FREE_A]]
// CHECK:   memref.dealloc %[[A]]
// CHECK: scf.if %[[FREE_B]]
// CHECK:   memref.dealloc %[[B]]
// CHECK: return %[[OWNED]]
func.func @retained(%a: memref<?xf32>, %b: memref<4xi32>, %c: i1, %d: i1,
                    %r: memref<2xf64, strided<[1], offset: ?>>) -> i1 {
  %owned = bufferization.dealloc (%a, %b : memref<?xf32>, memref<4xi32>) if (%c, %d)
      retain (%r : memref<2xf64, strided<[1], offset: ?>>)
  return %owned : i1
}

// -----

// A view of what is freed moves it, for sure; what is allocated here is nothing
// that was there before.
// CHECK-LABEL: func.func @view
// CHECK-NOT: cmpi
// CHECK-NOT: memref.dealloc
// CHECK: return %{{.*}}, %[[C:.*]] : memref<2xf32, strided<[1], offset: 1>>, i1
func.func @view(%a: memref<4xf32>, %c: i1) -> (memref<2xf32, strided<[1], offset: 1>>, i1) {
  %m = memref.alloc() : memref<4xf32>
  %v = memref.subview %m[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  %base, %o, %s, %t = memref.extract_strided_metadata %m : memref<4xf32> -> memref<f32>, index, index, index
  %false = arith.constant false
  %owned = bufferization.dealloc (%base, %a : memref<f32>, memref<4xf32>) if (%c, %false)
      retain (%v : memref<2xf32, strided<[1], offset: 1>>)
  return %v, %owned : memref<2xf32, strided<[1], offset: 1>>, i1
}

// -----

func.func private @make(%x: memref<?xf32>) -> memref<?xf32>

// Each result of a call is freed behind its last use, be it in a region or by a
// view.
// CHECK-LABEL: func.func @calls
// CHECK: %[[A:.*]] = call @make
// CHECK-NEXT: %[[B:.*]] = call @make(%[[A]])
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: memref.cast %[[B]]
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: %[[C:.*]] = call @make
// CHECK-NEXT: return %[[C]]
func.func @calls(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = call @make(%x) : (memref<?xf32>) -> memref<?xf32>
  %b = call @make(%a) : (memref<?xf32>) -> memref<?xf32>
  %v = memref.cast %b : memref<?xf32> to memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %v[%c0] : memref<4xf32>
  }
  %c = call @make(%x) : (memref<?xf32>) -> memref<?xf32>
  %ba, %o0, %s0, %t0 = memref.extract_strided_metadata %a : memref<?xf32> -> memref<f32>, index, index, index
  %bb, %o1, %s1, %t1 = memref.extract_strided_metadata %b : memref<?xf32> -> memref<f32>, index, index, index
  %bc, %o2, %s2, %t2 = memref.extract_strided_metadata %c : memref<?xf32> -> memref<f32>, index, index, index
  %owned = bufferization.dealloc (%ba, %bb, %bc : memref<f32>, memref<f32>, memref<f32>) if (%true, %true, %true)
      retain (%c : memref<?xf32>)
  return %c : memref<?xf32>
}

// -----

func.func private @two() -> (memref<4xf32>, memref<4xf32>)

// Two results of one call may be one buffer.
// CHECK-LABEL: func.func @results
// CHECK: %[[R:.*]]:2 = call @two
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK: memref.dealloc %[[R]]#0
// CHECK: scf.if
// CHECK-NEXT: memref.dealloc %[[R]]#1
func.func @results() {
  %true = arith.constant true
  %r:2 = call @two() : () -> (memref<4xf32>, memref<4xf32>)
  bufferization.dealloc (%r#0, %r#1 : memref<4xf32>, memref<4xf32>) if (%true, %true)
  return
}

// -----

// What a loop carries may be any of what goes in and round.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[OWN:.*]] = %{{.*}})
// CHECK:   %[[NEW:.*]] = memref.alloc
// CHECK-NOT: cmpi
// CHECK:   scf.if %[[OWN]]
// CHECK:     memref.dealloc %[[A]]
// CHECK:   scf.yield %[[NEW]], %{{.*}}
func.func @carried(%x: memref<4xf32>, %n: index) -> memref<4xf32> {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %own = %false) -> (memref<4xf32>, i1) {
    %new = memref.alloc() : memref<4xf32>
    memref.copy %a, %new : memref<4xf32> to memref<4xf32>
    %owned = bufferization.dealloc (%a, %new : memref<4xf32>, memref<4xf32>) if (%own, %true)
        retain (%new : memref<4xf32>)
    scf.yield %new, %owned : memref<4xf32>, i1
  }
  return %r#0 : memref<4xf32>
}

// -----

// Of two that are retained one becomes the owner.
// CHECK-LABEL: func.func @one_owner
// CHECK-SAME: %[[C:.*]]: i1)
// CHECK: %[[M:.*]] = memref.alloc
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: return %[[M]], %[[M]], %[[C]], %[[NO]]
func.func @one_owner(%c: i1) -> (memref<4xf32>, memref<4xf32>, i1, i1) {
  %m = memref.alloc() : memref<4xf32>
  %owned:2 = bufferization.dealloc (%m : memref<4xf32>) if (%c)
      retain (%m, %m : memref<4xf32>, memref<4xf32>)
  return %m, %m, %owned#0, %owned#1 : memref<4xf32>, memref<4xf32>, i1, i1
}
