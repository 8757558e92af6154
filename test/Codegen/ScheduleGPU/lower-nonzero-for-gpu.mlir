// RUN: tally-opt %s --tally-lower-nonzero-for-gpu --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @matrix
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>
// CHECK: %[[ELEMENTS:.*]] = arith.muli
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[ELEMENTS]], %c1024
// CHECK: %[[LENGTH:.*]] = arith.addi %[[TILES]], %c1
// CHECK: %[[E:.*]] = tensor.empty(%[[LENGTH]]) : tensor<?xi64>
// CHECK: %[[BEFORE:.*]] = tally.count_nonzero ins(%[[X]] : tensor<?x3xf32>) outs(%[[E]] : tensor<?xi64>) tile 1024 -> tensor<?xi64>
// CHECK: %[[TOTAL:.*]] = tensor.extract %[[BEFORE]][%[[TILES]]]
// CHECK: arith.index_cast %[[TOTAL]]
// CHECK: arith.maxsi
// CHECK: %[[N:.*]] = arith.minsi %{{.*}}, %[[ELEMENTS]]
// CHECK: %[[ROOM:.*]] = tensor.empty(%[[N]]) : tensor<?x2xi64>
// CHECK: tally.write_nonzero ins(%[[X]], %[[BEFORE]] : tensor<?x3xf32>, tensor<?xi64>) outs(%[[ROOM]] : tensor<?x2xi64>) tile 1024 -> tensor<?x2xi64>
func.func @matrix(%x: tensor<?x3xf32>) -> tensor<?x2xi64> {
  %r = tally.nonzero %x : tensor<?x3xf32> -> tensor<?x2xi64>
  return %r : tensor<?x2xi64>
}

// -----

// A number has no index: rows without columns.
// CHECK-LABEL: func.func @number
// CHECK: tally.count_nonzero
// CHECK-NOT: tally.write_nonzero
// CHECK: tensor.empty(%{{.*}}) : tensor<?x0xi64>
func.func @number(%x: tensor<i1>) -> tensor<?x0xi64> {
  %r = tally.nonzero %x : tensor<i1> -> tensor<?x0xi64>
  return %r : tensor<?x0xi64>
}

// -----

// The indices of what is kept; then the elements, at indices inside of the source in any case.
// CHECK-LABEL: func.func @select
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>, %[[MASK:.*]]: tensor<?x3xi1>
// CHECK: tally.count_nonzero ins(%[[MASK]] : tensor<?x3xi1>)
// CHECK: %[[WRITTEN:.*]] = tally.write_nonzero ins(%[[MASK]],
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[WRITTEN]]
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%[[E]] : tensor<?xf32>)
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: tensor.extract %[[ROWS]][%[[I]], %c0]
// CHECK: arith.minsi
// CHECK: %[[A:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: tensor.extract %[[ROWS]][%[[I]], %c1]
// CHECK: %[[B:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: tensor.extract %[[X]][%[[A]], %[[B]]] {tally.checked}
func.func @select(%x: tensor<?x3xf32>, %mask: tensor<?x3xi1>) -> tensor<?xf32> {
  %r = tally.masked_select %x, %mask : tensor<?x3xf32>, tensor<?x3xi1>
  return %r : tensor<?xf32>
}
