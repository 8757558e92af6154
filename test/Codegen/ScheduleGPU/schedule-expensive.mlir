// RUN: tally-opt %S/../../Integration/Schedules/Inputs/sines.mlir \
// RUN:   --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{stop-after=schedule})' | FileCheck %s

// Elements that take longer to compute than to read are read one at a time, and
// 1024 of them are worth a block; there are few versions to compile.
// CHECK-NOT: gpu.func @{{.*}}(_x4|_wide)(
// CHECK-DAG: gpu.func @main_kernel_0_few(
// CHECK-DAG: gpu.func @main_kernel_0_warp(
// CHECK-DAG: gpu.func @main_kernel_0_parts(
// CHECK-DAG: gpu.func @main_kernel_0_parts_apply(
// CHECK-DAG: gpu.func @main_kernel_0_block(
// CHECK: func.func
// CHECK: arith.divui %{{.*}}, %c1024
