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
