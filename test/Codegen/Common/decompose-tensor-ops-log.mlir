// The debug log has a line for each operation that is broken up.
// REQUIRES: debug-log
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-decompose-tensor-ops))' --debug-only=tally-decompose-tensor-ops -o /dev/null 2>&1 \
// RUN:   | FileCheck %s

// CHECK-DAG: [tally-decompose-tensor-ops {{.*}}tensor.concat at decompose-tensor-ops-log.mlir:[[#@LINE+6]]: 3 parts are inserted into one tensor
// CHECK-DAG: [tally-decompose-tensor-ops {{.*}}arith.select at decompose-tensor-ops-log.mlir:[[#@LINE+6]]: becomes a branch, as the sizes of its tensors may differ
// CHECK-DAG: [tally-decompose-tensor-ops {{.*}}tensor.gather at decompose-tensor-ops-log.mlir:[[#@LINE+6]]: becomes a loop that reads coordinates and elements
func.func @broken_up(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: i1, %at: tensor<4x1xindex>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<4x1xf32>) {
  %inner = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %all = tensor.concat dim(0) %inner, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %one = arith.select %p, %x, %y : tensor<?xf32>
  %some = tensor.gather %x[%at] gather_dims([0]) unique : (tensor<?xf32>, tensor<4x1xindex>) -> tensor<4x1xf32>
  return %all, %one, %some : tensor<?xf32>, tensor<?xf32>, tensor<4x1xf32>
}
