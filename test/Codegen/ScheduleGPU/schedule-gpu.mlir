// RUN: tally-opt %s --split-input-file --tally-schedule-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// Contiguous 16 bytes at once, and one by one what is left of them; or all of
// them one by one. The host decides by the addresses.
// CHECK-LABEL: gpu.func @flat_kernel_0_x4(
// CHECK-SAME: %{{.*}}: memref<1xf32> {llvm.noalias, llvm.readonly}, %{{.*}}: memref<1xf32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: index, %[[N:.*]]: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: %[[REST:.*]] = arith.remui %[[N]], %c4
// CHECK: %[[FULL:.*]] = arith.subi %[[N]], %[[REST]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[FULL]]
// CHECK: vector.load %{{.*}}[%[[I]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: vector.store %{{.*}}[%[[I]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[N]]
// CHECK: memref.load %{{.*}}[%[[J]]]
// CHECK: memref.store %{{.*}}[%[[J]]]
// CHECK: gpu.func @flat_kernel_0(
// CHECK-NOT: vector.load
// CHECK: func.func @flat(%[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>,
// CHECK-DAG: %[[PX:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK-DAG: %[[PY:.*]] = memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK: %[[BITS:.*]] = arith.ori %[[PX]], %[[PY]]
// CHECK: %[[LOW:.*]] = arith.andi %[[BITS]], %c15
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[LOW]], %c0
// CHECK: scf.if %[[OK]]
// CHECK: gpu.launch_func @kernels::@flat_kernel_0_x4
// CHECK: else
// CHECK: gpu.launch_func @kernels::@flat_kernel_0{{ }}blocks
func.func @flat(%x0: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.negf %e0 : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @halves_kernel_0_x8(
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xf16>
func.func @halves(%x0: memref<?xf16>, %y: memref<?xf16>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xf16>) outs(%y : memref<?xf16>) {
  ^bb0(%a0: tensor<?xf16>, %o: tensor<?xf16>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xf16>) outs(%o : tensor<?xf16>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f16, %s: f16):
      %t = arith.negf %e0 : f16
      linalg.yield %t : f16
    } -> tensor<?xf16>
    tally.yield %r : tensor<?xf16>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @doubles_kernel_0_x2(
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<2xf64>
func.func @doubles(%x0: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xf64>) outs(%y : memref<?xf64>) {
  ^bb0(%a0: tensor<?xf64>, %o: tensor<?xf64>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xf64>) outs(%o : tensor<?xf64>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f64, %s: f64):
      %t = arith.negf %e0 : f64
      linalg.yield %t : f64
    } -> tensor<?xf64>
    tally.yield %r : tensor<?xf64>
  }
  return
}

// -----

// The widest type has 16 bytes, the other one as many elements; each has an
// alignment of its own.
// CHECK-LABEL: gpu.func @mixed_kernel_0_x4(
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xf16>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: func.func @mixed(
// CHECK: arith.andi %{{.*}}, %c7
// CHECK: arith.andi %{{.*}}, %c15
func.func @mixed(%x0: memref<?xf16>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xf16>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?xf16>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xf16>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f16, %s: f32):
      %t = arith.extf %e0 : f16 to f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// A boolean is a byte in memory.
// CHECK-LABEL: gpu.func @booleans_kernel_0_x8(
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : {{.*}}, vector<8xi1>
// CHECK: vector.store {{.*}} {alignment = 8 : i64} : {{.*}}, vector<8xi1>
// CHECK: func.func @booleans(
// CHECK: arith.andi %{{.*}}, %c7
func.func @booleans(%x0: memref<?xi1>, %y: memref<?xi1>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xi1>) outs(%y : memref<?xi1>) {
  ^bb0(%a0: tensor<?xi1>, %o: tensor<?xi1>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xi1>) outs(%o : tensor<?xi1>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: i1, %s: i1):
      %t = arith.andi %e0, %e0 : i1
      linalg.yield %t : i1
    } -> tensor<?xi1>
    tally.yield %r : tensor<?xi1>
  }
  return
}

// -----

