// RUN: tally-opt %s --tally-serialize-kernels=format=isa | FileCheck %s --check-prefix=ISA
// RUN: tally-opt %s --tally-serialize-kernels='format=auto toolkit=%t.nowhere' | FileCheck %s --check-prefix=ISA
// RUN: %if ptxas %{ tally-opt %s --tally-serialize-kernels | FileCheck %s --check-prefix=BIN %}
// RUN: %if ptxas %{ tally-opt %s --tally-serialize-kernels=format=bin | FileCheck %s --check-prefix=BIN %}

// ISA: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, assembly = "{{.*}}.entry k({{.*}}">]
// BIN: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, bin = "\7FELF{{.*}}">]
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
  llvm.func @k(%p: !llvm.ptr, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %x, %p : f32, !llvm.ptr
    llvm.return
  }
}
