// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s
// REQUIRES: libdevice

// A part of a buffer whose place is known at run time: its offset is arithmetic.
// CHECK: .visible .entry part(
// CHECK: mad.lo.s64
// CHECK: ld.global
// CHECK: st.global
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @part(%xp: memref<1xf32>, %op: memref<1xf32>, %i: index, %n: index, %s: index) kernel {
      %t = gpu.thread_id x
      %x = memref.reinterpret_cast %xp to offset: [0], sizes: [%n, %n], strides: [%s, 1] : memref<1xf32> to memref<?x?xf32, strided<[?, 1]>>
      %o = memref.reinterpret_cast %op to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
      %row = memref.subview %x[%i, %i] [1, %n] [1, 1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1], offset: ?>>
      %v = memref.load %row[%t] : memref<?xf32, strided<[1], offset: ?>>
      memref.store %v, %o[%t] : memref<?xf32>
      gpu.return
    }
  }
}