// Two dimensions that everything walks through are one.
// CHECK-LABEL: gpu.func @merged_kernel_0_x4(
// CHECK-SAME: %[[M:[^ ]*]]: index, %[[N:[^ ]*]]: index) kernel
// CHECK: %[[ALL:.*]] = arith.muli %[[M]], %[[N]]
// CHECK: scf.for %[[I:.*]] =
// CHECK-NOT: arith.divui
// CHECK: vector.load %{{.*}}[%[[I]]]
func.func @merged(%x0: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x0 : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a0 : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.negf %e0 : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Here they are not: a vector must not reach into the next row, so rows have to
// be a multiple of it. There is nothing left over then.
// CHECK-LABEL: gpu.func @broadcast_kernel_0_x4(
// CHECK: scf.for %[[I:.*]] = %
// CHECK: arith.remui %[[I]], %[[N:.*]] : index
// CHECK: arith.divui %[[I]], %[[N]] : index
// CHECK-COUNT-2: vector.load
// CHECK-NOT: scf.for
// Else they go across the ends of rows: what is broadcast is read by element. Indices are computed with 32 bits.
// CHECK: gpu.func @broadcast_kernel_0_flat_x4(
// CHECK: scf.for %[[I:.*]] = %
// CHECK: %[[AT:.*]] = arith.index_castui %[[I]] : index to i32
// CHECK: %[[J:.*]] = arith.remui %[[AT]], %{{.*}} : i32
// CHECK: %[[J0:.*]] = arith.index_castui %[[J]] : i32 to index
// CHECK: %[[ONE:.*]] = arith.addi %[[J]], %c1_i32 : i32
// CHECK: %[[NEXT:.*]] = arith.index_castui %[[ONE]] : i32 to index
// CHECK: %[[ENDS:.*]] = arith.cmpi eq, %[[NEXT]], %{{.*}} : index
// CHECK: %[[J1:.*]] = arith.select %[[ENDS]], %c0, %[[NEXT]] : index
// CHECK: vector.load
// CHECK-NOT: vector.load
// CHECK: memref.load %{{.*}}[%[[J0]]]
// CHECK: memref.load %{{.*}}[%[[J1]]]
// CHECK: vector.store
// So they are where rows are not written in order; where numbers do not fit 32 bits, they have 64.
// CHECK: gpu.func @broadcast_kernel_0_near(
// CHECK: scf.for
// CHECK: arith.remui %{{.*}} : i32
// CHECK: gpu.func @broadcast_kernel_0(
// CHECK: scf.for
// CHECK: arith.remui %{{.*}} : index
// CHECK: func.func @broadcast({{.*}}, %[[M:[^ ]*]]: index, %[[N:[^ ]*]]: index) {
// CHECK: arith.andi %{{.*}}, %c15
// CHECK: arith.andi %[[N]], %c3
// CHECK: else
// CHECK: %[[ALL:.*]] = arith.muli %[[M]], %[[N]]
// CHECK: arith.cmpi ult, %[[ALL]], %c2147483648
func.func @broadcast(%x0: memref<?x?xf32>, %x1: memref<?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x0, %x1 : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %a1: tensor<?xf32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a0, %a1 : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %e1: f32, %s: f32):
      %t = arith.addf %e0, %e1 : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// What is the same for all lanes is read once.
// CHECK-LABEL: gpu.func @one_number_kernel_0_x4(
// CHECK: scf.for
// CHECK: vector.load
// CHECK-COUNT-1: memref.load
// CHECK-NOT: memref.load
// CHECK: vector.store
func.func @one_number(%x0: memref<?x?xf32>, %x1: memref<f32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x0, %x1 : memref<?x?xf32>, memref<f32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %a1: tensor<f32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a0, %a1 : tensor<?x?xf32>, tensor<f32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %e1: f32, %s: f32):
      %t = arith.addf %e0, %e1 : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// The offset and the distance of rows of a view are multiples of a vector.
// CHECK-LABEL: func.func @view(
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %arg0
// CHECK: %[[A:.*]] = arith.ori %{{.*}}, %[[OFFSET]]
// CHECK: %[[B:.*]] = arith.ori %[[A]], %[[STRIDES]]#0
// CHECK: arith.andi %[[B]], %c3
// CHECK: gpu.launch_func {{.*}} args({{.*}} %[[OFFSET]] : index
func.func @view(%x0: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x0 : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a0 : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.negf %e0 : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Elements that are apart are read one by one; results are still written at once.
// CHECK-LABEL: gpu.func @every_other_kernel_0_x4(
// CHECK-COUNT-4: memref.load
// CHECK: vector.store
func.func @every_other(%x0: memref<?xf32, strided<[2]>>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xf32, strided<[2]>>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.negf %e0 : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// That can never be aligned, which is known here.
// CHECK-LABEL: func.func @odd_offset(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@odd_offset_kernel_0{{ }}blocks
func.func @odd_offset(%x0: memref<?xf32, strided<[1], offset: 1>>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x0 : memref<?xf32, strided<[1], offset: 1>>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.negf %e0 : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// What the runtime allocated is aligned.
// CHECK-LABEL: func.func @own_memory(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@own_memory_kernel_0_x4
func.func @own_memory(%x0: memref<f32>, %n: index) {
  %y = memref.alloc(%n) : memref<?xf32>
  tally.kernel(%n) ins(%x0 : memref<f32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<f32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a0 : tensor<f32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.negf %e0 : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// Rows of 7 are no multiple of anything: neighbors go across their ends.
// CHECK-LABEL: func.func @odd_rows(
// CHECK: scf.if
// CHECK: gpu.launch_func @kernels::@odd_rows_kernel_0_flat_x4
// CHECK: else
// CHECK: gpu.launch_func @kernels::@odd_rows_kernel_0{{ }}blocks
func.func @odd_rows(%x0: memref<?x7xf32>, %x1: memref<7xf32>, %y: memref<?x7xf32>, %m: index) {
  %c7 = arith.constant 7 : index
  tally.kernel(%m, %c7) ins(%x0, %x1 : memref<?x7xf32>, memref<7xf32>) outs(%y : memref<?x7xf32>) {
  ^bb0(%a0: tensor<?x7xf32>, %a1: tensor<7xf32>, %o: tensor<?x7xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a0, %a1 : tensor<?x7xf32>, tensor<7xf32>) outs(%o : tensor<?x7xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %e1: f32, %s: f32):
      %t = arith.addf %e0, %e1 : f32
      linalg.yield %t : f32
    } -> tensor<?x7xf32>
    tally.yield %r : tensor<?x7xf32>
  }
  return
}

// -----

// A warp for a short row, a block for a long one.
// CHECK-LABEL: gpu.func @rows_kernel_0_warp_x4(
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[GRID:.*]] = gpu.grid_dim x
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32 : index
// CHECK: %[[STEP:.*]] = arith.muli %[[GRID]], %c4 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c4 : index
// CHECK: %[[WARP:.*]] = arith.divui %[[THREAD]], %c32 : index
// CHECK: %[[ROW0:.*]] = arith.addi %[[FIRST]], %[[WARP]] : index
// CHECK: scf.for %[[ROW:[^ ]*]] = %[[ROW0]] to %{{.*}} step %[[STEP]]
// CHECK: %[[OLD:.*]] = memref.load %[[Y:.*]][%[[ROW]]]
// CHECK: %[[COLUMN0:.*]] = arith.muli %[[LANE]], %c4 : index
// Four steps at once, as long as there are so many.
// CHECK: scf.for %{{.*}} = %[[COLUMN0]] to %{{.*}} step %c512 iter_args(
// CHECK-COUNT-4: vector.load
// CHECK: %[[PARTS:[^ ]*]]:4 = scf.for %[[COLUMN:[^ ]*]] = %{{.*}} to %{{.*}} step %c128 iter_args(
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %{{.*}} : index
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[COLUMN]] : index
// CHECK: vector.load %{{.*}}[%[[AT]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: %[[P1:.*]] = arith.addf %[[PARTS]]#0, %[[PARTS]]#1 : f32
// CHECK: %[[P2:.*]] = arith.addf %[[P1]], %[[PARTS]]#2 : f32
// CHECK: %[[P3:.*]] = arith.addf %[[P2]], %[[PARTS]]#3 : f32
// CHECK: %[[S16:[^,]*]], %{{.*}} = gpu.shuffle xor %[[P3]], %c16_i32, %c32_i32 : f32
// CHECK: %[[A16:.*]] = arith.addf %[[P3]], %[[S16]] : f32
// CHECK: gpu.shuffle xor %[[A16]], %c8_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor %[[P4:.*]], %c1_i32, %c32_i32 : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[P4]], %{{.*}} : f32
// CHECK-NOT: gpu.barrier
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[SUM]] : f32
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0 : index
// CHECK: scf.if %[[ISFIRST]]
// CHECK: memref.store %[[NEW]], %[[Y]][%[[ROW]]]
// CHECK: gpu.func @rows_kernel_0_warp(
// Where there are few rows, blocks share them, each leaves a part, and warps join these.
// CHECK: gpu.func @rows_kernel_0_parts_x4(
// CHECK-SAME: %[[PARTS:[^ ]*]]: index) workgroup(%[[SHARED:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[GRID:.*]] = gpu.grid_dim x
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[PART:.*]] = arith.remui %[[BLOCK]], %[[PARTS]] : index
// CHECK: %[[ROW0:.*]] = arith.divui %[[BLOCK]], %[[PARTS]] : index
// CHECK: %[[STEP:.*]] = arith.divui %[[GRID]], %[[PARTS]] : index
// CHECK: %[[THREADS:.*]] = arith.muli %[[PART]], %c256 : index
// CHECK: %[[MEMBER:.*]] = arith.addi %[[THREADS]], %[[THREAD]] : index
// CHECK: scf.for %[[ROW:.*]] = %[[ROW0]] to %{{.*}} step %[[STEP]]
// CHECK: %[[COLUMN0:.*]] = arith.muli %[[MEMBER]], %c4 : index
// CHECK: scf.for %{{.*}} = %[[COLUMN0]] to %{{.*}} step %{{.*}} iter_args(
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32 : index
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0 : index
// CHECK: scf.if %[[ISFIRST]]
// CHECK: %[[WARP:.*]] = arith.divui %[[THREAD]], %c32 : index
// CHECK: memref.store %{{.*}}, %[[SHARED]][%[[WARP]]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[SHARED]]
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: gpu.barrier
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0 : index
// CHECK: scf.if %[[ISFIRST]]
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %[[PARTS]] : index
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[PART]] : index
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[AT]]]
// CHECK: gpu.func @rows_kernel_0_parts(
// CHECK: gpu.func @rows_kernel_0_join(
// CHECK-SAME: %[[PARTS:[^ ]*]]: index) kernel
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32 : index
// CHECK: scf.for %[[ROW:[^ ]*]] =
// CHECK: %[[OLD:.*]] = memref.load %[[Y:.*]][%[[ROW]]]
// CHECK: scf.for %[[I:.*]] = %[[LANE]] to %[[PARTS]] step %c32 iter_args(
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %[[PARTS]] : index
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[I]] : index
// CHECK: memref.load %{{.*}}[%[[AT]]]
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[SUM]] : f32
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0 : index
// CHECK: scf.if %[[ISFIRST]]
// CHECK: memref.store %[[NEW]], %[[Y]][%[[ROW]]]
// CHECK: gpu.func @rows_kernel_0_block_x4(
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[SHARED]]
// CHECK: gpu.barrier
// CHECK: gpu.func @rows_kernel_0_block(
// CHECK: func.func @rows({{.*}}, %{{.*}}: index, %[[N:.*]]: index)
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[N]], %c128
// CHECK: scf.if %[[FEW]]
// CHECK: gpu.launch_func @kernels::@rows_kernel_0_few_x4
// CHECK: gpu.launch_func @kernels::@rows_kernel_0_few
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[N]], %c1024
// CHECK: scf.if %[[SHORT]]
// CHECK: gpu.launch_func @kernels::@rows_kernel_0_warp_x4
// CHECK: gpu.launch_func @kernels::@rows_kernel_0_warp
// CHECK: gpu.launch_func @kernels::@rows_kernel_0_block_x4
// CHECK: gpu.launch_func @kernels::@rows_kernel_0_block
func.func @rows(%x0: memref<?x?xf32>, %y: memref<?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x0 : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.addf %e0, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @short_rows(
// CHECK-NOT: _block
// CHECK: gpu.launch_func @kernels::@short_rows_kernel_0_warp_x4
// CHECK-NOT: _block
// CHECK: return
func.func @short_rows(%x0: memref<?x256xf32>, %y: memref<?xf32>, %m: index) {
  %c256 = arith.constant 256 : index
  tally.kernel(%m, %c256) reduces [1] ins(%x0 : memref<?x256xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?x256xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x256xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.addf %e0, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @long_rows(
// CHECK-NOT: _warp
// CHECK: gpu.launch_func @kernels::@long_rows_kernel_0_block_x4
// CHECK-NOT: _warp
// CHECK: return
func.func @long_rows(%x0: memref<?x4096xf32>, %y: memref<?xf32>, %m: index) {
  %c4096 = arith.constant 4096 : index
  tally.kernel(%m, %c4096) reduces [1] ins(%x0 : memref<?x4096xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?x4096xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x4096xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.addf %e0, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// 64 bits are two shuffles, 16 bits half of one.
// CHECK-LABEL: gpu.func @wide_sums_kernel_0_few_x2(
// CHECK-COUNT-6: gpu.shuffle xor %{{.*}} : i32
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.func @wide_sums_kernel_0_few(
func.func @wide_sums(%x0: memref<?x64xi64>, %y: memref<?xi64>, %m: index) {
  %c64 = arith.constant 64 : index
  tally.kernel(%m, %c64) reduces [1] ins(%x0 : memref<?x64xi64>) outs(%y : memref<?xi64>) {
  ^bb0(%a0: tensor<?x64xi64>, %o: tensor<?xi64>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x64xi64>) outs(%o : tensor<?xi64>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: i64, %s: i64):
      %t = arith.addi %e0, %s : i64
      linalg.yield %t : i64
    } -> tensor<?xi64>
    tally.yield %r : tensor<?xi64>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @narrow_sums_kernel_0_few_x8(
// CHECK-COUNT-3: gpu.shuffle xor %{{.*}} : i32
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.func @narrow_sums_kernel_0_few(
func.func @narrow_sums(%x0: memref<?x64xf16>, %y: memref<?xf16>, %m: index) {
  %c64 = arith.constant 64 : index
  tally.kernel(%m, %c64) reduces [1] ins(%x0 : memref<?x64xf16>) outs(%y : memref<?xf16>) {
  ^bb0(%a0: tensor<?x64xf16>, %o: tensor<?xf16>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x64xf16>) outs(%o : tensor<?xf16>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f16, %s: f16):
      %t = arith.addf %e0, %s : f16
      linalg.yield %t : f16
    } -> tensor<?xf16>
    tally.yield %r : tensor<?xf16>
  }
  return
}

// -----

// Contiguous in memory are in neighboring rows: so are threads.
// CHECK-LABEL: gpu.func @columns_kernel_0_thread_x4(
// CHECK-NOT: gpu.shuffle
// CHECK: vector.load
// CHECK: gpu.func @columns_kernel_0_thread(
// Blocks share long columns where there are few, and leave a part each.
// CHECK: gpu.func @columns_kernel_0_column_parts_x4(
// CHECK: gpu.func @columns_kernel_0_column_parts(
// CHECK: gpu.func @columns_kernel_0_join(
// CHECK: gpu.func @columns_kernel_0_join_block(
// CHECK: gpu.func @columns_kernel_0_column_x4(
// CHECK: vector.load
// CHECK: gpu.func @columns_kernel_0_column(
// CHECK-SAME: workgroup(%[[SHARED:[^ ]*]] : memref<256xf32
// CHECK-NOT: gpu.shuffle
// CHECK: %[[THREAD:[^:, ]*]] = gpu.thread_id x
// A thread joins what those of its column have left.
// CHECK: memref.store %{{.*}}, %[[SHARED]][%[[THREAD]]]
// CHECK-NEXT: gpu.barrier
// CHECK: %[[SUM:[^:, ]*]] = scf.for %[[I:[^ ]*]] = %{{.*}} to %c256
// CHECK: memref.load %[[SHARED]][%[[I]]]
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %{{.*}}
// CHECK: func.func @columns({{.*}}, %{{.*}}: index, %[[M:.*]]: index)
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[M]], %c32
// CHECK: %[[ALONE:.*]] = arith.ori %[[SHORT]],
// CHECK: scf.if %[[ALONE]]
// CHECK: gpu.launch_func @kernels::@columns_kernel_0_thread
// CHECK: gpu.launch_func @kernels::@columns_kernel_0_column
func.func @columns(%x0: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  tally.kernel(%n, %m) reduces [1] ins(%x0 : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %t = arith.addf %e0, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// Parts of such a row could not be put together.
// CHECK-LABEL: gpu.func @not_in_parts_kernel_0_thread(
// CHECK: %[[START:.*]] = memref.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK-NOT: gpu.shuffle
// CHECK: func.func @not_in_parts(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@not_in_parts_kernel_0_thread
func.func @not_in_parts(%x0: memref<?x?xf32>, %y: memref<?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x0 : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a0 : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %s: f32):
      %d = arith.subf %e0, %s : f32
      %t = arith.mulf %d, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// What lies along the other dimension goes through squares in shared memory, with
// one more column against conflicts of its banks; the rest is read in place.
// No branch for each point of a square that is whole.
// CHECK-LABEL: gpu.func @transposed_kernel_0_large_tile(
// CHECK-SAME: workgroup(%[[TILE:[^ ]*]] : memref<64x65xf32
// CHECK: scf.for
// CHECK: scf.if %[[WHOLE:.*]] {
// CHECK-NOT: scf.if
// CHECK-COUNT-16: memref.store %{{.*}}, %[[TILE]]
// CHECK: else
// CHECK: scf.for
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NOT: scf.if
// CHECK-COUNT-16: memref.load %[[TILE]]
// CHECK: else
// CHECK: scf.for
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK-LABEL: gpu.func @transposed_kernel_0_tile(
// CHECK-SAME: workgroup(%[[TILE:[^ ]*]] : memref<32x33xf32
// CHECK: scf.for
// CHECK: scf.if %[[WHOLE:.*]] {
// CHECK-NOT: scf.if
// CHECK-COUNT-4: memref.store %{{.*}}, %[[TILE]]
// CHECK: else
// CHECK: scf.for
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NOT: scf.if
// CHECK-COUNT-4: memref.load %[[TILE]]
// CHECK: else
// CHECK: scf.for
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK: func.func @transposed({{.*}}, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[SIDE:.*]] = arith.minui %[[M]], %[[N]]
// CHECK: arith.cmpi uge, %[[SIDE]], %c8
// CHECK: arith.cmpi uge, %{{.*}}, %c1081344
// CHECK: arith.cmpi uge, %[[SIDE]], %c256
// CHECK: gpu.launch_func @kernels::@transposed_kernel_0_large_tile
// CHECK: gpu.launch_func @kernels::@transposed_kernel_0_tile
// CHECK: gpu.launch_func @kernels::@transposed_kernel_0_x4
// CHECK: gpu.launch_func @kernels::@transposed_kernel_0{{ }}blocks
func.func @transposed(%x0: memref<?x?xf32>, %x1: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x0, %x1 : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a0: tensor<?x?xf32>, %a1: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a0, %a1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%e0: f32, %e1: f32, %s: f32):
      %t = arith.addf %e0, %e1 : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Two reductions of a row, one after the other; what comes between has one
// element for a row and is computed once, what comes after for each element.
// CHECK-LABEL: gpu.func @phases_kernel_0_few_x4(
// CHECK: vector.load
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: vector.load
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: vector.store
// CHECK-LABEL: func.func @phases(
func.func @phases(%x: memref<?x128xf32>, %y: memref<?x128xf32>, %z: memref<?xf32>, %m: index) {
  %n = arith.constant 128 : index
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x128xf32>) outs(%y, %z : memref<?x128xf32>, memref<?xf32>) {
  ^bb0(%a: tensor<?x128xf32>, %o: tensor<?x128xf32>, %p: tensor<?xf32>):
    %least = arith.constant 0xFF800000 : f32
    %nowhere = ub.poison : tensor<?xf32>
    %l = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%least : f32) outs(%nowhere : tensor<?xf32>) {
    ^bb1(%v: f32, %u: f32):
      linalg.yield %v : f32
    } -> tensor<?xf32>
    %zero = arith.constant 0.0 : f32
    %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%zero : f32) outs(%nowhere : tensor<?xf32>) {
    ^bb1(%v: f32, %u: f32):
      linalg.yield %v : f32
    } -> tensor<?xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x128xf32>) outs(%l : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %s: f32):
      %t = arith.maximumf %v, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a, %max : tensor<?x128xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %w: f32, %s: f32):
      %d = arith.subf %v, %w : f32
      %e = arith.mulf %d, %d : f32
      %t = arith.addf %s, %e : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %root = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%sum : tensor<?xf32>) outs(%p : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = math.sqrt %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %root : tensor<?x128xf32>, tensor<?xf32>) outs(%o : tensor<?x128xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %w: f32, %u: f32):
      %t = arith.divf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<?x128xf32>
    tally.yield %q, %root : tensor<?x128xf32>, tensor<?xf32>
  }
  return
}

// -----

// The largest element of a row and the sum of exponentials of the distances from it take one loop where rows are long: of
// all elements of a step the largest is found first. Of the parts of threads, the smaller one is scaled.
// CHECK-LABEL: gpu.func @softmax_kernel_0_wide(
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[BOTH:[^ ]*]]:2 = scf.for %{{.*}} iter_args(%[[MAX:[^ ]*]] = %[[LOWEST]], %[[SUM:[^ ]*]] = %cst{{[^ ]*}}) -> (f32, f32)
// CHECK: %[[X:.*]] = memref.load
// CHECK-COUNT-7: memref.load
// CHECK: arith.maximumf %[[MAX]], %[[X]]
// CHECK-COUNT-6: arith.maximumf
// CHECK: %[[NEXT:.*]] = arith.maximumf
// CHECK: %[[LEAST:.*]] = arith.cmpf oeq, %[[NEXT]], %[[LOWEST]]
// CHECK: %[[FROM:.*]] = arith.select %[[LEAST]], %{{.*}}, %[[NEXT]]
// CHECK: %[[D:.*]] = arith.subf %[[MAX]], %[[FROM]]
// CHECK: %[[SCALE:.*]] = math.exp %[[D]]
// CHECK: arith.mulf %[[SUM]], %[[SCALE]]
// CHECK: arith.subf %[[X]], %[[FROM]]
// CHECK-COUNT-8: math.exp
// CHECK: scf.yield %[[NEXT]],
// CHECK: gpu.shuffle xor
// CHECK: gpu.shuffle xor
// CHECK: %[[M:.*]] = arith.maximumf
// CHECK-COUNT-2: math.exp
// CHECK-LABEL: func.func @softmax(
// CHECK: gpu.launch_func @kernels::@softmax_kernel_0_parts blocks
// CHECK-NOT: @softmax_kernel_0_parts_1
// CHECK: gpu.launch_func @kernels::@softmax_kernel_0_parts_apply blocks
func.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %least = arith.constant 0xFF800000 : f32
    %nowhere = ub.poison : tensor<?xf32>
    %l = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%least : f32) outs(%nowhere : tensor<?xf32>) {
    ^bb1(%v: f32, %u: f32):
      linalg.yield %v : f32
    } -> tensor<?xf32>
    %zero = arith.constant 0.0 : f32
    %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%zero : f32) outs(%nowhere : tensor<?xf32>) {
    ^bb1(%v: f32, %u: f32):
      linalg.yield %v : f32
    } -> tensor<?xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%l : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %s: f32):
      %t = arith.maximumf %v, %s : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %away = ub.poison : tensor<?x?xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%away : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %w: f32, %u: f32):
      %d = arith.subf %v, %w : f32
      %t = math.exp %d : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<?x?xf32>) outs(%f : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %s: f32):
      %t = arith.addf %s, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %w: f32, %u: f32):
      %t = arith.divf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %q : tensor<?x?xf32>
  }
  return
}

