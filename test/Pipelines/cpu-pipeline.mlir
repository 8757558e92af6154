// RUN: tally-opt %s --tally-cpu-pipeline=prefix=model | FileCheck %s
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-cpu-pipeline{parallel=false})' | FileCheck %s --check-prefix=SERIAL

// Everything is in the LLVM dialect; the two sums are one loop, run in parallel.
// CHECK: llvm.func @main_parallel_0_addf(
// CHECK-COUNT-2: llvm.fadd
// CHECK: llvm.func internal @main(
// CHECK: llvm.call @tally_rt_alloc
// CHECK: llvm.call @tally_rt_parallel_for
// CHECK-NOT: llvm.call @tally_rt_parallel_for
// CHECK: llvm.func @model_main(
// SERIAL-NOT: tally_rt_parallel_for
// SERIAL: llvm.func internal @main(
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.add ins(%a, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}
