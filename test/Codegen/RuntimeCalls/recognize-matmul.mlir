// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-recognize-matmul),canonicalize,cse)' --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @named
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[Y:[^:]*]]: tensor<?x4xf32>
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x4xf32>
// CHECK: %[[R:.*]] = tally.matmul ins(%[[X]], %[[Y]] : tensor<?x?xf32>, tensor<?x4xf32>) outs(%[[E]] : tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK: return %[[R]]
func.func @named(%x: tensor<?x?xf32>, %y: tensor<?x4xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// What swaps the last two dimensions of an operand is part of the product.
// CHECK-LABEL: func.func @batches
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x?x?xf64>, %[[Y:[^:]*]]: tensor<3x?x?xf64>
// CHECK: tally.matmul ins(%[[X]], %[[Y]] : {{.*}}) outs({{.*}}) {transpose_a}
func.func @batches(%x: tensor<3x?x?xf64>, %y: tensor<3x?x?xf64>, %t: tensor<3x?x?xf64>, %e: tensor<3x?x?xf64>) -> tensor<3x?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %xt = linalg.transpose ins(%x : tensor<3x?x?xf64>) outs(%t : tensor<3x?x?xf64>) permutation = [0, 2, 1]
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<3x?x?xf64>) -> tensor<3x?x?xf64>
  %r = linalg.batch_matmul ins(%xt, %y : tensor<3x?x?xf64>, tensor<3x?x?xf64>) outs(%f : tensor<3x?x?xf64>) -> tensor<3x?x?xf64>
  return %r : tensor<3x?x?xf64>
}

// -----

// What swaps them may be in front of a slice that takes a range of each.
// CHECK-LABEL: func.func @slice
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>, %[[W:[^:]*]]: tensor<4x5x16xf32>, %[[T:[^:]*]]: tensor<4x16x5xf32>, %[[I:[^:]*]]: index, %[[S:[^:]*]]: index
// CHECK: %[[B:.*]] = tensor.extract_slice %[[W]][%[[I]], 0, %[[S]]] [1, 5, 8] [1, 1, 2] : tensor<4x5x16xf32> to tensor<5x8xf32>
// CHECK: tally.matmul ins(%[[X]], %[[B]] : {{.*}}) outs({{.*}}) {transpose_b}
func.func @slice(%x: tensor<?x8xf32>, %w: tensor<4x5x16xf32>, %t: tensor<4x16x5xf32>, %i: index, %s: index, %e: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %zero = arith.constant 0.0 : f32
  %wt = linalg.transpose ins(%w : tensor<4x5x16xf32>) outs(%t : tensor<4x16x5xf32>) permutation = [0, 2, 1]
  %b = tensor.extract_slice %wt[%i, %s, 0] [1, 8, 5] [1, 2, 1] : tensor<4x16x5xf32> to tensor<8x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = linalg.matmul ins(%x, %b : tensor<?x8xf32>, tensor<8x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// -----

// A slice of one element of a swapped dimension is a copy of its own.
// CHECK-LABEL: func.func @slice_of_columns
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : {{.*}}) outs({{.*}}) -> tensor<?x4xf32>
func.func @slice_of_columns(%x: tensor<?x8xf32>, %w: tensor<8x5x4xf32>, %t: tensor<8x4x5xf32>, %i: index, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %wt = linalg.transpose ins(%w : tensor<8x5x4xf32>) outs(%t : tensor<8x4x5xf32>) permutation = [0, 2, 1]
  %b = tensor.extract_slice %wt[0, 0, %i] [8, 4, 1] [1, 1, 1] : tensor<8x4x5xf32> to tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.matmul ins(%x, %b : tensor<?x8xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// One matrix for all batches: they are rows. Two transpositions cancel out.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x8xf32>, %[[W:[^:]*]]: tensor<8x5xf32>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
// CHECK: %[[R:.*]] = tally.matmul ins(%[[ROWS]], %[[W]] : tensor<?x8xf32>, tensor<8x5xf32>) outs(%{{.*}} : tensor<?x5xf32>) -> tensor<?x5xf32>
// CHECK: tensor.expand_shape %[[R]] {{\[\[}}0, 1], [2]] output_shape [%{{.*}}, %{{.*}}, 5]
func.func @linear(%x: tensor<?x?x8xf32>, %w: tensor<8x5xf32>, %t: tensor<5x8xf32>, %e: tensor<?x?x5xf32>) -> tensor<?x?x5xf32> {
  %zero = arith.constant 0.0 : f32
  %wt = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x5xf32>) outs(%t : tensor<5x8xf32>) {
  ^bb0(%in: f32, %old: f32):
    linalg.yield %in : f32
  } -> tensor<5x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x5xf32>) -> tensor<?x?x5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wt : tensor<?x?x8xf32>, tensor<5x8xf32>) outs(%f : tensor<?x?x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  } -> tensor<?x?x5xf32>
  return %r : tensor<?x?x5xf32>
}