// -----

// The larger of two, and where it is, are combined together: of equal ones, the first.
// CHECK-LABEL: gpu.func @argmax_kernel_0_warp_x4(
// CHECK: %[[MOST:[^ ]*]]:8 = scf.for %{{.*}} iter_args(%{{[^=]*}} = %cst, %{{[^=]*}} = %cst, %{{[^=]*}} = %cst, %{{[^=]*}} = %cst, %{{[^=]*}} = %c0_i64,
// CHECK: %[[BEST:[^ ]*]]:8 = scf.for %{{.*}} iter_args(%{{[^=]*}} = %[[MOST]]#0,
// Lanes first.
// CHECK: %[[B:.*]] = arith.cmpf ogt, %[[BEST]]#1, %[[BEST]]#0
// CHECK: %[[W:.*]] = arith.cmpf ogt, %[[BEST]]#0, %[[BEST]]#1
// CHECK: %[[E:.*]] = arith.cmpi slt, %[[BEST]]#5, %[[BEST]]#4
// CHECK: %[[BE:.*]] = arith.ori %[[B]], %[[E]]
// CHECK: %[[T:.*]] = arith.select %[[W]], %[[B]], %[[BE]]
// CHECK: arith.select %[[T]], %[[BEST]]#1, %[[BEST]]#0
// CHECK: arith.select %[[T]], %[[BEST]]#5, %[[BEST]]#4
// An element and the two halves of its index.
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %c8_i32, %c32_i32 : f32
// CHECK: memref.store %{{.*}} : memref<9223372036854775807xi64
// Both in shared memory.
// CHECK: gpu.func @argmax_kernel_0_block({{.*}} workgroup(%{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<8xi64, #gpu.address_space<workgroup>>)
// CHECK-NOT: _thread
func.func @argmax(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xi64>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%z : memref<?xi64>) {
  ^bb0(%a: tensor<?x?xf32>, %p: tensor<?xi64>):
    %least = arith.constant 0xFF800000 : f32
    %nowhere = ub.poison : tensor<?xf32>
    %l = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%least : f32) outs(%nowhere : tensor<?xf32>) {
    ^bb1(%v: f32, %u: f32):
      linalg.yield %v : f32
    } -> tensor<?xf32>
    %zero = arith.constant 0 : i64
    %elsewhere = ub.poison : tensor<?xi64>
    %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%zero : i64) outs(%elsewhere : tensor<?xi64>) {
    ^bb1(%v: i64, %u: i64):
      linalg.yield %v : i64
    } -> tensor<?xi64>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%l, %f : tensor<?xf32>, tensor<?xi64>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %s: f32, %i: i64):
      %j = linalg.index 1 : index
      %here = arith.index_cast %j : index to i64
      %more = arith.cmpf ogt, %v, %s : f32
      %t = arith.select %more, %v, %s : f32
      %w = arith.select %more, %here, %i : i64
      linalg.yield %t, %w : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    tally.yield %r#1 : tensor<?xi64>
  }
  return
}

