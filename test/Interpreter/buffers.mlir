// Buffers: what they hold, and views of them.
// DEFINE: %{run} = tally-run %s --interpret --entry
// RUN: %{run} views --input 'f32[2,6]=0,1,2,3,4,5,6,7,8,9,10,11' --expect 'f32[6]=8,10,7,9,2,4' --expect 'i64[4]=8,6,2,6'
// RUN: %{run} copies --input 'i32[3]=1,2,3' --expect 'i32[3]=1,2,30' --expect 'i32[3]=4,2,3'
// RUN: %{run} constants --expect 'i64[3]=5,7,5'
// RUN: %{run} vectors --input 'f32[8]=0,1,2,3,4,5,6,7' --expect 'f32[8]=4,5,6,7,3,3,1.5,1.5'
// RUN: %{run} addresses --input 'f32[4]=0,1,2,3' --expect i64=0 --expect i64=4
// RUN: %{run} addresses --input 'f32[4]=0,1,2,3' --seed 1 --expect i64=4 --expect i64=8
// RUN: %{run} atomics --input 'f32[2]=1,nan' --expect 'f32[2]=3,nan' --expect f32=1 --expect 'i32[8]=7,12,9,9,-1,3,7,2' --expect i32=7

func.func @views(%x: memref<2x6xf32>) -> (memref<6xf32>, memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = memref.alloc() : memref<6xf32>
  %q = memref.alloc() : memref<4xi64>
  // Row 1, elements 2, 4: 8 and 10.
  %a = memref.subview %x[1, 2] [1, 2] [1, 2] : memref<2x6xf32> to memref<2xf32, strided<[2], offset: 8>>
  %ra = memref.subview %r[0] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1]>>
  memref.copy %a, %ra : memref<2xf32, strided<[2], offset: 8>> to memref<2xf32, strided<[1]>>
  // As 2x3x2: [1, 0, 1] and [1, 1, 1].
  %b = memref.expand_shape %x [[0], [1, 2]] output_shape [2, 3, 2] : memref<2x6xf32> into memref<2x3x2xf32>
  %b0 = memref.load %b[%c1, %c0, %c1] : memref<2x3x2xf32>
  %b1 = memref.load %b[%c1, %c1, %c1] : memref<2x3x2xf32>
  memref.store %b0, %r[%c2] : memref<6xf32>
  memref.store %b1, %r[%c3] : memref<6xf32>
  // Flat, from the third on, in steps of two.
  %flat = memref.collapse_shape %x [[0, 1]] : memref<2x6xf32> into memref<12xf32>
  %base, %o, %n, %s = memref.extract_strided_metadata %flat : memref<12xf32> -> memref<f32>, index, index, index
  %c = memref.reinterpret_cast %base to offset: [2], sizes: [%c2], strides: [%c2] : memref<f32> to memref<?xf32, strided<[?], offset: 2>>
  %rc = memref.subview %r[4] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1], offset: 4>>
  %cc = memref.cast %c : memref<?xf32, strided<[?], offset: 2>> to memref<2xf32, strided<[2], offset: 2>>
  memref.copy %cc, %rc : memref<2xf32, strided<[2], offset: 2>> to memref<2xf32, strided<[1], offset: 4>>
  %ma, %mo, %mn, %ms = memref.extract_strided_metadata %a : memref<2xf32, strided<[2], offset: 8>> -> memref<f32>, index, index, index
  %d = memref.dim %x, %c1 : memref<2x6xf32>
  %dn = memref.dim %c, %c0 : memref<?xf32, strided<[?], offset: 2>>
  %bbase, %bo, %bs:3, %bt:3 = memref.extract_strided_metadata %b : memref<2x3x2xf32> -> memref<f32>, index, index, index, index, index, index, index
  %q0 = arith.index_cast %mo : index to i64
  %q1 = arith.index_cast %d : index to i64
  %q2 = arith.index_cast %dn : index to i64
  %q3 = arith.index_cast %bt#0 : index to i64
  memref.store %q0, %q[%c0] : memref<4xi64>
  memref.store %q1, %q[%c1] : memref<4xi64>
  memref.store %q2, %q[%c2] : memref<4xi64>
  memref.store %q3, %q[%c3] : memref<4xi64>
  return %r, %q : memref<6xf32>, memref<4xi64>
}

// Values that share memory see what is written to it; others do not.
func.func @copies(%x: memref<?xi32>) -> (memref<?xi32>, memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %thirty = arith.constant 30 : i32
  %four = arith.constant 4 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  %a = memref.alloc(%n) : memref<?xi32>
  %b = memref.alloc(%n) : memref<?xi32>
  memref.copy %x, %a : memref<?xi32> to memref<?xi32>
  memref.copy %a, %b : memref<?xi32> to memref<?xi32>
  %view = memref.subview %a[%c2] [1] [1] : memref<?xi32> to memref<1xi32, strided<[1], offset: ?>>
  memref.store %thirty, %view[%c0] : memref<1xi32, strided<[1], offset: ?>>
  memref.store %four, %b[%c0] : memref<?xi32>
  return %a, %b : memref<?xi32>, memref<?xi32>
}

