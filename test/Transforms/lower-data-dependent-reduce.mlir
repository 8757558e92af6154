// RUN: tally-opt %s --tally-lower-data-dependent=reduce | FileCheck %s

// The largest value is a reduction; the counts are summed up in a loop.
// CHECK-LABEL: func.func @bincount(
// CHECK-SAME:    %[[V:.*]]: tensor<?xi64>, %[[LEAST:.*]]: index)
// CHECK:       %[[START:.*]] = linalg.fill ins(%c-1_i64 : i64)
// CHECK:       %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[V]] : tensor<?xi64>) outs(%[[START]] : tensor<i64>)
// CHECK:         arith.maxsi
// CHECK:       %[[LARGEST:.*]] = tensor.extract %[[MAX]][]
// CHECK:       arith.index_cast %[[LARGEST]]
// CHECK:       scf.for
// CHECK-NOT:   scf.for
func.func @bincount(%v: tensor<?xi64>, %k: index) -> tensor<?xi64> {
  %r = tally.bincount %v minlength %k : tensor<?xi64>
  return %r : tensor<?xi64>
}