// -----

// Rounded at once: in half precision.
// CHECK-LABEL: func.func @half
// CHECK-NOT: linalg
// CHECK: %[[R:.*]] = tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%{{.*}} : tensor<?x?xbf16>)
// CHECK: return %[[R]]
func.func @half(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>, %e: tensor<?x?xf32>, %h: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<?x?xf32>) outs(%h : tensor<?x?xbf16>) {
  ^bb0(%in: f32, %old: bf16):
    %t = arith.truncf %in : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}

// -----

// A product that something else is done with is not rounded by the call: it is a
// result, or rounded beside another input, transposed, downward, or to another type.
// CHECK-LABEL: func.func @not_only_rounded
// CHECK-NOT: tally.matmul {{.*}} outs(%{{[^:]*}} : tensor<?x?x{{b?}}f16>)
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x?xf16>, tensor<?x?xf16>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK-NOT: tally.matmul {{.*}} outs(%{{[^:]*}} : tensor<?x?x{{b?}}f16>)
// CHECK: return
func.func @not_only_rounded(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %e: tensor<?x?xf32>, %h: tensor<?x?xf16>, %b: tensor<?x?xbf16>)
    -> (tensor<?x?xf32>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %beside = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%1, %x : tensor<?x?xf32>, tensor<?x?xf16>) outs(%h : tensor<?x?xf16>) {
  ^bb0(%in: f32, %other: f16, %old: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  %2 = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %transposed = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<?x?xf32>) outs(%h : tensor<?x?xf16>) {
  ^bb0(%in: f32, %old: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  %3 = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %down = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<?x?xf32>) outs(%h : tensor<?x?xf16>) {
  ^bb0(%in: f32, %old: f16):
    %t = arith.truncf %in downward : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x?xf16>
  %4 = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %brain = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<?x?xf32>) outs(%b : tensor<?x?xbf16>) {
  ^bb0(%in: f32, %old: bf16):
    %t = arith.truncf %in : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %0, %beside, %transposed, %down, %brain : tensor<?x?xf32>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xbf16>
}

// -----

// The right operand may be the first input.
// CHECK-LABEL: func.func @right_first
// CHECK-SAME: %[[Y:[^:]*]]: tensor<?x5xf32>, %[[X:[^:]*]]: tensor<3x?xf32>
// CHECK: tally.matmul ins(%[[X]], %[[Y]] : tensor<3x?xf32>, tensor<?x5xf32>) outs(%{{.*}} : tensor<3x5xf32>) ->
func.func @right_first(%y: tensor<?x5xf32>, %x: tensor<3x?xf32>, %e: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %x : tensor<?x5xf32>, tensor<3x?xf32>) outs(%f : tensor<3x5xf32>) {
  ^bb0(%b: f32, %a: f32, %sum: f32):
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// Somebody sees the sum before it is rounded: in single precision.
// CHECK-LABEL: func.func @wide
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>)
func.func @wide(%x: tensor<?x?xf16>, %y: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What the sum starts with is added afterwards.
// CHECK-LABEL: func.func @starts
// CHECK-SAME: %[[C:[^:]*]]: tensor<4x4xf32>)
// CHECK: %[[R:.*]] = tally.matmul
// CHECK: linalg.add ins(%[[C]], %[[R]] :
func.func @starts(%x: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// The result of one product is swapped for another.
// CHECK-LABEL: func.func @chain
// CHECK: %[[R:.*]] = tally.matmul
// CHECK: tally.matmul ins(%[[R]], %[[R]] : {{.*}} {transpose_b}
func.func @chain(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%r : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%r, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// Not products for a library: of integers, with a diagonal, over two
// dimensions, of half sums, of differences, with batches of which one is apart.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tally.matmul
func.func @others(%i: tensor<4x4xi32>, %x: tensor<4x4xf32>, %y: tensor<4x4x4xf32>, %h: tensor<4x4xf16>)
    -> (tensor<4x4xi32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>, tensor<4x4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%i, %i : tensor<4x4xi32>, tensor<4x4xi32>) outs(%i : tensor<4x4xi32>) -> tensor<4x4xi32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, l) -> (i, k, l)>, affine_map<(i, j, k, l) -> (j, k, l)>, affine_map<(i, j, k, l) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%y, %y : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%zero : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %3 = linalg.matmul ins(%h, %h : tensor<4x4xf16>, tensor<4x4xf16>) outs(%h : tensor<4x4xf16>) -> tensor<4x4xf16>
  %4 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %5 = linalg.generic {
      indexing_maps = [affine_map<(b, i, j, k) -> (i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x4xf32>, tensor<4x4x4xf32>) outs(%y : tensor<4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x4xi32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>, tensor<4x4x4xf32>
}
