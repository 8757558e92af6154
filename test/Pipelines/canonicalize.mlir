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
