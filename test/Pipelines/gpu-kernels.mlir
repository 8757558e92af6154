// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=isa stop-after=binary})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefixes=PTX,SM90A
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=isa stop-after=binary chip=sm_80})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefixes=PTX,SM80
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=isa stop-after=binary chip=sm_100a})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefixes=PTX,SM100A
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=bin stop-after=binary})' | FileCheck %s --check-prefix=CODE %}
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=bin stop-after=binary chip=sm_80})' | FileCheck %s --check-prefix=CODE %}
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=bin stop-after=binary chip=sm_100a})' | FileCheck %s --check-prefix=CODE %}
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline{verify},tally-gpu-pipeline{format=isa verify})' | FileCheck %s --check-prefix=HOST
// REQUIRES: libdevice

// From named programs to PTX and machine code.

// CODE: gpu.binary @kernels {{.*}}bin = "\7FELF

// SM90A: .target sm_90a
// SM80: .target sm_80
// SM100A: .target sm_100a

// Pointwise: 16 bytes at once (sm_100 has registers of two floats), and one by one
// what is left.
// PTX: .visible .entry scaled_kernel_0_x4(
// PTX: .maxntid 256
// PTX: ld.global.nc.v{{4.b32|2.b64}}
// PTX: st.global.v{{4.b32|2.b64}}
// PTX: ld.global.nc.b32
// PTX: st.global.b32
// PTX: .visible .entry scaled_kernel_0(
// Sums of rows: shuffles in a warp, and shared memory in a block.
// PTX: .visible .entry sums_kernel_0_warp_x4(
// PTX-NOT: bar.sync
// PTX-COUNT-5: shfl.sync.bfly.b32
// PTX-NOT: bar.sync
// PTX: ld.global.nc.v{{4.b32|2.b64}}
// PTX: .visible .entry sums_kernel_0_block_x4(
// PTX: .shared .align 16
// PTX: ld.global.nc.v{{4.b32|2.b64}}
// PTX-COUNT-5: shfl.sync.bfly.b32
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: ld.shared.v{{4.b32|2.b64}}
// A transposition: squares in shared memory.
// PTX: .visible .entry transposed_kernel_0_tile(
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: ld.shared.b32

// HOST: llvm.func internal @scaled(
// HOST: llvm.call @tally_rt_launch(
// HOST: llvm.func @tally_scaled(
// HOST-NOT: gpu.

func.func @scaled(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %scale: f32) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @sums(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %zero = arith.constant 0.0 : f32
  %n = tally.size <s0> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @transposed(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>
}
