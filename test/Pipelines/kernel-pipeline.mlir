// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefixes=PTX,SM90A
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa chip=sm_80})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefixes=PTX,SM80
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa chip=sm_100a})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefixes=PTX,SM100A
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa},tally-lower-launches,tally-host-pipeline)' | FileCheck %s --check-prefix=HOST
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=bin})' | FileCheck %s --check-prefix=CODE %}
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=bin chip=sm_80})' | FileCheck %s --check-prefix=CODE %}
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=bin chip=sm_100a})' | FileCheck %s --check-prefix=CODE %}
// REQUIRES: libdevice

// CODE: gpu.binary @kernels {{.*}}bin = "\7FELF

// What a scheduler would write: kernels on pointers and sizes, and a function
// that launches them, goes all the way to the LLVM dialect.

// SM90A: .target sm_90a
// SM80: .target sm_80
// SM100A: .target sm_100a
// PTX: .visible .entry rows(
// PTX: ld.global.nc.v4.b32
// PTX: shfl.sync.bfly.b32
// PTX: bar.sync
// PTX: div.rn.f32
// PTX: st.global.v4.b32
// PTX: .visible .entry gather(
// The assert comes before the access that needs it; who comes first tells why.
// PTX: @%p{{[0-9]+}} bra
// PTX: ld.global{{.*}}.b32
// PTX: atom.{{.*}}cas.b64

// HOST-NOT: ctor
// HOST: llvm.mlir.global internal constant @tally_gpu_image_kernels(
// HOST: llvm.mlir.global internal constant @tally_device_assert_table_records("0 <= i0 and i0 < s1
// HOST-LABEL: llvm.func @main(
// HOST: llvm.call @tally_rt_device_errors(
// HOST: llvm.call @tally_rt_launch(
// HOST: llvm.call @tally_rt_constant(
// HOST: llvm.call @tally_rt_launch(
// The read-back brings the errors of both kernels along.
// HOST: llvm.call @tally_rt_read_back(
// HOST-NOT: call @tally_rt_check_device(
// HOST-NOT: gpu.

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @rows(%xp: memref<1xf32> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64}, %op: memref<1xf32> {llvm.noalias, llvm.align = 16 : i64}, %m: index, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c4 = arith.constant 4 : index
    %c1024 = arith.constant 1024 : index
    %t = gpu.thread_id x
    %row = gpu.block_id x
    %x = memref.reinterpret_cast %xp to offset: [0], sizes: [%m, %n], strides: [%n, 1] : memref<1xf32> to memref<?x?xf32, strided<[?, 1]>>
    %o = memref.reinterpret_cast %op to offset: [0], sizes: [%m, %n], strides: [%n, 1] : memref<1xf32> to memref<?x?xf32, strided<[?, 1]>>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %j0 = arith.muli %t, %c4 : index
    %sums = scf.for %j = %j0 to %n step %c1024 iter_args(%sum = %zero) -> (vector<4xf32>) {
      %v = vector.load %x[%row, %j] {alignment = 16} : memref<?x?xf32, strided<[?, 1]>>, vector<4xf32>
      %e = math.exp %v : vector<4xf32>
      %next = arith.addf %sum, %e : vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    %part = vector.reduction <add>, %sums : vector<4xf32> into f32
    %total = gpu.all_reduce add %part uniform {} : (f32) -> f32
    %all = vector.broadcast %total : f32 to vector<4xf32>
    scf.for %j = %j0 to %n step %c1024 {
      %v = vector.load %x[%row, %j] {alignment = 16} : memref<?x?xf32, strided<[?, 1]>>, vector<4xf32>
      %e = math.exp %v : vector<4xf32>
      %r = arith.divf %e, %all : vector<4xf32>
      vector.store %r, %o[%row, %j] {alignment = 16} : memref<?x?xf32, strided<[?, 1]>>, vector<4xf32>
    }
    gpu.return
  }
  gpu.func @gather(%ip: memref<1xi64>, %xp: memref<1xf32>, %op: memref<1xf32>, %n: index, %m: index, %scale: f32, %flip: i1) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %o0 = arith.muli %b, %d : index
    %p = arith.addi %o0, %t : index
    %idx = memref.reinterpret_cast %ip to offset: [0], sizes: [%n], strides: [1] : memref<1xi64> to memref<?xi64>
    %x = memref.reinterpret_cast %xp to offset: [0], sizes: [%m], strides: [1] : memref<1xf32> to memref<?xf32>
    %o = memref.reinterpret_cast %op to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
    %in = arith.cmpi ult, %p, %n : index
    scf.if %in {
      %i64 = memref.load %idx[%p] : memref<?xi64>
      %i = arith.index_cast %i64 : i64 to index
      %ok = arith.cmpi ult, %i, %m : index
      %g = tally.assert %ok, <0 <= i0 and i0 < s1> (i0 = %i, s1 = %m : index, index) message("index out of range") sources({s1 = "x.size(0)"}) required_by("tensor.extract") guards(%i : index)
      %v = memref.load %x[%g] : memref<?xf32>
      %s = arith.mulf %v, %scale : f32
      %neg = arith.negf %s : f32
      %r = arith.select %flip, %neg, %s : f32
      memref.store %r, %o[%p] : memref<?xf32>
    }
    gpu.return
  }
}
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @main(%ctx: !llvm.ptr, %x: memref<?x?xf32>, %i: memref<?xi64>) -> (memref<?xf32>, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %scale = arith.constant 2.0 : f32
  %flip = arith.constant true
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %k = memref.dim %i, %c0 : memref<?xi64>
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  %xb, %xo, %xs:2, %xt:2 = memref.extract_strided_metadata %x : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
  %yb, %yo, %ys:2, %yt:2 = memref.extract_strided_metadata %y : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
  %xp = memref.reinterpret_cast %xb to offset: [0], sizes: [1], strides: [1] : memref<f32> to memref<1xf32>
  %yp = memref.reinterpret_cast %yb to offset: [0], sizes: [1], strides: [1] : memref<f32> to memref<1xf32>
  %bytes = arith.constant 0 : i32
  gpu.launch_func @kernels::@rows blocks in (%m, %c1, %c1) threads in (%c256, %c1, %c1) dynamic_shared_memory_size %bytes args(%xp : memref<1xf32>, %yp : memref<1xf32>, %m : index, %n : index)
  %t = memref.get_global @table : memref<4xf32>
  %tp = memref.reinterpret_cast %t to offset: [0], sizes: [1], strides: [1] : memref<4xf32> to memref<1xf32>
  %r = memref.alloc(%k) : memref<?xf32>
  %rb, %ro, %rs, %rt = memref.extract_strided_metadata %r : memref<?xf32> -> memref<f32>, index, index, index
  %ib, %io, %is, %it = memref.extract_strided_metadata %i : memref<?xi64> -> memref<i64>, index, index, index
  %rp = memref.reinterpret_cast %rb to offset: [0], sizes: [1], strides: [1] : memref<f32> to memref<1xf32>
  %ip = memref.reinterpret_cast %ib to offset: [0], sizes: [1], strides: [1] : memref<i64> to memref<1xi64>
  %grid = arith.ceildivui %k, %c256 : index
  gpu.launch_func @kernels::@gather blocks in (%grid, %c1, %c1) threads in (%c256, %c1, %c1) args(%ip : memref<1xi64>, %tp : memref<1xf32>, %rp : memref<1xf32>, %k : index, %c4 : index, %scale : f32, %flip : i1)
  %e = tally.read_back %i[%c0] : memref<?xi64>
  memref.dealloc %y : memref<?x?xf32>
  return %r, %e : memref<?xf32>, i64
}
}
