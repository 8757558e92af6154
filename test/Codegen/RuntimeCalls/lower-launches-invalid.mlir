// RUN: tally-opt %s --tally-lower-launches --split-input-file --verify-diagnostics

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "x">]
  func.func @cluster(%ctx: !llvm.ptr, %n: index) {
    // expected-error @below {{has a cluster size or an async token, which the runtime cannot pass on}}
    gpu.launch_func @kernels::@k clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "x">]
  func.func @async(%ctx: !llvm.ptr, %n: index) {
    // expected-error @below {{has a cluster size or an async token, which the runtime cannot pass on}}
    %0 = gpu.launch_func async @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "x">]
  func.func @layout(%ctx: !llvm.ptr, %n: index, %x: memref<1xf32, strided<[1], offset: ?>>) {
    // expected-error @below {{passes a buffer with a layout: 'memref<1xf32, strided<[1], offset: ?>>'}}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<1xf32, strided<[1], offset: ?>>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "x">]
  func.func @vector(%ctx: !llvm.ptr, %n: index, %x: vector<4xf32>) {
    // expected-error @below {{cannot pass a 'vector<4xf32>'}}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : vector<4xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @early(%ctx: !llvm.ptr, %n: index) {
    // expected-error @below {{launches a kernel that has not been compiled; run 'tally-serialize-kernels' first}}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{needs one object, machine code or PTX, for an NVVM target}}
  gpu.binary @kernels [#gpu.object<#rocdl.target, bin = "x">]
  func.func @other(%ctx: !llvm.ptr, %n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

func.func @no_context(%x: memref<f32>) -> f32 {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  %0 = tally.read_back %x[] : memref<f32>
  return %0 : f32
}

// -----

func.func @load(%ctx: !llvm.ptr, %x: memref<f32>) -> f32 {
  // expected-error @below {{'memref.load' accesses memory of the device on the host; it belongs in a kernel}}
  %0 = memref.load %x[] : memref<f32>
  return %0 : f32
}

// -----

func.func @gaps(%ctx: !llvm.ptr, %x: memref<?xf32, strided<[2]>>, %y: memref<?xf32>) {
  // expected-error @below {{copies a buffer that may have gaps; it belongs in a kernel}}
  memref.copy %x, %y : memref<?xf32, strided<[2]>> to memref<?xf32>
  return
}

// -----

memref.global "private" @state : memref<3xf32> = uninitialized
func.func @mutable(%ctx: !llvm.ptr) -> memref<3xf32> {
  // expected-error @below {{only constants of numbers can be on the device}}
  %0 = memref.get_global @state : memref<3xf32>
  return %0 : memref<3xf32>
}

// -----

func.func @other_op(%ctx: !llvm.ptr) {
  // expected-error @below {{cannot be lowered to a call of the runtime}}
  %0 = gpu.wait async
  return
}

// -----

func.func @read_vector(%ctx: !llvm.ptr, %x: memref<vector<4xf32>>) -> vector<4xf32> {
  // expected-error @below {{cannot read a 'vector<4xf32>'}}
  %0 = tally.read_back %x[] : memref<vector<4xf32>>
  return %0 : vector<4xf32>
}
