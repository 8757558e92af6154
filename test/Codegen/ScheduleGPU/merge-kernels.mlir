// RUN: tally-opt %s --tally-merge-kernels --split-input-file | FileCheck %s

// The second one is the first under another name; the third is not.
// CHECK: gpu.func @first(
// CHECK-NOT: gpu.func @same(
// CHECK: gpu.func @other(
// CHECK: gpu.func @more_threads(
// CHECK: func.func @launch(
// CHECK: gpu.launch_func @kernels::@first
// CHECK: gpu.launch_func @kernels::@first
// CHECK: gpu.launch_func @kernels::@other
// CHECK: gpu.launch_func @kernels::@more_threads
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @first(%x: memref<1xf32>, %value: f32) kernel {
      %c0 = arith.constant 0 : index
      %twice = arith.addf %value, %value : f32
      memref.store %twice, %x[%c0] : memref<1xf32>
      gpu.return
    }
    gpu.func @same(%y: memref<1xf32>, %number: f32) kernel {
      %zero = arith.constant 0 : index
      %sum = arith.addf %number, %number : f32
      memref.store %sum, %y[%zero] : memref<1xf32>
      gpu.return
    }
    gpu.func @other(%x: memref<1xf32>, %value: f32) kernel {
      %c0 = arith.constant 0 : index
      %square = arith.mulf %value, %value : f32
      memref.store %square, %x[%c0] : memref<1xf32>
      gpu.return
    }
    gpu.func @more_threads(%x: memref<1xf32>, %value: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %twice = arith.addf %value, %value : f32
      memref.store %twice, %x[%c0] : memref<1xf32>
      gpu.return
    }
  }
  func.func @launch(%x: memref<1xf32>, %value: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %value : f32)
    gpu.launch_func @kernels::@same blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %value : f32)
    gpu.launch_func @kernels::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %value : f32)
    gpu.launch_func @kernels::@more_threads blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %value : f32)
    return
  }
}

// -----

// An assert that fails tells its line: only kernels whose asserts have the same ones are one.
// CHECK: gpu.func @lookup(
// CHECK-NOT: gpu.func @same_line(
// CHECK: gpu.func @other_line(
// CHECK-NOT: gpu.func
// CHECK: func.func @launch_asserts(
// CHECK: gpu.launch_func @kernels::@lookup
// CHECK: gpu.launch_func @kernels::@lookup
// CHECK: gpu.launch_func @kernels::@other_line
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lookup(%n: index) kernel {
      %c7 = arith.constant 7 : index
      %ok = arith.cmpi ult, %n, %c7 : index
      tally.assert %ok, <s0 < 7> (s0 = %n : index) loc("model.py":13:0)
      gpu.return
    }
    gpu.func @same_line(%m: index) kernel {
      %c7 = arith.constant 7 : index loc("model.py":20:0)
      %ok = arith.cmpi ult, %m, %c7 : index
      tally.assert %ok, <s0 < 7> (s0 = %m : index) loc("model.py":13:0)
      gpu.return
    }
    gpu.func @other_line(%m: index) kernel {
      %c7 = arith.constant 7 : index
      %ok = arith.cmpi ult, %m, %c7 : index
      tally.assert %ok, <s0 < 7> (s0 = %m : index) loc("model.py":14:0)
      gpu.return
    }
  }
  func.func @launch_asserts(%n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@lookup blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index)
    gpu.launch_func @kernels::@same_line blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index)
    gpu.launch_func @kernels::@other_line blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index)
    return
  }
}
