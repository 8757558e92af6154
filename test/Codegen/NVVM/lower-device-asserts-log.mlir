// The debug log tells which kernels report errors, and which functions wait.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-lower-device-asserts --debug-only=tally-lower-device-asserts -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-lower-device-asserts {{.*}}careful: its asserts report errors
// CHECK: [tally-lower-device-asserts {{.*}}quiet: ends at once after an error of another one
// CHECK: [tally-lower-device-asserts {{.*}}launch: waits for errors of kernels
// CHECK-NOT: tally-lower-device-asserts
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @careful(%ok: i1) kernel {
      tally.assert %ok message("of a kernel")
      gpu.return
    }
    gpu.func @quiet(%ok: i1) kernel {
      gpu.return
    }
  }
  func.func @launch(%ok: i1) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@careful blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%ok : i1)
    return
  }
  func.func @other(%ok: i1) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@quiet blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%ok : i1)
    return
  }
}
