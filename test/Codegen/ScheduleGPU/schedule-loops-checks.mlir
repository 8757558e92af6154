// RUN: tally-opt %s --tally-schedule-loops --split-input-file | FileCheck %s

// Where updates may come in any order, one kernel checks places and adds; else the check comes first. The
// sizes of both are asserted to be the same.
// CHECK-LABEL: gpu.func @sums_atomics(
// CHECK: %[[AT:.*]] = memref.load %{{.*}} : memref<?xi64>
// CHECK: %[[OK:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// CHECK: tally.assert %[[OK]] message("out of range")
// CHECK: memref.atomic_rmw addf
// CHECK-LABEL: gpu.func @sums_loop(
// CHECK: tally.assert %{{.*}} message("out of range")
// CHECK-LABEL: func.func @sums(
// CHECK-NOT: launch_func
// CHECK: scf.if %{{.*}} {
// CHECK-NOT: @sums_loop
// CHECK: gpu.launch_func @kernels::@sums_atomics
// CHECK: } else {
// CHECK: gpu.launch_func @kernels::@sums_loop
// CHECK: gpu.launch_func @kernels::@sums_keys
func.func @sums(%x: memref<?xf32>, %i: memref<?xi64>, %y: memref<?xf32>, %limit: i64) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %k = memref.dim %i, %c0 : memref<?xi64>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %k, %m : index
  tally.assert %same message("sizes differ")
  scf.for %j = %c0 to %k step %c1 {
    %at = memref.load %i[%j] : memref<?xi64>
    %ok = arith.cmpi ult, %at, %limit : i64
    tally.assert %ok message("out of range")
  }
  %sums = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %sums : memref<?xf32> to memref<?xf32>
  scf.for %j = %c0 to %m step %c1 {
    %v = memref.load %y[%j] : memref<?xf32>
    %at = memref.load %i[%j] : memref<?xi64>
    %to = arith.index_cast %at : i64 to index
    %old = memref.load %sums[%to] : memref<?xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %sums[%to] : memref<?xf32>
  }
  return %sums : memref<?xf32>
}

// -----

// What is written belongs to the caller, who would see a part of it: it is checked before.
// CHECK-LABEL: gpu.func @in_place_loop(
// CHECK: tally.assert
// CHECK-LABEL: func.func @in_place(
// CHECK: gpu.launch_func @kernels::@in_place_loop
func.func @in_place(%sums: memref<?xf32>, %i: memref<?xi64>, %y: memref<?xf32>, %limit: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = memref.dim %i, %c0 : memref<?xi64>
  scf.for %j = %c0 to %k step %c1 {
    %at = memref.load %i[%j] : memref<?xi64>
    %ok = arith.cmpi ult, %at, %limit : i64
    tally.assert %ok message("out of range")
  }
  scf.for %j = %c0 to %k step %c1 {
    %v = memref.load %y[%j] : memref<?xf32>
    %at = memref.load %i[%j] : memref<?xi64>
    %to = arith.index_cast %at : i64 to index
    %old = memref.load %sums[%to] : memref<?xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %sums[%to] : memref<?xf32>
  }
  return
}
