// The debug log tells which empty tensors are made where they are inserted, and why
// others are not.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-eliminate-empty-tensors --debug-only=tally-eliminate-empty-tensors -o /dev/null 2>&1 | FileCheck %s

// CHECK-DAG: [tally-eliminate-empty-tensors {{.*}}an empty tensor at eliminate-empty-tensors-log.mlir:[[#@LINE+3]]: is made where it is inserted
// CHECK-DAG: [tally-eliminate-empty-tensors {{.*}}an empty tensor at eliminate-empty-tensors-log.mlir:[[#@LINE+8]]: is inserted later, as an assert stands between
func.func @inserted(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %p = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.insert_slice %p into %y[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @behind(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index, %n: index, %ok: i1) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %p = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  tally.assert %ok message("it fits")
  %r = tensor.insert_slice %p into %y[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
