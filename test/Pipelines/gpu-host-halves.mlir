// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=isa})' | FileCheck %s

// Numbers on the host are rounded as on the CPU, after every operation, and take
// nothing of the system's library that older ones lack.
// CHECK-LABEL: llvm.func internal @main(
// CHECK: llvm.fmul {{.*}} : f32
// CHECK: llvm.intr.roundeven(%{{.*}}) : (f64) -> f64
// CHECK-NOT: llvm.intr.sin
// CHECK-NOT: llvm.call @sin
// CHECK-NOT: llvm.fptrunc {{.*}} to bf16
func.func @main(%x: bf16, %y: bf16) -> bf16 {
  %p = arith.mulf %x, %y : bf16
  %e = math.sin %p : bf16
  return %e : bf16
}
