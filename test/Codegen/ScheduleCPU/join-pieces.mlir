// RUN: tally-opt %s --split-input-file --tally-join-pieces | FileCheck %s

// The border and the inside are written row by row; what is at the border is read once for its two columns.
// CHECK-LABEL: func.func @pad(
// CHECK-COUNT-2: memref.subview
// CHECK-NEXT: scf.parallel (%[[I:.*]]) = (%c0) to (%{{.*}}) step (%c1) {
// CHECK-NEXT:   %[[V:.*]] = memref.load %{{.*}}[%[[I]], %c0]
// CHECK-NEXT:   scf.for %[[J:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:     memref.store %[[V]], %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT:   } {tally.independent
// CHECK-NEXT:   scf.for %[[J:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK-NEXT:     memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT:     memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT:   } {tally.independent
// CHECK-NEXT:   scf.reduce
// CHECK-NOT: scf.parallel
func.func @pad(%x: memref<?x?xf32>, %m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  %border = memref.subview %y[0, 0] [%m, 2] [1, 1] : memref<?x?xf32> to memref<?x2xf32, strided<[?, 1]>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %c2) step (%c1, %c1) {
    %v = memref.load %x[%i, %c0] : memref<?x?xf32>
    memref.store %v, %border[%i, %j] : memref<?x2xf32, strided<[?, 1]>>
  }
  %inside = memref.subview %y[0, 2] [%m, %k] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: 2>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %k) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<?x?xf32>
    memref.store %v, %inside[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: 2>>
  }
  return %y : memref<?x?xf32>
}

// -----

// What no column has in common with others is read only where there is a column.
// CHECK-LABEL: func.func @maybe_empty(
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
func.func @maybe_empty(%x: memref<?x?xf32>, %m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  %border = memref.subview %y[0, 0] [%m, 2] [1, 1] : memref<?x?xf32> to memref<?x2xf32, strided<[?, 1]>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %c2) step (%c1, %c1) {
    memref.store %zero, %border[%i, %j] : memref<?x2xf32, strided<[?, 1]>>
  }
  %inside = memref.subview %y[0, 2] [%m, %k] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: 2>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %k) step (%c1, %c1) {
    %v = memref.load %x[%i, %c0] : memref<?x?xf32>
    memref.store %v, %inside[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: 2>>
  }
  return %y : memref<?x?xf32>
}

// -----

// The second piece reads what the first one writes, in all rows.
// CHECK-LABEL: func.func @reads_buffer(
// CHECK-COUNT-2: scf.parallel
func.func @reads_buffer(%m: index, %n: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %c1) step (%c1, %c1) {
    memref.store %zero, %y[%i, %j] : memref<?x?xf32>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %c1) step (%c1, %c1) {
    %v = memref.load %y[%c0, %c0] : memref<?x?xf32>
    memref.store %v, %y[%i, %j] : memref<?x?xf32>
  }
  return %y : memref<?x?xf32>
}

// -----

// Rows of one piece are not those of the other, which starts at row 1; and nothing is narrow.
// CHECK-LABEL: func.func @other_rows(
// CHECK-COUNT-2: scf.parallel (%{{.*}}, %{{.*}}) =
// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-2: scf.parallel (%{{.*}}, %{{.*}}) =
func.func @other_rows(%m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%n, %n) : memref<?x?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %c1) step (%c1, %c1) {
    memref.store %zero, %y[%i, %j] : memref<?x?xf32>
  }
  %inside = memref.subview %y[1, 0] [%m, %k] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %k) step (%c1, %c1) {
    memref.store %zero, %inside[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  return %y : memref<?x?xf32>
}

func.func @wide(%m: index, %n: index, %k: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %k) step (%c1, %c1) {
    memref.store %zero, %y[%i, %j] : memref<?x?xf32>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %k) step (%c1, %c1) {
    memref.store %zero, %y[%i, %j] : memref<?x?xf32>
  }
  return %y : memref<?x?xf32>
}

// -----

// The parts of complex numbers, in rows of two dimensions that are merged, of which each
// loop has computed the size. All is read before anything is written.
// CHECK-LABEL: func.func @parts(
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%{{.*}}) step (%c1) {
// CHECK-COUNT-2: memref.load
// CHECK-NOT: memref.load
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[I]], %{{.*}}] : memref<?x1xf32, strided<[2, 1]>>
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[I]], %{{.*}}] : memref<?x1xf32, strided<[2, 1], offset: 1>>
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @parts(%x: memref<?x1xf32>, %m: index, %n: index) -> memref<?x?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m, %n) : memref<?x?x2xf32>
  %rows = memref.collapse_shape %y [[0, 1], [2]] : memref<?x?x2xf32> into memref<?x2xf32>
  %size = arith.muli %m, %n : index
  %real = memref.subview %rows[0, 0] [%size, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1]>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%size, %c1) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<?x1xf32>
    memref.store %v, %real[%i, %j] : memref<?x1xf32, strided<[2, 1]>>
  }
  %rows2 = memref.collapse_shape %y [[0, 1], [2]] : memref<?x?x2xf32> into memref<?x2xf32>
  %size2 = arith.muli %m, %n : index
  %imaginary = memref.subview %rows2[0, 1] [%size2, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1], offset: 1>>
  scf.parallel (%i, %j) = (%c0, %c0) to (%size2, %c1) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<?x1xf32>
    %w = arith.negf %v : f32
    memref.store %w, %imaginary[%i, %j] : memref<?x1xf32, strided<[2, 1], offset: 1>>
  }
  return %y : memref<?x?x2xf32>
}
