// RUN: tally-opt %s --tally-schedule-scans --split-input-file --canonicalize --cse | FileCheck %s

// A warp combines the elements of a step by shuffles; what all of them are combined to is with the
// last thread that has one.
// CHECK: gpu.func @rows_scan_0_warp_x4(%{{.*}}: memref<1xf32> {llvm.noalias, llvm.readonly}, %{{.*}}: memref<1xf32> {llvm.noalias}, {{.*}}known_block_size = array<i32: 256, 1, 1>
// CHECK: gpu.func @rows_scan_0_warp(
// CHECK: %[[X:.*]] = memref.reinterpret_cast %arg0
// CHECK: %[[Y:.*]] = memref.reinterpret_cast %arg1
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD:.*]], %c32
// CHECK: %[[WARP:.*]] = arith.divui %[[THREAD]], %c32
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: scf.for %[[BASE:.*]] = %c0 to %[[N:.*]] step %c32 iter_args(%[[CARRIED:.*]] = %{{.*}}) -> (f64)
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[N]], %[[BASE]]
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[BASE]], %[[LANE]]
// CHECK-NEXT: %[[VALID:.*]] = arith.cmpi slt, %[[AT]], %[[N]]
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK-NEXT: %[[INSIDE:.*]] = arith.minui %[[AT]], %[[LAST]]
// CHECK-NEXT: %[[A:.*]] = memref.load %[[X]][%[[ROW]], %[[INSIDE]]]
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[A]] : f32 to f64
// CHECK-COUNT-2: gpu.shuffle up %{{.*}}, %c1_i32, %c32_i32
// CHECK: %[[BEFORE:.*]] = arith.bitcast %{{.*}} : i64 to f64
// CHECK-NEXT: %[[ASKS:.*]] = arith.cmpi uge, %[[LANE]], %c1
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[WIDE]]
// CHECK-NEXT: arith.select %[[ASKS]], %[[SUM]], %[[WIDE]]
// CHECK-COUNT-2: gpu.shuffle up %{{.*}}, %c2_i32, %c32_i32
// CHECK-COUNT-2: gpu.shuffle up %{{.*}}, %c4_i32, %c32_i32
// CHECK-COUNT-2: gpu.shuffle up %{{.*}}, %c8_i32, %c32_i32
// CHECK-COUNT-2: gpu.shuffle up %{{.*}}, %c16_i32, %c32_i32
// CHECK-COUNT-2: gpu.shuffle up %{{.*}}, %c1_i32, %c32_i32
// CHECK: %[[OF_LAST:.*]] = arith.subi %[[LEFT]], %c1
// CHECK-NEXT: %[[IN_WARP:.*]] = arith.minsi %[[OF_LAST]], %c31
// CHECK-NEXT: %[[LAST_THREAD:.*]] = arith.index_cast %[[IN_WARP]] : index to i32
// CHECK-COUNT-2: gpu.shuffle idx %{{.*}}, %[[LAST_THREAD]], %c32_i32
// CHECK: scf.if %[[VALID]] {
// CHECK: memref.store %{{.*}}, %[[Y]][%[[ROW]], %[[AT]]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[CARRIED]], %{{.*}}
// CHECK-NEXT: scf.yield %[[NEXT]]

// Three launches: what each part is combined to, what all before it are, and the parts again.
// CHECK: gpu.func @rows_scan_0_parts_x4(
// CHECK-COUNT-4: vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}vector<4xf32>
// CHECK: gpu.barrier
// CHECK-NOT: vector.store
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<?xf64
// CHECK: gpu.func @rows_scan_0_parts(
// CHECK: gpu.func @rows_scan_0_sums(
// CHECK: gpu.func @rows_scan_0_apply_x4(
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}vector<4xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : {{.*}}vector<4xf32>
// CHECK: gpu.func @rows_scan_0_apply(

// The warps of a block combine theirs in shared memory.
// CHECK: gpu.func @rows_scan_0_block_x4({{.*}}workgroup(%[[SHARED:.*]] : memref<8xf64, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2: vector.load
// CHECK: memref.store %{{.*}}, %[[SHARED]][%{{.*}}]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SHARED]][%c0]
// CHECK: memref.load %[[SHARED]][%c7]
// CHECK: gpu.barrier
// CHECK: gpu.func @rows_scan_0_block(

