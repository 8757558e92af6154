// RUN: tally-opt %s --tally-schedule-sort --split-input-file --canonicalize --cse | FileCheck %s

// A row of a warp: every lane counts the keys that come before its own, and writes its element.
// CHECK: gpu.func @order_sort_warp(
// CHECK-SAME: memref<1xf32> {llvm.noalias, llvm.readonly}, %{{.*}}: memref<1xf32> {llvm.noalias}, %{{.*}}: memref<1xi64> {llvm.noalias}
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: %[[X:.*]] = memref.load
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK-NEXT: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]], %c2147483647_i32
// CHECK-NEXT: %[[NAN:.*]] = arith.cmpi ugt, %[[MAGNITUDE]], %c2139095040_i32
// CHECK-NEXT: %[[ZERO:.*]] = arith.cmpi eq, %[[BITS]], %c-2147483648_i32
// CHECK-NEXT: %[[ONE_ZERO:.*]] = arith.select %[[ZERO]], %c0_i32, %[[BITS]]
// CHECK-NEXT: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[ONE_ZERO]], %c0_i32
// CHECK-NEXT: %[[FLIPPED:.*]] = arith.select %[[NEGATIVE]], %c-1_i32, %c-2147483648_i32
// CHECK-NEXT: %[[ORDERED:.*]] = arith.xori %[[ONE_ZERO]], %[[FLIPPED]]
// CHECK-NEXT: %[[KEY:.*]] = arith.select %[[NAN]], %c-1_i32, %[[ORDERED]]
// CHECK-NEXT: scf.yield %[[X]], %[[KEY]]
// CHECK: scf.for
// CHECK: gpu.shuffle idx
// CHECK-NEXT: %[[LESS:.*]] = arith.cmpi ult
// CHECK-NEXT: %[[EQUAL:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[EARLIER:.*]] = arith.cmpi ult

// CHECK: gpu.func @order_sort_block(
// CHECK-SAME: workgroup(%{{.*}} : memref<256xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<256xi32, #gpu.address_space<workgroup>>, %[[COUNTS:.*]] : memref<8x256xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<8xi32, #gpu.address_space<workgroup>>)
// A pass for each of 4 digits, of 5 steps.
// CHECK: scf.for %{{.*}} = %c0_i32 to %c32_i32 step %c8_i32
// CHECK: gpu.barrier
// CHECK-COUNT-9: nvvm.vote.sync ballot
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNTS]]
// CHECK: gpu.shuffle idx
// CHECK: gpu.barrier
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// The value follows from the key, but for zeros and NaN.
// CHECK: %[[PLUS_ZERO:.*]] = arith.cmpi eq, %{{.*}}, %c-2147483648_i32
// CHECK-NEXT: %[[IS_NAN:.*]] = arith.cmpi eq, %{{.*}}, %c-1_i32
// CHECK-NEXT: %[[UNKNOWN:.*]] = arith.ori %[[PLUS_ZERO]], %[[IS_NAN]]
// CHECK-NEXT: scf.if %[[UNKNOWN]] -> (f32)
// CHECK: memref.load

// CHECK: gpu.func @order_sort_block_x4(
// CHECK-SAME: workgroup(%{{.*}} : memref<1024xi32
// CHECK: gpu.func @order_sort_block_x8(
// CHECK-SAME: workgroup(%{{.*}} : memref<2048xi32
// CHECK: gpu.func @order_sort_block_x16(
// CHECK-SAME: workgroup(%{{.*}} : memref<4096xi32
// CHECK: gpu.func @order_sort_offsets(
// CHECK: gpu.func @order_sort_count(
// CHECK: gpu.func @order_sort_scatter(
// CHECK: gpu.func @order_sort_count_0(
// CHECK: gpu.func @order_sort_scatter_0(
// CHECK: gpu.func @order_sort_count_1(
// CHECK: gpu.func @order_sort_scatter_1(