memref.global "private" constant @table : memref<2xi64> = dense<[5, 7]>
func.func @constants() -> memref<3xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : memref<3xi64>
  %t = memref.get_global @table : memref<2xi64>
  %u = memref.get_global @table : memref<2xi64>
  %0 = memref.load %t[%c0] : memref<2xi64>
  %1 = memref.load %u[%c1] : memref<2xi64>
  memref.store %0, %r[%c0] : memref<3xi64>
  memref.store %1, %r[%c1] : memref<3xi64>
  memref.store %0, %r[%c2] : memref<3xi64>
  return %r : memref<3xi64>
}

func.func @vectors(%x: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %r = memref.alloc() : memref<8xf32>
  %v = vector.load %x[%c4] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>
  vector.store %v, %r[%c0] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>
  %w = vector.load %x[%c0] : memref<8xf32>, vector<4xf32>
  %e = vector.extract %w[3] : f32 from vector<4xf32>
  %pair = vector.from_elements %e, %e : vector<2xf32>
  vector.store %pair, %r[%c4] : memref<8xf32>, vector<2xf32>
  %h = arith.constant dense<1.5> : vector<2xf32>
  %z = arith.constant 0.0 : f32
  %b = vector.broadcast %z : f32 to vector<2xf32>
  %sum = arith.addf %h, %b : vector<2xf32>
  vector.store %sum, %r[%c6] : memref<8xf32>, vector<2xf32>
  return %r : memref<8xf32>
}

// Addresses of arguments are aligned, unless the seed is odd.
func.func @addresses(%x: memref<4xf32>) -> (i64, i64) {
  %c256 = arith.constant 256 : i64
  %c1 = arith.constant 1 : index
  %base, %o, %n, %s = memref.extract_strided_metadata %x : memref<4xf32> -> memref<f32>, index, index, index
  %a = memref.extract_aligned_pointer_as_index %x : memref<4xf32> -> index
  %next = arith.constant 4 : index
  %b = arith.addi %a, %next : index
  %ai = arith.index_cast %a : index to i64
  %bi = arith.index_cast %b : index to i64
  %ar = arith.remui %ai, %c256 : i64
  %br = arith.remui %bi, %c256 : i64
  return %ar, %br : i64, i64
}

func.func @atomics(%x: memref<2xf32>) -> (memref<2xf32>, f32, memref<8xi32>, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %i7 = arith.constant 7 : i32
  %r = memref.alloc() : memref<2xf32>
  %q = memref.alloc() : memref<8xi32>
  memref.copy %x, %r : memref<2xf32> to memref<2xf32>
  %before = memref.atomic_rmw addf %two, %r[%c0] : (f32, memref<2xf32>) -> f32
  %nan = memref.atomic_rmw maximumf %two, %r[%c1] : (f32, memref<2xf32>) -> f32
  %values = arith.constant dense<[5, 12, 4, 9, -1, 3, 5, 2]> : tensor<8xi32>
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = tensor.extract %values[%i] : tensor<8xi32>
    memref.store %v, %q[%i] : memref<8xi32>
  }
  %two_i = arith.constant 2 : i32
  %nine = arith.constant 9 : i32
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %0 = memref.atomic_rmw addi %two_i, %q[%c0] : (i32, memref<8xi32>) -> i32
  %1 = memref.atomic_rmw maxs %nine, %q[%c1] : (i32, memref<8xi32>) -> i32
  %2 = memref.atomic_rmw assign %nine, %q[%c2] : (i32, memref<8xi32>) -> i32
  %3 = memref.atomic_rmw minu %nine, %q[%c3] : (i32, memref<8xi32>) -> i32
  %4 = memref.atomic_rmw maxu %nine, %q[%c4] : (i32, memref<8xi32>) -> i32
  %5 = memref.atomic_rmw mins %nine, %q[%c5] : (i32, memref<8xi32>) -> i32
  %6 = memref.atomic_rmw ori %two_i, %q[%c6] : (i32, memref<8xi32>) -> i32
  %7 = memref.atomic_rmw andi %two_i, %q[%c7] : (i32, memref<8xi32>) -> i32
  %8 = memref.generic_atomic_rmw %q[%c0] : memref<8xi32> {
  ^bb0(%old: i32):
    %new = arith.maxsi %old, %two_i : i32
    memref.atomic_yield %new : i32
  }
  return %r, %before, %q, %8 : memref<2xf32>, f32, memref<8xi32>, i32
}
