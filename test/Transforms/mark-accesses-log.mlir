// The debug log tells of each access that sizes alone do not keep in bounds whether
// something else does.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-mark-accesses --debug-only=tally-mark-accesses -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-mark-accesses {{.*}}tensor.extract at mark-accesses-log.mlir:[[#@LINE+11]]: what its index is made of keeps it in bounds
// CHECK: [tally-mark-accesses {{.*}}tensor.extract at mark-accesses-log.mlir:[[#@LINE+11]]: nothing here tells that it is in bounds
// CHECK-NOT: tally-mark-accesses
func.func @marked(%x: tensor<?xf32>, %i: index, %j: index) -> (f32, f32) {
  %zero = arith.constant 0 : index
  %rows = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
  %n = tensor.dim %rows, %zero : tensor<?x1xi64>
  %is_row = arith.cmpi ult, %i, %n : index
  tally.assert %is_row, <i < n> (i = %i, n = %n : index, index)
  %row = tensor.extract %rows[%i, %zero] : tensor<?x1xi64>
  %at = arith.index_cast %row : i64 to index
  %e = tensor.extract %x[%at] : tensor<?xf32>
  %f = tensor.extract %x[%j] : tensor<?xf32>
  return %e, %f : f32, f32
}
