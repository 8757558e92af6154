// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-recognize-matmul{integers}),canonicalize,cse)' --split-input-file | FileCheck %s
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-recognize-matmul),canonicalize,cse)' --split-input-file | FileCheck %s --check-prefix=ONE

// A sum of f32 that is seen is the result; operands are not converted.
// CHECK-LABEL: func.func @biased
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xbf16>, %[[Y:[^:]*]]: tensor<?x?xbf16>
// CHECK-NOT: arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[R:.*]] = tally.matmul ins(%[[X]], %[[Y]] : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%{{.*}} : tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[R]], %{{.*}} : tensor<?x?xf32>, tensor<?xbf16>)
// ONE-LABEL: func.func @biased
// ONE: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%{{.*}} : tensor<?x?xf32>)
func.func @biased(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>, %bias: tensor<?xbf16>, %e: tensor<?x?xf32>, %h: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<?x?xf32>, tensor<?xbf16>) outs(%h : tensor<?x?xbf16>) {
  ^bb0(%in: f32, %b: bf16, %old: bf16):
    %w = arith.extf %b : bf16 to f32
    %s = arith.addf %in, %w : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}

// -----

// Bytes, summed in i32 from what is added afterwards.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x?xi8>, %[[Y:[^:]*]]: tensor<?x3xi8>, %[[C:[^:]*]]: tensor<4x3xi32>
// CHECK: %[[R:.*]] = tally.matmul ins(%[[X]], %[[Y]] : tensor<4x?xi8>, tensor<?x3xi8>) outs(%{{.*}} : tensor<4x3xi32>) -> tensor<4x3xi32>
// CHECK: linalg.add ins(%[[C]], %[[R]] : tensor<4x3xi32>, tensor<4x3xi32>)
// ONE-LABEL: func.func @bytes
// ONE-NOT: tally.matmul
// ONE: return
func.func @bytes(%x: tensor<4x?xi8>, %y: tensor<?x3xi8>, %c: tensor<4x3xi32>) -> tensor<4x3xi32> {
  %r = linalg.matmul ins(%x, %y : tensor<4x?xi8>, tensor<?x3xi8>) outs(%c : tensor<4x3xi32>) -> tensor<4x3xi32>
  return %r : tensor<4x3xi32>
}

// -----

// Types of the operands that differ become that of the sum; bytes without a sign
// are not multiplied.
// CHECK-LABEL: func.func @others
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-NOT: tally.matmul
func.func @others(%h: tensor<4x4xf16>, %b: tensor<4x4xbf16>, %i: tensor<4x4xi8>, %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xi32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0> : tensor<4x4xi32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%h, %b : tensor<4x4xf16>, tensor<4x4xbf16>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%i, %i : tensor<4x4xi8>, tensor<4x4xi8>) outs(%none : tensor<4x4xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %a = arith.extui %x : i8 to i32
    %c = arith.extsi %y : i8 to i32
    %p = arith.muli %a, %c : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<4x4xi32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xi32>
}

// -----

// Sums of the type of operands; there is no matmul of i4.
// CHECK-LABEL: func.func @integers
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xi8>, tensor<4x4xi8>) outs(%{{.*}} : tensor<4x4xi8>)
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xi16>, tensor<4x4xi16>) outs(%{{.*}} : tensor<4x4xi16>)
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xi32>, tensor<4x4xi32>) outs(%{{.*}} : tensor<4x4xi32>)
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xi64>, tensor<4x4xi64>) outs(%{{.*}} : tensor<4x4xi64>)
// CHECK-COUNT-1: linalg.matmul
// ONE-LABEL: func.func @integers
// ONE-NOT: tally.matmul
// ONE: return
func.func @integers(%b: tensor<4x4xi8>, %h: tensor<4x4xi16>, %i: tensor<4x4xi32>, %l: tensor<4x4xi64>, %n: tensor<4x4xi4>)
    -> (tensor<4x4xi8>, tensor<4x4xi16>, tensor<4x4xi32>, tensor<4x4xi64>, tensor<4x4xi4>) {
  %0 = linalg.matmul ins(%b, %b : tensor<4x4xi8>, tensor<4x4xi8>) outs(%b : tensor<4x4xi8>) -> tensor<4x4xi8>
  %1 = linalg.matmul ins(%h, %h : tensor<4x4xi16>, tensor<4x4xi16>) outs(%h : tensor<4x4xi16>) -> tensor<4x4xi16>
  %2 = linalg.matmul ins(%i, %i : tensor<4x4xi32>, tensor<4x4xi32>) outs(%i : tensor<4x4xi32>) -> tensor<4x4xi32>
  %3 = linalg.matmul ins(%l, %l : tensor<4x4xi64>, tensor<4x4xi64>) outs(%l : tensor<4x4xi64>) -> tensor<4x4xi64>
  %4 = linalg.matmul ins(%n, %n : tensor<4x4xi4>, tensor<4x4xi4>) outs(%n : tensor<4x4xi4>) -> tensor<4x4xi4>
  return %0, %1, %2, %3, %4 : tensor<4x4xi8>, tensor<4x4xi16>, tensor<4x4xi32>, tensor<4x4xi64>, tensor<4x4xi4>
}
