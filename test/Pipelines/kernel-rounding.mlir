// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa chip=sm_80})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s
// REQUIRES: libdevice

gpu.module @kernels {
  // IEEE rounding, and no product that a sum swallows.
  // CHECK-LABEL: .entry single(
  // CHECK: sqrt.rn.f32
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  // CHECK: div.rn.f32
  gpu.func @single(%p: memref<1xf32>, %x: f32, %y: f32, %z: f32) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.sqrt %x : f32
    %1 = arith.mulf %0, %y : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.divf %2, %y : f32
    memref.store %3, %p[%c0] : memref<1xf32>
    gpu.return
  }

  // Each operation rounds, as on the CPU: exp in f32, then the product of what
  // has become a bf16.
  // CHECK-LABEL: .entry brain(
  // CHECK: ex2.approx
  // CHECK: cvt.rn.bf16.f32 %[[E:rs[0-9]+]],
  // CHECK: fma.rn.bf16 %{{.*}}, %{{.*}}[[E]]
  gpu.func @brain(%p: memref<1xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %x = memref.load %p[%c0] : memref<1xbf16>
    %e = math.exp %x : bf16
    %0 = arith.mulf %e, %x : bf16
    memref.store %0, %p[%c0] : memref<1xbf16>
    gpu.return
  }

  // An integer by way of f32; a double is rounded once.
  // CHECK-LABEL: .entry conversions(
  // CHECK-DAG: cvt.rn.f32.s64
  // CHECK-DAG: cvt.rn.f32.f64
  // CHECK-DAG: setp.ne.f64
  // CHECK-NOT: cvt.rn.f16.f64
  // CHECK-NOT: cvt.rn.f16.s64
  gpu.func @conversions(%p: memref<2xf16>, %i: i64, %d: f64) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.sitofp %i : i64 to f16
    %1 = arith.truncf %d : f64 to f16
    memref.store %0, %p[%c0] : memref<2xf16>
    memref.store %1, %p[%c1] : memref<2xf16>
    gpu.return
  }
}
