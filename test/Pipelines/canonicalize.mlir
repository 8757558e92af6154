// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-canonicalize)' | FileCheck %s --check-prefixes=CHECK,REFINE
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-canonicalize{keep-strides})' | FileCheck %s --check-prefixes=CHECK,KEEP

// A size that changes in each iteration is not what it is at first.
// CHECK-LABEL: func.func @grows
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<?xf32>)
func.func @grows(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (tensor<?xf32>) {
    %d = tensor.dim %t, %c0 : tensor<?xf32>
    %m = arith.addi %d, %c1 : index
    %e = tensor.empty(%m) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @strides
// REFINE: memref.reinterpret_cast {{.*}} strides: [2]
// KEEP: memref.reinterpret_cast {{.*}} strides: [%
func.func @strides(%x: memref<?xf32>, %n: index) -> memref<?xf32, strided<[?]>> {
  %c2 = arith.constant 2 : index
  %s = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [%c2] : memref<?xf32> to memref<?xf32, strided<[?]>>
  return %s : memref<?xf32, strided<[?]>>
}

// A cast and back is nothing where the type between holds all of the first; here the
// two that are as wide or wider go, and the narrow one stays.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[WIDE:[^:]*]]: i64, %[[SIZE:[^:]*]]: index, %[[NARROW:[^:]*]]: i32
// CHECK: %[[CUT:.*]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK: %[[BACK:.*]] = arith.index_cast %[[CUT]] : i32 to index
// CHECK: %[[CUT2:.*]] = arith.index_castui %[[SIZE]] : index to i32
// CHECK: %[[BACK2:.*]] = arith.index_castui %[[CUT2]] : i32 to index
// CHECK: return %[[WIDE]], %[[SIZE]], %[[NARROW]], %[[BACK]], %[[BACK2]]
func.func @casts(%wide: i64, %size: index, %narrow: i32) -> (i64, index, i32, index, index) {
  %0 = arith.index_cast %wide : i64 to index
  %1 = arith.index_cast %0 : index to i64
  %2 = arith.index_castui %size : index to i64
  %3 = arith.index_castui %2 : i64 to index
  %4 = arith.index_cast %narrow : i32 to index
  %5 = arith.index_cast %4 : index to i32
  %6 = arith.index_cast %size : index to i32
  %7 = arith.index_cast %6 : i32 to index
  %8 = arith.index_castui %size : index to i32
  %9 = arith.index_castui %8 : i32 to index
  return %1, %3, %5, %7, %9 : i64, index, i32, index, index
}