// -----

// What has no partial results has a thread for each row.
// CHECK-LABEL: gpu.func @decay_kernel_0_thread(
// CHECK: scf.for
// CHECK: %{{[^ ]*}}:2 = scf.for
// CHECK: %[[R:[^ ]*]]:2 = scf.for
// CHECK: memref.store %[[R]]#1
// CHECK-NOT: _warp
func.func @decay(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xi64>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%z : memref<?xi64>) {
  ^bb0(%a: tensor<?x?xf32>, %p: tensor<?xi64>):
    %least = arith.constant 0xFF800000 : f32
    %nowhere = ub.poison : tensor<?xf32>
    %l = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%least : f32) outs(%nowhere : tensor<?xf32>) {
    ^bb1(%v: f32, %u: f32):
      linalg.yield %v : f32
    } -> tensor<?xf32>
    %zero = arith.constant 0 : i64
    %elsewhere = ub.poison : tensor<?xi64>
    %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%zero : i64) outs(%elsewhere : tensor<?xi64>) {
    ^bb1(%v: i64, %u: i64):
      linalg.yield %v : i64
    } -> tensor<?xi64>
    %c = arith.constant 0.5 : f32
    %one = arith.constant 1 : i64
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%l, %f : tensor<?xf32>, tensor<?xi64>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %s: f32, %i: i64):
    %half = arith.mulf %s, %c : f32
      %t = arith.addf %half, %v : f32
      %w = arith.addi %i, %one : i64
      linalg.yield %t, %w : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    tally.yield %r#1 : tensor<?xi64>
  }
  return
}