// CHECK: func.func @rows(
// CHECK: %[[M:.*]] = memref.dim %{{.*}}, %c0
// CHECK: %[[N:.*]] = memref.dim %{{.*}}, %c1
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[N]], %c1024
// CHECK: scf.if %[[SHORT]] {
// CHECK: gpu.launch_func @kernels::@rows_scan_0_warp_x4
// CHECK: gpu.launch_func @kernels::@rows_scan_0_warp
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %[[M]], %c256
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %[[N]], %c16384
// CHECK: %[[CUT:.*]] = arith.andi %[[FEW]], %[[LONG]]
// CHECK: scf.if %[[CUT]] {
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?xf64>
// CHECK: gpu.launch_func @kernels::@rows_scan_0_parts_x4
// CHECK: gpu.launch_func @kernels::@rows_scan_0_parts
// CHECK: gpu.launch_func @kernels::@rows_scan_0_sums
// CHECK: gpu.launch_func @kernels::@rows_scan_0_apply_x4
// CHECK: gpu.launch_func @kernels::@rows_scan_0_apply
// CHECK: memref.dealloc %[[SUMS]]
// CHECK: gpu.launch_func @kernels::@rows_scan_0_block_x4
// CHECK: gpu.launch_func @kernels::@rows_scan_0_block
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f64
  tally.prefix_scan ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) starts(%zero : f64) dim 1 associative {
  ^bb0(%i: index, %a: f32):
    %wide = arith.extf %a : f32 to f64
    %sum = tally.accumulate %wide : f64 {
    ^bb0(%before: f64, %next: f64):
      %s = arith.addf %before, %next : f64
      tally.yield %s : f64
    }
    %narrow = arith.truncf %sum : f64 to f32
    tally.yield %narrow : f32
  }
  return
}

// -----

// A thread goes along a column, so that neighbors read neighbors: eight elements are loaded before
// the first is used, then what is left, one by one.
// CHECK: gpu.func @columns_scan_0_column({{.*}}known_block_size = array<i32: 128, 1, 1>
// CHECK: scf.for %[[NUMBER:.*]] = %{{.*}} to %c512 step %{{.*}} {
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c96 step %c8 iter_args(%{{.*}} = %c0_i64) -> (i64)
// CHECK-COUNT-8: memref.load %{{.*}} : memref<100x512xi64
// CHECK-NOT: memref.load
// CHECK-COUNT-8: memref.store %{{.*}} : memref<100x512xi64
// CHECK: scf.for %{{.*}} = %c96 to %c100 step %c1
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: gpu.func
// CHECK: func.func @columns(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@columns_scan_0_column blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1)
func.func @columns(%x: memref<100x512xi64>, %y: memref<100x512xi64>) {
  %zero = arith.constant 0 : i64
  tally.prefix_scan ins(%x : memref<100x512xi64>) outs(%y : memref<100x512xi64>) starts(%zero : i64) dim 0 associative {
  ^bb0(%i: index, %a: i64):
    %sum = tally.accumulate %a : i64 {
    ^bb0(%before: i64, %next: i64):
      %s = arith.addi %before, %next : i64
      tally.yield %s : i64
    }
    tally.yield %sum : i64
  }
  return
}

// -----

// The order of a recurrence stays; rows run in parallel.
// CHECK: gpu.func @recurrence_scan_0_thread(
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.func
// CHECK: func.func @recurrence(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@recurrence_scan_0_thread
func.func @recurrence(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %start: f32) {
  tally.prefix_scan ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) starts(%start : f32) dim 1 {
  ^bb0(%i: index, %a: f32):
    %value = tally.accumulate %a : f32 {
    ^bb0(%before: f32, %next: f32):
      %half = arith.constant 0.5 : f32
      %less = arith.mulf %before, %half : f32
      %s = arith.addf %less, %next : f32
      tally.yield %s : f32
    }
    tally.yield %value : f32
  }
  return
}
