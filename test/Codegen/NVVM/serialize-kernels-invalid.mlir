// RUN: split-file %s %t
// RUN: not tally-opt %t/target.mlir --tally-serialize-kernels 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=error:
// RUN: not tally-opt %t/empty.mlir --tally-serialize-kernels=format=fat 2>&1 | FileCheck %s --check-prefix=FORMAT --implicit-check-not=error:
// RUN: not tally-opt %t/libdevice.mlir --tally-serialize-kernels='format=isa toolkit=%t' 2>&1 | FileCheck %s --check-prefix=LIBDEVICE --implicit-check-not=error:
// RUN: not tally-opt %t/libdevice.mlir --tally-serialize-kernels='format=bin toolkit=%t' 2>&1 | FileCheck %s --check-prefix=PTXAS --implicit-check-not=error:
// RUN: not tally-opt %t/undefined.mlir --tally-serialize-kernels=format=isa 2>&1 | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not=error:
// RUN: mkdir -p %t/broken/bin
// RUN: echo '#!/bin/sh' > %t/broken/bin/ptxas
// RUN: echo 'echo line 7: no such instruction; exit 3' >> %t/broken/bin/ptxas
// RUN: chmod +x %t/broken/bin/ptxas
// RUN: not tally-opt %t/plain.mlir --tally-serialize-kernels=toolkit=%t/broken 2>&1 | FileCheck %s --check-prefix=FAILS --implicit-check-not=error:
// RUN: not env TMPDIR=%t/nowhere tally-opt %t/plain.mlir --tally-serialize-kernels=toolkit=%t/broken 2>&1 | FileCheck %s --check-prefix=TEMPORARY --implicit-check-not=error:

// TARGET: target.mlir:1:1: error: needs one NVVM target; run 'tally-attach-target' first
// FORMAT: error: unknown format 'fat'; known are auto, bin and isa
// LIBDEVICE: libdevice.mlir:1:1: error: needs '__nv_expf' of NVIDIA's libdevice.10.bc, which was not found; install the CUDA toolkit or PyPI's nvidia-nvvm
// PTXAS: error: ptxas was not found; install the CUDA toolkit or PyPI's nvidia-cuda-nvcc
// UNDEFINED: undefined.mlir:1:1: error: calls 'memrefCopy', which does not exist on the GPU
// FAILS: plain.mlir:1:1: error: {{.*}}/broken/bin/ptxas failed: line 7: no such instruction
// TEMPORARY: plain.mlir:1:1: error: cannot make a temporary folder: No such file or directory; TMPDIR says where

//--- target.mlir
gpu.module @kernels {
}
//--- empty.mlir
module {
}
//--- libdevice.mlir
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @k(%p: !llvm.ptr, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr
    llvm.return
  }
}
//--- undefined.mlir
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
  llvm.func @memrefCopy()
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.call @memrefCopy() : () -> ()
    llvm.return
  }
}
//--- plain.mlir
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
