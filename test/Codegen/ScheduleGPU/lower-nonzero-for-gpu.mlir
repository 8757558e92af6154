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
