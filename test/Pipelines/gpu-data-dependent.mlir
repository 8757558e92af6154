// Operations whose results depend on data go down to PTX: loops over elements
// that are left become kernels of one thread.
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline{verify},tally-gpu-pipeline{format=isa verify})' | FileCheck %s
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline{verify},tally-gpu-pipeline{format=bin stop-after=binary})' -o /dev/null %}

// CHECK: main_thread
// CHECK: llvm.func @tally_main
// CHECK-NOT: tally.unique
func.func @main(%x: tensor<?x3xf32>, %m: tensor<?x3xi1>, %n: tensor<?xi64>, %i: i64, %j: i64)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x3xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x3xf32>, tensor<3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %a = arith.index_cast %i : i64 to index
  %b = arith.index_cast %j : i64 to index
  %r0 = tally.masked_select %x, %m : tensor<?x3xf32>, tensor<?x3xi1>
  %r1, %r2, %r3 = tally.unique %x : tensor<?x3xf32>
  %r4 = tally.repeat_interleave %n : tensor<?xi64>
  %r5 = tally.bincount %n minlength %a : tensor<?xi64>
  %r6 = tally.slice %x[%a to %b] dim 0 : tensor<?x3xf32>
  %r7 = tally.select %x[%a] dim 0 : tensor<?x3xf32>
  %r8, %r9 = tally.split %x[%a, %b] dim 0 : tensor<?x3xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9
    : tensor<?xf32>, tensor<?xf32>, tensor<?x3xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x3xf32>, tensor<3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}