// -----

// A table is looked up where the branch needs it; the place of the element is
// that of the lane.
// CHECK-LABEL: gpu.func @table_kernel_0_x4(
// CHECK: scf.for %[[I:.*]] = %
// CHECK: vector.load %{{.*}}[%[[I]]] {alignment = 4 : i64} : {{.*}}, vector<4xi1>
// CHECK: scf.if
// CHECK: memref.load %{{.*}}[%[[I]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1 :
// CHECK: scf.if
// CHECK: memref.load %{{.*}}[%[[NEXT]]]
// CHECK: vector.store
func.func @table(%x: memref<?xi1>, %t: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x, %t : memref<?xi1>, memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: tensor<?xi1>, %b: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xi1>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%p: i1, %u: f32):
      %zero = arith.constant 0.0 : f32
      %i = linalg.index 0 : index
      %v = scf.if %p -> f32 {
        %w = tensor.extract %b[%i] : tensor<?xf32>
        scf.yield %w : f32
      } else {
        scf.yield %zero : f32
      }
      linalg.yield %v : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// An output that is an input is a copy.
// CHECK-LABEL: gpu.func @copied_kernel_0_x4(
// CHECK: %[[V:.*]] = vector.load
// CHECK: vector.store
// CHECK: func.func @copied(
// CHECK-NOT: tally.kernel
func.func @copied(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  }
  return
}

