// RUN: tally-opt %s --allow-unregistered-dialect --tally-copy-strided-casts | FileCheck %s

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

// Where the elements lie together as they are, nothing is copied: sizes of 1 have
// any stride, and the first dimension any size.
// CHECK-LABEL: func.func @together
// CHECK-NOT: memref.copy
// CHECK: return
func.func @together(%a: memref<4x6xf32, strided<[6, 1]>>, %b: memref<?x6xf32, strided<[6, 1]>>,
                    %c: memref<1x?xf32, strided<[?, 1]>>, %d: memref<?x1xf32, strided<[1, ?]>>,
                    %e: memref<2x1x3xf32, strided<[3, ?, 1]>>)
    -> (memref<4x6xf32>, memref<?x6xf32>, memref<1x?xf32>, memref<?x1xf32>, memref<2x1x3xf32>) {
  %0 = memref.cast %a : memref<4x6xf32, strided<[6, 1]>> to memref<4x6xf32>
  %1 = memref.cast %b : memref<?x6xf32, strided<[6, 1]>> to memref<?x6xf32>
  %2 = memref.cast %c : memref<1x?xf32, strided<[?, 1]>> to memref<1x?xf32>
  %3 = memref.cast %d : memref<?x1xf32, strided<[1, ?]>> to memref<?x1xf32>
  %4 = memref.cast %e : memref<2x1x3xf32, strided<[3, ?, 1]>> to memref<2x1x3xf32>
  return %0, %1, %2, %3, %4 : memref<4x6xf32>, memref<?x6xf32>, memref<1x?xf32>, memref<?x1xf32>, memref<2x1x3xf32>
}

// Elsewhere each is: where there may be gaps between rows or elements, behind an
// offset, and with rows of a length that nobody knows.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: memref.copy
// CHECK-NOT: memref.c{{opy|ast}}
// CHECK: return
func.func @apart(%a: memref<4x6xf32, strided<[?, 1]>>, %b: memref<4xf32, strided<[1], offset: ?>>,
                 %c: memref<4x6xf32, strided<[6, ?]>>, %d: memref<4x?xf32, strided<[6, 1]>>) {
  %0 = memref.cast %a : memref<4x6xf32, strided<[?, 1]>> to memref<4x6xf32>
  %1 = memref.cast %b : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
  %2 = memref.cast %c : memref<4x6xf32, strided<[6, ?]>> to memref<4x6xf32>
  %3 = memref.cast %d : memref<4x?xf32, strided<[6, 1]>> to memref<4x?xf32>
  "test.use"(%0, %1, %2, %3) : (memref<4x6xf32>, memref<4xf32>, memref<4x6xf32>, memref<4x?xf32>) -> ()
  return
}

// A buffer with strides has room for all that lies between its elements, for
// nothing where a dimension is empty; others stay.
// CHECK-LABEL: func.func @strided_memory
// CHECK-SAME: %[[N:.*]]: index
func.func @strided_memory(%n: index) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[STEP:.*]] = arith.constant 8 : index
  // CHECK: %[[GAPS:.*]] = arith.subi %[[N]], %[[ONE]]
  // CHECK: %[[ROWS:.*]] = arith.muli %[[GAPS]], %[[STEP]]
  // CHECK: %[[E0:.*]] = arith.addi %[[ONE]], %[[ROWS]]
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: %[[THREE:.*]] = arith.constant 3 : index
  // CHECK: %[[G1:.*]] = arith.subi %[[THREE]], %[[ONE]]
  // CHECK: %[[R1:.*]] = arith.muli %[[G1]], %[[TWO]]
  // CHECK: %[[E1:.*]] = arith.addi %[[E0]], %[[R1]]
  // CHECK: %[[ROOM:.*]] = arith.maxsi %[[E1]], %[[ZERO]]
  // CHECK: %[[FLAT:.*]] = memref.alloc(%[[ROOM]]) {alignment = 32 : i64} : memref<?xf32>
  // CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [0], sizes: [%[[N]], 3], strides: [8, 2]
  %a = memref.alloc(%n) {alignment = 32 : i64} : memref<?x3xf32, strided<[8, 2]>>
  // CHECK: memref.alloc(%[[N]]) : memref<?x3xf32>
  %b = memref.alloc(%n) : memref<?x3xf32>
  "test.use"(%a, %b) : (memref<?x3xf32, strided<[8, 2]>>, memref<?x3xf32>) -> ()
  return
}

// The first rows of a buffer of the function are returned where they are.
// CHECK-LABEL: func.func @first_rows
// CHECK-SAME: %[[N:[a-z0-9]*]]: index, %{{.*}}: index, %{{.*}}: f32
// CHECK: %[[TABLE:.*]] = memref.alloc(%[[N]]) : memref<5x?xf32>
// CHECK-NOT: memref.copy
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[TABLE]]
// CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %[[TABLE]] to offset: [0], sizes: [4, %[[N]]], strides: [%[[STRIDES]]#0, 1] : memref<5x?xf32> to memref<4x?xf32>
// CHECK: return %[[ROWS]]
func.func @first_rows(%n: index, %i: index, %x: f32) -> memref<4x?xf32> {
  %c0 = arith.constant 0 : index
  %table = memref.alloc(%n) : memref<5x?xf32>
  memref.store %x, %table[%i, %c0] : memref<5x?xf32>
  %s = memref.subview %table[0, 0] [4, %n] [1, 1] : memref<5x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return %c : memref<4x?xf32>
}

// They are copied where the rest would be most of what is kept, where the caller
// gets the buffer as well, where the buffer is the caller's, and where rows are
// not whole.
// CHECK-LABEL: func.func @few_rows
// CHECK: memref.copy
// CHECK-LABEL: func.func @rows_of_a_result
// CHECK: memref.copy
// CHECK-LABEL: func.func @rows_of_an_argument
// CHECK: memref.copy
// CHECK-LABEL: func.func @parts_of_rows
// CHECK: memref.copy
// CHECK-LABEL: func.func @later_rows
// CHECK: memref.copy
func.func @few_rows(%n: index) -> memref<2x?xf32> {
  %table = memref.alloc(%n) : memref<5x?xf32>
  %s = memref.subview %table[0, 0] [2, %n] [1, 1] : memref<5x?xf32> to memref<2x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<2x?xf32, strided<[?, 1]>> to memref<2x?xf32>
  return %c : memref<2x?xf32>
}
func.func @rows_of_a_result(%n: index) -> (memref<4x?xf32>, memref<5x?xf32>) {
  %table = memref.alloc(%n) : memref<5x?xf32>
  %s = memref.subview %table[0, 0] [4, %n] [1, 1] : memref<5x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return %c, %table : memref<4x?xf32>, memref<5x?xf32>
}
func.func @rows_of_an_argument(%table: memref<5x?xf32>, %n: index) -> memref<4x?xf32> {
  %s = memref.subview %table[0, 0] [4, %n] [1, 1] : memref<5x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return %c : memref<4x?xf32>
}
func.func @parts_of_rows(%n: index, %m: index) -> memref<4x?xf32> {
  %table = memref.alloc(%n) : memref<5x?xf32>
  %s = memref.subview %table[0, 0] [4, %m] [1, 1] : memref<5x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return %c : memref<4x?xf32>
}
func.func @later_rows(%n: index) -> memref<4x?xf32> {
  %table = memref.alloc(%n) : memref<5x?xf32>
  %s = memref.subview %table[1, 0] [4, %n] [1, 1] : memref<5x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  %c = memref.cast %s : memref<4x?xf32, strided<[?, 1], offset: ?>> to memref<4x?xf32>
  return %c : memref<4x?xf32>
}
