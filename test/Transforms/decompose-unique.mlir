// RUN: tally-opt %s --split-input-file --tally-decompose-unique --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @all(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK:         %[[SORTED:.*]]:2 = tally.sort ins(%[[X]] : tensor<?xf32>) values(%{{.*}}) indices(%{{.*}}) dim 0
// An element differs from the one before it; NaN from all.
// CHECK:         %[[STARTS:.*]] = linalg.generic
// CHECK:           %[[IS_FIRST:.*]] = arith.cmpi eq
// CHECK:           %[[DIFFERS:.*]] = arith.cmpf une
// CHECK:           arith.ori %[[IS_FIRST]], %[[DIFFERS]]
// CHECK:         %[[ROWS:.*]] = tally.nonzero %[[STARTS]] : tensor<?xi1> -> tensor<?x1xi64>
// CHECK:         %[[FIRST:.*]] = tensor.collapse_shape %[[ROWS]]
// CHECK:         %[[FOUND:.*]] = tensor.dim %[[FIRST]], %c0
// CHECK:         %[[LEAST:.*]] = arith.minsi %[[N]], %c1
// CHECK:         %[[SOME:.*]] = arith.maxsi %[[FOUND]], %[[LEAST]]
// CHECK:         %[[COUNT:.*]] = arith.minsi %[[SOME]], %[[N]]
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[FIRST]][0] [%[[COUNT]]] [1]
// Where each element has gone, and the run there.
// CHECK:         %[[PLACES:.*]] = linalg.generic
// CHECK:           tensor.extract %[[SORTED]]#1
// CHECK:           arith.trunci %{{.*}} : i64 to i32
// CHECK:         %[[GONE:.*]] = tally.sort ins(%[[PLACES]] : tensor<?xi32>) indices(%{{.*}}) dim 0 {is_unsigned}
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[GONE]]
// CHECK:           scf.while
// CHECK:             tensor.extract %[[PART]]
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[SORTED]]#0
// CHECK:         linalg.generic
// CHECK:           arith.select %{{.*}}, %[[N]], %{{.*}}
func.func @all(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64>) {
  %v, %i, %c = tally.unique %x : tensor<?xf32>
  return %v, %i, %c : tensor<?xf32>, tensor<?xi64>, tensor<?xi64>
}

// -----

// Nothing is computed for an inverse and counts that nobody asks for.
// CHECK-LABEL: func.func @values(
// CHECK:         %[[SORTED:.*]] = tally.sort ins(%{{.*}} : tensor<?xi8>) values(%{{.*}}) dim 0
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     tally.sort
// CHECK-NOT:     linalg.generic
func.func @values(%x: tensor<?x2xi8>) -> tensor<?xi8> {
  %v, %i, %c = tally.unique %x : tensor<?x2xi8>
  return %v : tensor<?xi8>
}
