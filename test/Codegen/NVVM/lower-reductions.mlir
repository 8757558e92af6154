// RUN: tally-opt %s --pass-pipeline='builtin.module(gpu.module(tally-lower-reductions))' | FileCheck %s

gpu.module @kernels {
  // A warp: five exchanges.
  // CHECK-LABEL: gpu.func @warp(
  // CHECK-COUNT-5: gpu.shuffle {{.*}} : f32
  // CHECK-NOT: gpu.shuffle
  gpu.func @warp(%x: f32, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %sum = gpu.subgroup_reduce add %x uniform : (f32) -> f32
    memref.store %sum, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // 64 bits: two exchanges of 32 bits each time.
  // CHECK-LABEL: gpu.func @wide(
  // CHECK-COUNT-10: gpu.shuffle {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  gpu.func @wide(%x: f64, %out: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    %max = gpu.subgroup_reduce maximumf %x uniform : (f64) -> f64
    memref.store %max, %out[%c0] : memref<1xf64>
    gpu.return
  }

  // 16 bits travel as 32.
  // CHECK-LABEL: gpu.func @half(
  // CHECK-COUNT-5: gpu.shuffle {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  gpu.func @half(%x: bf16, %out: memref<1xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %sum = gpu.subgroup_reduce add %x uniform : (bf16) -> bf16
    memref.store %sum, %out[%c0] : memref<1xbf16>
    gpu.return
  }

  // Four numbers of 16 bits: two and two travel together.
  // CHECK-LABEL: gpu.func @vector(
  // CHECK-COUNT-10: gpu.shuffle
  // CHECK-NOT: gpu.{{shuffle|subgroup_reduce}}
  // CHECK: gpu.return
  gpu.func @vector(%x: vector<4xf16>, %out: memref<1xvector<4xf16>>) kernel {
    %c0 = arith.constant 0 : index
    %sum = gpu.subgroup_reduce add %x uniform : (vector<4xf16>) -> vector<4xf16>
    memref.store %sum, %out[%c0] : memref<1xvector<4xf16>>
    gpu.return
  }

  // A block: through shared memory.
  // CHECK-LABEL: gpu.func @block(
  // CHECK-SAME: workgroup(%{{.*}} : memref<32xi64, #gpu.address_space<workgroup>>)
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.all_reduce
  gpu.func @block(%x: i64, %out: memref<1xi64>) kernel {
    %c0 = arith.constant 0 : index
    %sum = gpu.all_reduce add %x uniform {} : (i64) -> i64
    memref.store %sum, %out[%c0] : memref<1xi64>
    gpu.return
  }
}
