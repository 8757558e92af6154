// RUN: tally-opt %s --split-input-file --tally-parallelize-loops | FileCheck %s

// Both loops around the scan are one; the scan reads what it wrote, at its own place.
// CHECK-LABEL: func.func @scan(
// CHECK: scf.parallel (%[[B:.*]], %[[J:.*]]) = (%c0, %c0) to (%{{.*}}, %{{.*}}) step (%c1, %c1) {
// CHECK:   scf.for %[[I:.*]] = %c0
// CHECK:     memref.load %{{.*}}[%[[B]], %[[I]], %[[J]]]
// CHECK:     memref.store %{{.*}}[%[[B]], %[[I]], %[[J]]]
// CHECK:   scf.reduce
// CHECK-NOT: scf.for
func.func @scan(%x: memref<?x?x?xf32>, %b: index, %m: index, %n: index) -> memref<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%b, %m, %n) : memref<?x?x?xf32>
  scf.for %k = %c0 to %b step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
        %v = memref.load %x[%k, %i, %j] : memref<?x?x?xf32>
        %t = arith.addf %sum, %v : f32
        memref.store %t, %y[%k, %i, %j] : memref<?x?x?xf32>
        scf.yield %t : f32
      }
    }
  }
  return %y : memref<?x?x?xf32>
}

// -----

// The outer loop is independent, the inner one reads the row before.
// CHECK-LABEL: func.func @outer_only(
// CHECK: scf.parallel (%[[J:.*]]) =
// CHECK:   scf.for %[[I:.*]] =
func.func @outer_only(%m: index, %n: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c1 to %m step %c1 {
      %before = arith.subi %i, %c1 : index
      %v = memref.load %y[%before, %j] : memref<?x?xf32>
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// Rows are added where data says, one after the other; columns are independent, and the place of a row is read once for them.
// CHECK-LABEL: func.func @rows_at(
// CHECK: %[[STEP:.*]] = arith.muli %c1, %c256
// CHECK: scf.parallel (%[[B:.*]]) = (%c0) to (%[[N:.*]]) step (%[[STEP]]) {
// CHECK:   %[[NEXT:.*]] = arith.addi %[[B]], %[[STEP]]
// CHECK:   %[[END:.*]] = arith.minsi %[[NEXT]], %[[N]]
// CHECK:   scf.for %[[I:.*]] = %c0 to
// CHECK:     %[[ROW:.*]] = memref.load %{{.*}}[%[[I]]] : memref<?xindex>
// CHECK:     scf.for %[[J:.*]] = %[[B]] to %[[END]] step %c1
// CHECK:       memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[J]]]
// CHECK:     } {tally.independent
// CHECK:   scf.reduce
func.func @rows_at(%x: memref<?x?xf32>, %at: memref<?xindex>, %m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%k, %n) : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %row = memref.load %at[%i] : memref<?xindex>
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %old = memref.load %y[%row, %j] : memref<?x?xf32>
      %new = arith.addf %old, %v : f32
      memref.store %new, %y[%row, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// What is read behind a write may have been written.
// CHECK-LABEL: func.func @read_behind(
// CHECK:   scf.for %[[I:.*]] = %c0 to
// CHECK-NEXT: scf.for
// CHECK:       memref.store
// CHECK:       memref.load %{{.*}}[%[[I]]]
func.func @read_behind(%x: memref<?xf32>, %at: memref<?xindex>, %m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%k, %n) : memref<?x?xf32>
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %one, %y[%c0, %j] : memref<?x?xf32>
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%c1, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// A row is read at another column than the one that is written.
// CHECK-LABEL: func.func @other_column(
// CHECK-NOT: scf.parallel
func.func @other_column(%at: memref<?xindex>, %m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%k, %n) : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %row = memref.load %at[%i] : memref<?xindex>
      %old = memref.load %y[%row, %c0] : memref<?x?xf32>
      memref.store %old, %y[%row, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.parallel
func.func @others(%x: memref<?x?xf32>, %at: memref<?xindex>, %m: index, %n: index, %ok: i1) -> (memref<?xf32>, memref<?x?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%m) : memref<?xf32>
  %z = memref.alloc(%m, %n) : memref<?x?xf32>
  // Elements are written where data says.
  scf.for %i = %c0 to %m step %c1 {
    %k = memref.load %at[%i] : memref<?xindex>
    memref.store %zero, %y[%k] : memref<?xf32>
  }
  // All iterations write one element.
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %y[%c0] : memref<?xf32>
  }
  // The index is one of rows here, and one of columns there.
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %z[%c0, %i] : memref<?x?xf32>
    memref.store %v, %z[%i, %c0] : memref<?x?xf32>
  }
  // What is written may be what is read, and a part of it is.
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %x[%c0, %i] : memref<?x?xf32>
    memref.store %v, %x[%i, %c1] : memref<?x?xf32>
  }
  %part = memref.subview %y[1] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %y[%i] : memref<?xf32>
    memref.store %v, %part[%i] : memref<?xf32, strided<[1], offset: 1>>
  }
  // Rows may lie in one place.
  %same = memref.reinterpret_cast %y to offset: [0], sizes: [%m, %n], strides: [0, 1] : memref<?xf32> to memref<?x?xf32, strided<[0, 1]>>
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %same[%i, %c0] : memref<?x?xf32, strided<[0, 1]>>
  }
  // Something is carried, and something has an effect.
  %sum = scf.for %i = %c0 to %m step %c1 iter_args(%s = %zero) -> (f32) {
    memref.store %s, %y[%i] : memref<?xf32>
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  scf.for %i = %c0 to %m step %c1 {
    tally.assert %ok message("stated")
    memref.store %zero, %y[%i] : memref<?xf32>
  }
  return %y, %z, %sum : memref<?xf32>, memref<?x?xf32>, f32
}