// CHECK: func.func @order(%[[X:[^:]*]]: memref<?x?xf32>
// CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[LENGTH:.*]] = memref.dim %[[X]], %c1
// CHECK: arith.cmpi ule, %[[LENGTH]], %c32
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[ROWS]], %c8
// CHECK: gpu.launch_func @kernels::@order_sort_warp blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: arith.cmpi ule, %[[LENGTH]], %c4096
// CHECK: arith.cmpi ule, %[[LENGTH]], %c256
// CHECK: gpu.launch_func @kernels::@order_sort_block blocks in (%[[ROWS]], %c1, %c1)
// CHECK: arith.cmpi ule, %[[LENGTH]], %c1024
// CHECK: gpu.launch_func @kernels::@order_sort_block_x4 blocks in (%[[ROWS]], %c1, %c1)
// CHECK: arith.cmpi ule, %[[LENGTH]], %c2048
// CHECK: gpu.launch_func @kernels::@order_sort_block_x8 blocks in (%[[ROWS]], %c1, %c1)
// CHECK: gpu.launch_func @kernels::@order_sort_block_x16 blocks in (%[[ROWS]], %c1, %c1)
// CHECK: %[[COUNTABLE:.*]] = arith.cmpi ult, %[[LENGTH]], %c4294967296
// CHECK: tally.assert %[[COUNTABLE]] message("a row has too many elements to be sorted")
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[LENGTH]], %c4096
// CHECK: %[[ELEMENTS:.*]] = arith.muli %[[ROWS]], %[[LENGTH]]
// CHECK: gpu.launch_func @kernels::@order_sort_count blocks in (%[[ALL_TILES:.*]], %c1, %c1)
// Up to 4 tiles are summed up where they are needed.
// CHECK: arith.cmpi ule, %[[TILES]], %c4
// CHECK: gpu.launch_func @kernels::@order_sort_offsets blocks in (%[[WARPS:.*]], %c1, %c1)
// CHECK: gpu.launch_func @kernels::@order_sort_scatter blocks in (%[[ALL_TILES]], %c1, %c1)
// Pairs go to and fro between the halves of two buffers.
// CHECK: scf.for %{{.*}} = %c8_i32 to %c24_i32 step %c8_i32 iter_args(%[[FROM:.*]] = %c0, %[[TO:.*]] = %[[ELEMENTS]])
// CHECK: gpu.launch_func @kernels::@order_sort_count_0
// CHECK: gpu.launch_func @kernels::@order_sort_offsets
// CHECK: gpu.launch_func @kernels::@order_sort_scatter_0
// CHECK: scf.yield %[[TO]], %[[FROM]]
// CHECK: gpu.launch_func @kernels::@order_sort_count_1
// CHECK: gpu.launch_func @kernels::@order_sort_offsets
// CHECK: gpu.launch_func @kernels::@order_sort_scatter_1
// CHECK-COUNT-4: memref.dealloc
func.func @order(%x: memref<?x?xf32>, %v: memref<?x?xf32>, %i: memref<?x?xi64>) {
  tally.sort ins(%x : memref<?x?xf32>) values(%v : memref<?x?xf32>) indices(%i : memref<?x?xi64>) dim 1
  return
}

// -----

// Nothing is decided where the type tells the length of a row. The rows of a column are far apart.
// CHECK: gpu.func @columns_sort_block_x4(
// CHECK: %[[COLUMN:.*]] = gpu.block_id x
// CHECK: %[[ROW:.*]] = gpu.thread_id x
// CHECK: %[[INSIDE:.*]] = arith.minui %[[ROW]], %c999
// CHECK: memref.load %{{.*}}[%[[INSIDE]], %[[COLUMN]]]
// A signed integer in descending order: the sign is flipped, then all bits are.
// CHECK-NEXT: %[[UNSIGNED:.*]] = arith.xori %{{.*}}, %c-32768_i16
// CHECK-NEXT: arith.xori %[[UNSIGNED]], %c-1_i16
// CHECK-NOT: gpu.func
// CHECK: func.func @columns(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@columns_sort_block_x4
// CHECK-NOT: gpu.launch_func
func.func @columns(%x: memref<1000x?xi16>, %v: memref<1000x?xi16>) {
  tally.sort ins(%x : memref<1000x?xi16>) values(%v : memref<1000x?xi16>) dim 0 {descending}
  return
}

// -----

