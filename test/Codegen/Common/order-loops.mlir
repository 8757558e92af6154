// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops,tally-order-loops))' | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @matmul
// CHECK: indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "reduction", "parallel"]
func.func @matmul(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The sum of a row walks along the row already.
// CHECK-LABEL: func.func @rows
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @rows(%x: tensor<?x?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}

// Both operands lie along the reduction.
// CHECK-LABEL: func.func @transposed
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @transposed(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// An index in the body follows its dimension.
// CHECK-LABEL: func.func @indices
// CHECK: iterator_types = ["reduction", "parallel"]
// CHECK: linalg.index 0
func.func @indices(%x: tensor<?x?xf32>, %z: tensor<?xindex>) -> tensor<?xindex> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xindex>) {
  ^bb0(%a: f32, %c: index):
    %k = linalg.index 1 : index
    %s = arith.addi %c, %k : index
    linalg.yield %s : index
  } -> tensor<?xindex>
  return %r : tensor<?xindex>
}

// What the body looks up is apart in memory along the rows.
// CHECK-LABEL: func.func @looked_up
// CHECK: iterator_types = ["parallel", "reduction"]
// Here it is not, and the parallel loop becomes the inner one.
// CHECK-LABEL: func.func @looked_up_along
// CHECK: iterator_types = ["reduction", "parallel"]
func.func @looked_up(%x: tensor<?x?xf32>, %start: tensor<?xindex>, %w: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%start, %w : tensor<?xindex>, tensor<?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%first: index, %f: f32, %c: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %at = arith.addi %first, %k : index
    %v = tensor.extract %x[%i, %at] : tensor<?x?xf32>
    %s = arith.addf %c, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @looked_up_along(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %w: tensor<?xindex>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%y, %w : tensor<?xf32>, tensor<?xindex>) outs(%z : tensor<?xf32>) {
  ^bb0(%f: f32, %row: index, %c: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%row, %i] : tensor<?x?xf32>
    %p = arith.mulf %v, %f : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The sum of the columns of a transposed matrix is that of its rows.
// CHECK-LABEL: func.func @transposed_columns
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @transposed_columns(%x: tensor<?x?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, n) -> (n, k)>, affine_map<(k, n) -> (n)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %c, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// One operand lies along the reduction, the other one along the result.
// CHECK-LABEL: func.func @along_both
// CHECK: iterator_types = ["reduction", "parallel"]
// A window lies along both loops.
// CHECK-LABEL: func.func @window
// CHECK: iterator_types = ["reduction", "parallel"]
func.func @along_both(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, n) -> (n, k)>, affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @window(%x: tensor<?xf32>, %w: tensor<3xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, n) -> (n + k)>, affine_map<(k, n) -> (k)>, affine_map<(k, n) -> (n)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