// -----

// Where much is computed of each point, a few points have a thread each.
// CHECK-LABEL: gpu.func @few_kernel_0_each(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: scf.for
// CHECK-COUNT-9: math.absf
// CHECK-NOT: math.absf
// CHECK: gpu.func @few_kernel_0_x4(
// CHECK-LABEL: func.func @few(
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c65536
// CHECK: scf.if %[[FEW]]
// CHECK: gpu.launch_func @kernels::@few_kernel_0_each
// CHECK: else
// CHECK: gpu.launch_func @kernels::@few_kernel_0_x4
// CHECK: gpu.launch_func @kernels::@few_kernel_0{{ }}
func.func @few(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e: f32, %s: f32):
      %1 = math.absf %e : f32
      %2 = math.absf %1 : f32
      %3 = math.absf %2 : f32
      %4 = math.absf %3 : f32
      %5 = math.absf %4 : f32
      %6 = math.absf %5 : f32
      %7 = math.absf %6 : f32
      %8 = math.absf %7 : f32
      %9 = math.absf %8 : f32
      linalg.yield %9 : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

// Of bytes of which nothing is computed, a thread takes as many as an access holds.
// CHECK-LABEL: gpu.func @bytes_kernel_0_x16(
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<16xi8>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}, vector<16xi8>
func.func @bytes(%x: memref<?xi8>, %y: memref<?xi8>, %n: index) {
  tally.kernel(%n) ins(%x : memref<?xi8>) outs(%y : memref<?xi8>) {
  ^bb0(%a: tensor<?xi8>, %o: tensor<?xi8>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xi8>) outs(%o : tensor<?xi8>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%e: i8, %s: i8):
      linalg.yield %e : i8
    } -> tensor<?xi8>
    tally.yield %r : tensor<?xi8>
  }
  return
}
