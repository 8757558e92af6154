// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-plan-arena),canonicalize)' --split-input-file | FileCheck %s

// The third buffer takes the place of the first, which is done with by then; a
// size that is computed later moves up.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: arith.mului_extended
// CHECK: arith.addui_extended
// CHECK: %[[BYTES:.*]] = arith.select %{{.*}}, %c-1{{.*}}, %
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[BYTES]]
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[SIZE]]) {alignment = 256 : i64} : memref<?xi8>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[ZERO:.*]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xi1>
// CHECK: tally.read_back %[[A]]
// CHECK: %[[C:.*]] = memref.view %[[ARENA]][%[[ZERO]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: tally.read_back %[[C]]
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NOT: memref.dealloc
func.func @shared(%n: index, %i: index) -> (f32, f32, i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  %m = arith.addi %n, %n : index
  %b = memref.alloc(%m) : memref<?xi1>
  %x = tally.read_back %a[%i] : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  %y = tally.read_back %c[%i] : memref<?xf32>
  %z = tally.read_back %b[%i] : memref<?xi1>
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xi1>
  memref.dealloc %c : memref<?xf32>
  return %x, %y, %z : f32, f32, i1
}

// -----

// Both are in use at the end: no part is shared.
// CHECK-LABEL: func.func @together
// CHECK: memref.view %{{.*}}[%[[FIRST:.*]]][]
// CHECK: memref.view %{{.*}}[%[[SECOND:.*]]][]
// CHECK: tally.read_back
// CHECK: memref.dealloc
func.func @together(%i: index) -> (f32, f32) {
  %a = memref.alloc() : memref<100xf32>
  %b = memref.alloc() : memref<100xf32>
  %v = memref.subview %a[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
  %y = tally.read_back %b[%i] : memref<100xf32>
  %x = tally.read_back %v[%i] : memref<50xf32, strided<[1]>>
  memref.dealloc %a : memref<100xf32>
  memref.dealloc %b : memref<100xf32>
  return %x, %y : f32, f32
}

// -----

// Not: what is returned, what is made after a check, what has a size that comes
// from memory, what may be freed elsewhere.
// CHECK-LABEL: func.func @others
// CHECK-NOT: memref.view
// CHECK: return
func.func @others(%n: index, %i: index, %ok: i1) -> memref<?xi64> {
  %result = memref.alloc(%n) : memref<?xi64>
  %a = memref.alloc(%n) : memref<?xi64>
  %size = tally.read_back %a[%i] : memref<?xi64>
  %m = arith.index_cast %size : i64 to index
  %b = memref.alloc(%m) : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %a : memref<?xi64>
  tally.assert %ok message("no")
  %c = memref.alloc(%n) : memref<?xi64>
  memref.dealloc %c : memref<?xi64>
  tally.assert %ok message("no")
  %d = memref.alloc(%n) : memref<?xi64>
  %e = memref.alloc(%n) : memref<?xi64>
  scf.if %ok {
    memref.dealloc %d : memref<?xi64>
    memref.dealloc %e : memref<?xi64>
  }
  return %result : memref<?xi64>
}

// -----

// What is freed right behind a check is part of an arena as well.
// CHECK-LABEL: func.func @freed_behind_a_check
// CHECK: memref.alloc() {alignment = 256 : i64} : memref<1024xi8>
// CHECK-COUNT-2: memref.view
// CHECK: tally.assert
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: return
func.func @freed_behind_a_check(%i: index, %ok: i1) -> (f32, f32) {
  %a = memref.alloc() : memref<100xf32>
  %b = memref.alloc() : memref<100xf32>
  %x = tally.read_back %a[%i] : memref<100xf32>
  %y = tally.read_back %b[%i] : memref<100xf32>
  tally.assert %ok message("no")
  memref.dealloc %a : memref<100xf32>
  memref.dealloc %b : memref<100xf32>
  return %x, %y : f32, f32
}