// The first elements of a long row. A block for each of many rows finds the key of the last of them: it counts digits, from
// the highest on, of the keys that begin like it; then it puts in order what comes before it.
// CHECK: gpu.func @part_sort_select(
// CHECK-SAME: workgroup(%[[KEYS:.*]] : memref<512xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<512xi32, #gpu.address_space<workgroup>>, %[[COUNTS:.*]] : memref<256xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<8xi32, #gpu.address_space<workgroup>>, %[[CHOSEN:.*]] : memref<2xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<8x2xi32, #gpu.address_space<workgroup>>)
// CHECK: %[[KEY:.*]]:3 = scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%[[BITS:.*]] = %c0_i32, %[[MASK:.*]] = %c0_i32, %{{.*}} = %{{.*}})
// CHECK:   memref.store %c0_i32, %[[COUNTS]]
// CHECK:   gpu.barrier
// CHECK:   scf.for %{{.*}} = %c0 to %c50257 step %c1024
// CHECK:     arith.andi %{{.*}}, %[[MASK]]
// CHECK:     memref.atomic_rmw addi %{{.*}}, %[[COUNTS]]
// CHECK:   gpu.barrier
// CHECK:   memref.load %[[COUNTS]]
// CHECK:   memref.store %{{.*}}, %[[CHOSEN]]
// CHECK:   gpu.barrier
// CHECK:   %[[DIGIT:.*]] = memref.load %[[CHOSEN]]
// CHECK:   arith.shli %[[DIGIT]]
// CHECK: scf.for %{{.*}} = %c0 to %c50257 step %c1024
// CHECK:   arith.cmpi ult, %{{.*}}, %[[KEY]]#0
// CHECK:   arith.cmpi eq, %{{.*}}, %[[KEY]]#0
// CHECK:   memref.store %{{.*}}, %[[KEYS]]
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %{{.*}} to %c50 step %c256
// CHECK: scf.for %{{.*}} = %c0 to %c50 step %c1
// Of few rows, tiles keep as many, until a row is one tile.
// CHECK: gpu.func @part_sort_tiles(
// CHECK: gpu.func @part_sort_tiles_0(
// CHECK: gpu.func @part_sort_block_x16(
// CHECK: func.func @part(%[[X:.*]]: memref<?x50257xf32>
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK: arith.cmpi uge, %[[ROWS]], %c16
// CHECK: gpu.launch_func @kernels::@part_sort_select blocks in (%[[ROWS]], %c1, %c1)
// CHECK: gpu.launch_func @kernels::@part_sort_tiles blocks
// CHECK: scf.while
// CHECK: arith.cmpi ugt, %{{.*}}, %c4096
// CHECK: gpu.launch_func @kernels::@part_sort_tiles_0 blocks
// CHECK: gpu.launch_func @kernels::@part_sort_block_x16 blocks
// CHECK-NOT: gpu.launch_func
func.func @part(%x: memref<?x50257xf32>, %v: memref<?x50xf32>, %i: memref<?x50xi64>) {
  %c0 = arith.constant 0 : index
  tally.sort ins(%x : memref<?x50257xf32>) values(%v : memref<?x50xf32>) indices(%i : memref<?x50xi64>) dim 1 from %c0
  return
}

// -----

// One element of the order. Of few long rows, tiles count digits, from the highest on.
// CHECK: gpu.func @one_sort_find(
// CHECK: gpu.func @one_sort_count(
// CHECK: gpu.func @one_sort_offsets(
// CHECK: gpu.func @one_sort_find_tile(
// CHECK: func.func @one(
// CHECK: gpu.launch_func @kernels::@one_sort_find blocks
// CHECK: scf.for %[[DIGIT:.*]] = %c0 to %c2 step %c1
// CHECK: %[[REST:.*]] = arith.subi %c1, %[[DIGIT]]
// CHECK: arith.muli %[[REST]], %c8
// CHECK: gpu.launch_func @kernels::@one_sort_count blocks
// CHECK: gpu.launch_func @kernels::@one_sort_offsets blocks
// CHECK: gpu.launch_func @kernels::@one_sort_find_tile blocks
// CHECK-NOT: gpu.launch_func
func.func @one(%x: memref<?x100000xbf16>, %at: index, %v: memref<?x1xbf16>, %i: memref<?x1xi64>) {
  tally.sort ins(%x : memref<?x100000xbf16>) values(%v : memref<?x1xbf16>) indices(%i : memref<?x1xi64>) dim 1 from %at
  return
}

// -----

// Bytes have one digit: from the source to the destination.
// CHECK: func.func @bytes(
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch_func @kernels::@bytes_sort_count
// CHECK: gpu.launch_func @kernels::@bytes_sort_offsets
// CHECK: gpu.launch_func @kernels::@bytes_sort_scatter
// CHECK-NOT: gpu.launch_func
func.func @bytes(%x: memref<50000xi8>, %i: memref<50000xi64>) {
  tally.sort ins(%x : memref<50000xi8>) indices(%i : memref<50000xi64>) dim 0 {is_unsigned}
  return
}
