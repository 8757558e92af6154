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

// Each element of the result searches for the first index whose repetitions end behind it,
// among the sums of counts. These stay where they are once they are too large.
// CHECK-LABEL: func.func @repeat_interleave(
// CHECK-SAME:    %[[COUNTS:.*]]: tensor<?xi64>)
// CHECK:       %[[ENDS:.*]] = tally.prefix_scan ins(%[[COUNTS]] : tensor<?xi64>) {{.*}} dim 0 associative
// CHECK:         arith.maxsi
// CHECK:         tally.accumulate
// CHECK:           arith.subi %c9223372036854775807_i64
// CHECK:           arith.minsi
// CHECK:           arith.addi
// CHECK:       %[[TOTAL:.*]] = scf.if
// CHECK:         tensor.extract %[[ENDS]]
// CHECK:       linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK:         scf.while
// CHECK:           tensor.extract %[[ENDS]]
// CHECK-NOT:   scf.for
func.func @repeat_interleave(%counts: tensor<?xi64>) -> tensor<?xi64> {
  %r = tally.repeat_interleave %counts : tensor<?xi64>
  return %r : tensor<?xi64>
}
