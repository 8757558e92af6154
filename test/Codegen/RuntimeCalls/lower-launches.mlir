// RUN: tally-opt %s --tally-lower-launches --split-input-file | FileCheck %s

// CHECK: module {
// CHECK-DAG: llvm.mlir.global internal constant @tally_gpu_image_kernels(".version 8.0\00") {{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @tally_gpu_chip_kernels("sm_80\00")
// CHECK-DAG: llvm.mlir.global internal constant @tally_kernel_name_k("k\00")
// CHECK-NOT: gpu.binary
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 8.0">]
  // The pointers to the arguments are stored once, their values at each launch.
  // CHECK-LABEL: func.func @launch(
  // CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[P:.*]]: memref<1xf32>, %[[N:.*]]: index, %[[F:.*]]: f32, %[[B:.*]]: i1, %[[BYTES:.*]]: i32)
  // CHECK: %[[LENGTH:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK: %[[POINTERS:.*]] = llvm.alloca %[[LENGTH]] x !llvm.ptr
  // CHECK: %[[SLOTS:.*]] = llvm.alloca %[[LENGTH]] x i64
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr, !llvm.ptr
  // CHECK: %[[I:.*]] = memref.extract_aligned_pointer_as_index %[[P]]
  // CHECK: %[[I64:.*]] = arith.index_cast %[[I]]
  // CHECK: %[[A:.*]] = llvm.inttoptr %[[I64]]
  // CHECK: %[[S0:.*]] = llvm.getelementptr %[[SLOTS]][0]
  // CHECK: llvm.store %[[A]], %[[S0]]
  // CHECK: %[[N64:.*]] = arith.index_cast %[[N]]
  // CHECK: %[[S1:.*]] = llvm.getelementptr %[[SLOTS]][1]
  // CHECK: llvm.store %[[N64]], %[[S1]] : i64
  // CHECK: llvm.store %[[F]], %{{.*}} : f32
  // CHECK: llvm.store %[[B]], %{{.*}} : i1
  // CHECK: %[[K:.*]] = llvm.mlir.addressof @tally_kernel_k
  // CHECK: %[[SHARED:.*]] = arith.extsi %[[BYTES]] : i32 to i64
  // CHECK: call @tally_rt_launch(%[[CTX]], %[[K]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SHARED]], %[[POINTERS]]) {tally.status}
  // CHECK-NOT: llvm.alloca
  // CHECK: call @tally_rt_launch(%[[CTX]], %{{.*}}, %[[POINTERS]]) {tally.status}
  func.func @launch(%ctx: !llvm.ptr, %p: memref<1xf32>, %n: index, %f: f32, %b: i1, %bytes: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %bytes args(%p : memref<1xf32>, %n : index, %f : f32, %b : i1)
    gpu.launch_func @kernels::@l blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index)
    return
  }
  // CHECK: llvm.mlir.global internal constant @tally_gpu_module_kernels() {{.*}}!llvm.struct<(ptr, i64, ptr)>
  // CHECK: llvm.mlir.constant(13 : i64)
  // CHECK: llvm.mlir.global internal constant @tally_kernel_k() {{.*}}!llvm.struct<(ptr, ptr)>
  // CHECK: llvm.mlir.addressof @tally_gpu_module_kernels
  // CHECK: llvm.mlir.addressof @tally_kernel_name_k
  // CHECK: llvm.mlir.global internal constant @tally_kernel_l()
}

// -----

// Kernels of the same name in two modules are told apart, and from what has such
// a name already.
// CHECK-DAG: llvm.mlir.global internal constant @tally_kernel_name_k("k\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[OTHER:tally_kernel_name_k_[0-9]+]]("k\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[CHIP:tally_gpu_chip_a_[0-9]+]]("sm_80\00")
// CHECK-LABEL: func.func @twice(
// CHECK: llvm.mlir.addressof @tally_kernel_k
// CHECK: llvm.mlir.addressof @[[SECOND:tally_kernel_k_[0-9]+]] :
// CHECK: llvm.mlir.global internal constant @tally_gpu_module_a()
// CHECK: llvm.mlir.addressof @[[CHIP]]
// CHECK: llvm.mlir.global internal constant @tally_kernel_k()
// CHECK: llvm.mlir.addressof @tally_gpu_module_a
// CHECK: llvm.mlir.addressof @tally_kernel_name_k
// CHECK: llvm.mlir.global internal constant @[[SECOND]]()
// CHECK: llvm.mlir.addressof @tally_gpu_module_b
// CHECK: llvm.mlir.addressof @[[OTHER]]
module attributes {gpu.container_module} {
  llvm.mlir.global internal constant @tally_gpu_chip_a("taken")
  gpu.binary @a [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 8.0">]
  gpu.binary @b [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 8.0">]
  func.func @twice(%ctx: !llvm.ptr, %n: index) {
    gpu.launch_func @a::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index)
    gpu.launch_func @b::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index)
    return
  }
}

