// RUN: tally-opt %s --split-input-file --tally-count-hits --canonicalize | FileCheck %s

// Places are computed once for each element, and one that is no counter's counts nothing.
// CHECK-LABEL: func.func @floats(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<100xf32>
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[M]] step %c1 iter_args(%[[ROWS:.*]] = %[[Y]])
// CHECK:           scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[ALL:.*]] = %[[ROWS]])
// CHECK:             %[[V:.*]] = tensor.extract %[[X]][%[[I]], %[[J]]]
// CHECK:             %[[PLACE:.*]] = arith.fptosi %[[V]] : f32 to i64
// CHECK:             %[[AT:.*]] = arith.index_cast %[[PLACE]] : i64 to index
// CHECK:             %[[IS:.*]] = arith.cmpi ult, %[[AT]], %c100
// CHECK:             scf.if %[[IS]]
// CHECK:               %[[SUM:.*]] = tensor.extract %[[ALL]][%[[AT]]]
// CHECK:               %[[NEXT:.*]] = arith.addf %[[SUM]], %cst : f32
// CHECK:               tensor.insert %[[NEXT]] into %[[ALL]][%[[AT]]]
// CHECK-NOT:     linalg.generic
func.func @floats(%x: tensor<?x?xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<100xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i64
    %place = arith.fptosi %v : f32 to i64
    %is = arith.cmpi eq, %number, %place : i64
    %hit = arith.uitofp %is : i1 to f32
    %next = arith.addf %sum, %hit : f32
    linalg.yield %next : f32
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// -----

// The loop over counters may be any; a place that depends on where its element is.
// CHECK-LABEL: func.func @indices(
// CHECK:         scf.for %[[J:.*]] = %c0 to
// CHECK:           %[[AT:.*]] = arith.addi %[[J]], %{{.*}} : index
// CHECK:           arith.cmpi ult, %[[AT]], %{{.*}} : index
// CHECK-NOT:     linalg.generic
func.func @indices(%x: tensor<?xindex>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?xindex>) outs(%y : tensor<?xi64>) {
  ^bb0(%v: index, %sum: i64):
    %j = linalg.index 0 : index
    %i = linalg.index 1 : index
    %place = arith.addi %j, %v : index
    %is = arith.cmpi eq, %place, %i : index
    %hit = arith.extui %is : i1 to i64
    %next = arith.addi %hit, %sum : i64
    linalg.yield %next : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// -----

// Few counters are sums of their own.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
func.func @few(%x: tensor<?xi64>, %y: tensor<8xi64>) -> tensor<8xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?xi64>) outs(%y : tensor<8xi64>) {
  ^bb0(%place: i64, %sum: i64):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i64
    %is = arith.cmpi eq, %number, %place : i64
    %hit = arith.extui %is : i1 to i64
    %next = arith.addi %sum, %hit : i64
    linalg.yield %next : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// -----

// What the place depends on is not the same for all counters.
// CHECK-LABEL: func.func @own(
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
func.func @own(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?xi64>) outs(%y : tensor<?xi64>) {
  ^bb0(%v: i64, %sum: i64):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i64
    %place = arith.muli %number, %v : i64
    %is = arith.cmpi eq, %number, %place : i64
    %hit = arith.extui %is : i1 to i64
    %next = arith.addi %sum, %hit : i64
    linalg.yield %next : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}
