// RUN: tally-opt %s --pass-pipeline='builtin.module(gpu.module(tally-convert-kernels))' --split-input-file --verify-diagnostics

// One error, at the operation that is in the way.
gpu.module @kernels {
  gpu.func @k(%p: memref<1xi32>, %x: i32) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'math.ipowi' cannot be compiled for the GPU}}
    %0 = math.ipowi %x, %x : i32
    memref.store %0, %p[%c0] : memref<1xi32>
    gpu.return
  }
}

// -----

// There is no heap.
gpu.module @kernels {
  gpu.func @k(%n: index, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'memref.alloc' cannot be compiled for the GPU}}
    %m = memref.alloc(%n) : memref<?xf32>
    memref.store %x, %m[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' cannot be compiled for the GPU}}
  gpu.func @k(%n: index, %x: memref<?xf32>) kernel {
    gpu.return
  }
}