// -----

// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[X:.*]]: memref<?x?xf64, strided<[?, 1], offset: ?>>, %[[I:.*]]: index, %{{.*}}: memref<i1>)
// CHECK: %[[FLAG:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x f64
// CHECK: memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[STRIDES]]#0
// CHECK: arith.addi %[[OFFSET]], %[[ROW]]
// CHECK: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: call @tally_rt_read_back(%[[CTX]], %[[NULL]], %{{.*}}, %[[ROOM]], %[[SIZE]]) {tally.status}
// CHECK: llvm.load %[[ROOM]] : !llvm.ptr -> f64
// CHECK: call @tally_rt_read_back({{.*}}, %[[FLAG]], %{{.*}}) {tally.status}
// CHECK: %[[BYTE:.*]] = llvm.load %[[FLAG]] : !llvm.ptr -> i8
// CHECK: arith.trunci %[[BYTE]] : i8 to i1
func.func @read(%ctx: !llvm.ptr, %x: memref<?x?xf64, strided<[?, 1], offset: ?>>, %i: index, %flag: memref<i1>) -> (f64, i1) {
  %0 = tally.read_back %x[%i, %i] : memref<?x?xf64, strided<[?, 1], offset: ?>>
  %1 = tally.read_back %flag[] : memref<i1>
  return %0, %1 : f64, i1
}

// -----

// With asserts in kernels, what is read may be no result at all.
// CHECK-LABEL: func.func @errors(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr
// CHECK: %[[T0:.*]] = llvm.mlir.addressof @tally_device_assert_table
// CHECK: %[[P:.*]] = call @tally_rt_device_errors(%[[CTX]], %[[T0]]) {tally.status} : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
// CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<1xi64>
// CHECK: %[[T:.*]] = llvm.mlir.addressof @tally_device_assert_table
// CHECK: call @tally_rt_read_back(%[[CTX]], %[[T]],
// CHECK: %[[T2:.*]] = llvm.mlir.addressof @tally_device_assert_table
// CHECK: call @tally_rt_check_device(%[[CTX]], %[[T2]]) {tally.status}
llvm.mlir.global internal constant @tally_device_assert_table() : !llvm.struct<(ptr, ptr)> {
  %0 = llvm.mlir.zero : !llvm.struct<(ptr, ptr)>
  llvm.return %0 : !llvm.struct<(ptr, ptr)>
}
func.func @errors(%ctx: !llvm.ptr, %n: memref<index>) -> (index, memref<1xi64>) {
  %e = tally.device_errors : memref<1xi64>
  %0 = tally.read_back %n[] : memref<index>
  tally.check_device
  return %0, %e : index, memref<1xi64>
}

// -----

// What the caller allows is no status.
// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr
// CHECK: %[[ANY:.*]] = call @tally_rt_any_order(%[[CTX]]) : (!llvm.ptr) -> i32
// CHECK: %[[FLAG:.*]] = arith.trunci %[[ANY]] : i32 to i1
// CHECK: return %[[FLAG]]
func.func @order(%ctx: !llvm.ptr) -> i1 {
  %any = tally.any_order : i1
  return %any : i1
}

// -----

// CHECK-LABEL: func.func @memory(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<?x4xf32>)
// CHECK: %[[HOST:.*]] = memref.get_global @c
// CHECK: memref.extract_aligned_pointer_as_index %[[HOST]]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(12 : i64)
// CHECK: %[[P:.*]] = call @tally_rt_constant(%[[CTX]], %{{.*}}, %[[BYTES]]) {tally.status} : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
// CHECK: %[[C:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<3xf32>
// CHECK: call @tally_rt_copy(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}) {tally.status}
// CHECK: return %[[C]]
memref.global "private" constant @c : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
func.func @memory(%ctx: !llvm.ptr, %x: memref<?x4xf32>, %y: memref<?x4xf32>) -> memref<3xf32> {
  %c = memref.get_global @c : memref<3xf32>
  memref.copy %x, %y : memref<?x4xf32> to memref<?x4xf32>
  return %c : memref<3xf32>
}
