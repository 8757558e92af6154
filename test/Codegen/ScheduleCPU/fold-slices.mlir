// RUN: tally-opt %s --split-input-file --tally-fold-slices | FileCheck %s

// Real and imaginary parts, of dimensions that stay and that are dropped.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[X:.*]]: memref<?x?x2xf32>, %[[Y:.*]]: memref<?x?x2xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK: memref.load %[[X]][%[[I]], %[[J]], %{{.*}}] : memref<?x?x2xf32>
// CHECK: memref.load %[[X]][%[[I]], %[[J]], %{{.*}}] : memref<?x?x2xf32>
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]], %[[J]], %{{.*}}] : memref<?x?x2xf32>
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]], %[[J]], %{{.*}}] : memref<?x?x2xf32>
func.func @parts(%x: memref<?x?x2xf32>, %y: memref<?x?x2xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %re = memref.subview %x[0, 0, 0] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?xf32, strided<[?, 2]>>
  %im = memref.subview %x[0, 0, 1] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?xf32, strided<[?, 2], offset: 1>>
  %to_re = memref.subview %y[0, 0, 0] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?x1xf32, strided<[?, 2, 1]>>
  %to_im = memref.subview %y[0, 0, 1] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?x1xf32, strided<[?, 2, 1], offset: 1>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    %a = memref.load %re[%i, %j] : memref<?x?xf32, strided<[?, 2]>>
    %b = memref.load %im[%i, %j] : memref<?x?xf32, strided<[?, 2], offset: 1>>
    memref.store %b, %to_re[%i, %j, %c0] : memref<?x?x1xf32, strided<[?, 2, 1]>>
    memref.store %a, %to_im[%i, %j, %c0] : memref<?x?x1xf32, strided<[?, 2, 1], offset: 1>>
  }
  return
}

// -----

// Every other element.
// CHECK-LABEL: func.func @pairs(
// CHECK: scf.for %[[I:.*]] = %
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[EVEN:.*]] = arith.muli %[[I]], %[[C2]] : index
// CHECK-NEXT: memref.load %arg0[%[[EVEN]]] : memref<?xf32>
// CHECK: %[[TWICE:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK: %[[ODD:.*]] = arith.addi %[[TWICE]], %{{.*}} : index
// CHECK-NEXT: memref.load %arg0[%[[ODD]]] : memref<?xf32>
func.func @pairs(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = memref.subview %x[0] [%n] [2] : memref<?xf32> to memref<?xf32, strided<[2]>>
  %odd = memref.subview %x[1] [%n] [2] : memref<?xf32> to memref<?xf32, strided<[2], offset: 1>>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %even[%i] : memref<?xf32, strided<[2]>>
    %b = memref.load %odd[%i] : memref<?xf32, strided<[2], offset: 1>>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<?xf32>
  }
  return
}

// -----

// One slice, slices of other sizes, one that begins anywhere, and what is outside of loops stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: memref.load %arg0
// CHECK: return
func.func @others(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = memref.subview %x[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %next = memref.subview %x[1] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  %short = memref.subview %x[1] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  %high = memref.subview %x[%m] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %first = memref.load %next[%c0] : memref<?xf32, strided<[1], offset: 1>>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %low[%i] : memref<?xf32, strided<[1]>>
    %b = memref.load %high[%i] : memref<?xf32, strided<[1], offset: ?>>
    %d = memref.load %short[%i] : memref<?xf32, strided<[1], offset: 1>>
    %c = arith.addf %a, %b : f32
    %e = arith.addf %c, %d : f32
    %f = arith.addf %e, %first : f32
    memref.store %f, %y[%i] : memref<?xf32>
  }
  return
}
