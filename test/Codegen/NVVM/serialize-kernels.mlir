// RUN: tally-opt %s --tally-serialize-kernels=format=isa | FileCheck %s --check-prefix=ISA
// A driver that translates nothing itself:
// RUN: tally-test-opt %s --tally-serialize-kernels=format=isa | FileCheck %s --check-prefix=ISA
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

// What the driver of the GPU provides may be called, by any address.
// ISA: gpu.binary @provided {{.*}}assembly = "{{.*}}.extern .func {{.*}}vprintf{{.*}}tid.x
// BIN: gpu.binary @provided
gpu.module @provided [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
  llvm.func @k(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %0 = llvm.call @vprintf(%p, %p) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.call @__assertfail(%p, %p, %t, %p, %n) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
    llvm.return
  }
}
