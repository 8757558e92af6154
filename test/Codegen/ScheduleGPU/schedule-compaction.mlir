// RUN: tally-opt %s --tally-schedule-compaction --split-input-file --canonicalize --cse | FileCheck %s
// No assert is made of the divisions by sizes.
// RUN: tally-opt %s --tally-schedule-compaction --tally-harden-arith --split-input-file | FileCheck %s --check-prefix=HARD
// HARD-NOT: tally.assert

// Every warp counts a tile; all its threads vote in every step.
// CHECK: gpu.func @count_count(
// CHECK: %[[X:[^:, ]*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg2, %arg3], strides: [%arg3, 1]
// CHECK-NEXT: %[[COUNTS:[^:, ]*]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%arg4], strides: [1]
// CHECK-NEXT: %[[THREAD:[^:, ]*]] = gpu.thread_id x
// CHECK-NEXT: %[[BLOCK:[^:, ]*]] = gpu.block_id x
// CHECK-NEXT: %[[LANE:[^:, ]*]] = arith.remui %[[THREAD]], %c32
// CHECK-NEXT: %[[FIRST:[^:, ]*]] = arith.muli %[[BLOCK]], %c8
// CHECK-NEXT: %[[WARP:[^:, ]*]] = arith.divui %[[THREAD]], %c32
// CHECK-NEXT: %[[TILE:[^:, ]*]] = arith.addi %[[FIRST]], %[[WARP]]
// CHECK-NEXT: %[[ROWS:[^:, ]*]] = memref.dim %[[X]], %c0
// CHECK-NEXT: %[[COLUMNS:[^:, ]*]] = memref.dim %[[X]], %c1
// CHECK-NEXT: %[[NUMBER:[^:, ]*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK-NEXT: %[[THERE:[^:, ]*]] = arith.cmpi ult, %[[TILE]], %arg5
// CHECK-NEXT: scf.if %[[THERE]]
// CHECK-NEXT: %[[START:[^:, ]*]] = arith.muli %[[TILE]], %c1024
// CHECK-NEXT: %[[MINE:[^:, ]*]] = arith.addi %[[START]], %[[LANE]]
// CHECK-NEXT: %[[TOTAL:[^:, ]*]] = scf.for %[[I:[^ ]*]] = %c0 to %c1024 step %c32 iter_args(%[[SOFAR:[^ ]*]] = %c0)
// CHECK-NEXT: %[[AT:[^:, ]*]] = arith.addi %[[MINE]], %[[I]]
// CHECK-NEXT: %[[INSIDE:[^:, ]*]] = arith.cmpi ult, %[[AT]], %[[NUMBER]]
// CHECK-NEXT: %[[FLAG:[^:, ]*]] = scf.if %[[INSIDE]]
// CHECK-NEXT: %[[LENGTH:[^:, ]*]] = arith.maxsi %[[COLUMNS]], %c1
// CHECK-NEXT: %[[COLUMN:[^:, ]*]] = arith.remui %[[AT]], %[[LENGTH]]
// CHECK-NEXT: %[[ROW:[^:, ]*]] = arith.divui %[[AT]], %[[LENGTH]]
// CHECK-NEXT: %[[ELEMENT:[^:, ]*]] = memref.load %[[X]][%[[ROW]], %[[COLUMN]]]
// CHECK-NEXT: %[[NONZERO:[^:, ]*]] = arith.cmpf une, %[[ELEMENT]], %cst
// CHECK-NEXT: scf.yield %[[NONZERO]]
// CHECK: scf.yield %false
// CHECK: %[[BALLOT:[^:, ]*]] = nvvm.vote.sync ballot %c-1_i32, %[[FLAG]] -> i32
// CHECK-NEXT: %[[COUNT:[^:, ]*]] = llvm.intr.ctpop(%[[BALLOT]])
// CHECK-NEXT: %[[CAST:[^:, ]*]] = arith.index_castui %[[COUNT]]
// CHECK-NEXT: %[[NEXT:[^:, ]*]] = arith.addi %[[SOFAR]], %[[CAST]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[FIRSTLANE:[^:, ]*]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK-NEXT: scf.if %[[FIRSTLANE]]
// CHECK-NEXT: %[[CAST1:[^:, ]*]] = arith.index_castui %[[TOTAL]]
// CHECK-NEXT: memref.store %[[CAST1]], %[[COUNTS]][%[[TILE]]]
// One block sums up.
// CHECK: gpu.func @count_scan({{.*}} workgroup(%arg3 : memref<32xi32, #gpu.address_space<workgroup>>)
// CHECK: %[[COUNTS:[^:, ]*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg1], strides: [1]
// CHECK-NEXT: %[[THREAD:[^:, ]*]] = gpu.thread_id x
// CHECK-NEXT: %[[LANE:[^:, ]*]] = arith.remui %[[THREAD]], %c32
// CHECK-NEXT: %[[WARP:[^:, ]*]] = arith.divui %[[THREAD]], %c32
// CHECK-NEXT: %[[TOTAL:[^:, ]*]] = scf.for %[[I:[^ ]*]] = %c0 to %arg2 step %c1024 iter_args(%[[SOFAR:[^ ]*]] = %c0)
// CHECK-NEXT: %[[AT:[^:, ]*]] = arith.addi %[[I]], %[[THREAD]]
// CHECK-NEXT: %[[INSIDE:[^:, ]*]] = arith.cmpi ult, %[[AT]], %arg2
// CHECK-NEXT: %[[COUNT:[^:, ]*]] = scf.if %[[INSIDE]]
// CHECK-NEXT: %[[ELEMENT:[^:, ]*]] = memref.load %[[COUNTS]][%[[AT]]]
// CHECK-NEXT: %[[NARROW:[^:, ]*]] = arith.trunci %[[ELEMENT]]
// CHECK-NEXT: scf.yield %[[NARROW]]
// CHECK: scf.yield %c0_i32
// CHECK: %[[SHUFFLED:[^:, ]*]], %[[SHUFFLED1:[^:, ]*]] = gpu.shuffle up %[[COUNT]], %c1_i32, %c32_i32
// CHECK-NEXT: %[[IS1:[^:, ]*]] = arith.cmpi uge, %[[LANE]], %c1
// CHECK-NEXT: %[[CHOICE:[^:, ]*]] = arith.select %[[IS1]], %[[SHUFFLED]], %c0_i32
// CHECK-NEXT: %[[SUM1:[^:, ]*]] = arith.addi %[[COUNT]], %[[CHOICE]]
// CHECK-NEXT: %[[SHUFFLED2:[^:, ]*]], %[[SHUFFLED3:[^:, ]*]] = gpu.shuffle up %[[SUM1]], %c2_i32, %c32_i32
// CHECK-NEXT: %[[IS2:[^:, ]*]] = arith.cmpi uge, %[[LANE]], %c2
// CHECK-NEXT: %[[CHOICE1:[^:, ]*]] = arith.select %[[IS2]], %[[SHUFFLED2]], %c0_i32
// CHECK-NEXT: %[[SUM2:[^:, ]*]] = arith.addi %[[SUM1]], %[[CHOICE1]]
// CHECK-NEXT: %[[SHUFFLED4:[^:, ]*]], %[[SHUFFLED5:[^:, ]*]] = gpu.shuffle up %[[SUM2]], %c4_i32, %c32_i32
// CHECK-NEXT: %[[IS3:[^:, ]*]] = arith.cmpi uge, %[[LANE]], %c4
// CHECK-NEXT: %[[CHOICE2:[^:, ]*]] = arith.select %[[IS3]], %[[SHUFFLED4]], %c0_i32
// CHECK-NEXT: %[[SUM3:[^:, ]*]] = arith.addi %[[SUM2]], %[[CHOICE2]]
// CHECK-NEXT: %[[SHUFFLED6:[^:, ]*]], %[[SHUFFLED7:[^:, ]*]] = gpu.shuffle up %[[SUM3]], %c8_i32, %c32_i32
// CHECK-NEXT: %[[IS4:[^:, ]*]] = arith.cmpi uge, %[[LANE]], %c8
// CHECK-NEXT: %[[CHOICE3:[^:, ]*]] = arith.select %[[IS4]], %[[SHUFFLED6]], %c0_i32
// CHECK-NEXT: %[[SUM4:[^:, ]*]] = arith.addi %[[SUM3]], %[[CHOICE3]]
// CHECK-NEXT: %[[SHUFFLED8:[^:, ]*]], %[[SHUFFLED9:[^:, ]*]] = gpu.shuffle up %[[SUM4]], %c16_i32, %c32_i32
// CHECK-NEXT: %[[IS5:[^:, ]*]] = arith.cmpi uge, %[[LANE]], %c16
// CHECK-NEXT: %[[CHOICE4:[^:, ]*]] = arith.select %[[IS5]], %[[SHUFFLED8]], %c0_i32
// CHECK-NEXT: %[[INCLUSIVE:[^:, ]*]] = arith.addi %[[SUM4]], %[[CHOICE4]]
// CHECK-NEXT: %[[LAST:[^:, ]*]] = arith.cmpi eq, %[[LANE]], %c31
// CHECK-NEXT: scf.if %[[LAST]]
// CHECK-NEXT: memref.store %[[INCLUSIVE]], %arg3[%[[WARP]]]
// CHECK: gpu.barrier
// CHECK-NEXT: %[[SUMS:[^:, ]*]]:2 = scf.for %[[I1:[^ ]*]] = %c0 to %c32 step %c1 iter_args(%[[CARRIED1:[^ ]*]] = %c0_i32, %[[CARRIED2:[^ ]*]] = %c0_i32)
// CHECK-NEXT: %[[ELEMENT1:[^:, ]*]] = memref.load %arg3[%[[I1]]]
// CHECK-NEXT: %[[BEFORE:[^:, ]*]] = arith.cmpi ult, %[[I1]], %[[WARP]]
// CHECK-NEXT: %[[CHOICE5:[^:, ]*]] = arith.select %[[BEFORE]], %[[ELEMENT1]], %c0_i32
// CHECK-NEXT: %[[SUM6:[^:, ]*]] = arith.addi %[[CARRIED1]], %[[CHOICE5]]
// CHECK-NEXT: %[[SUM7:[^:, ]*]] = arith.addi %[[CARRIED2]], %[[ELEMENT1]]
// CHECK-NEXT: scf.yield %[[SUM6]], %[[SUM7]]
// CHECK: gpu.barrier
// CHECK-NEXT: %[[EXCLUSIVE:[^:, ]*]] = arith.subi %[[INCLUSIVE]], %[[COUNT]]
// CHECK-NEXT: %[[SUM8:[^:, ]*]] = arith.addi %[[EXCLUSIVE]], %[[SUMS]]#0
// CHECK-NEXT: %[[CAST:[^:, ]*]] = arith.index_castui %[[SUM8]]
// CHECK-NEXT: %[[SUM9:[^:, ]*]] = arith.addi %[[SOFAR]], %[[CAST]]
// CHECK-NEXT: scf.if %[[INSIDE]]
// CHECK-NEXT: %[[CAST1:[^:, ]*]] = arith.index_castui %[[SUM9]]
// CHECK-NEXT: memref.store %[[CAST1]], %[[COUNTS]][%[[AT]]]
// CHECK: %[[CAST2:[^:, ]*]] = arith.index_castui %[[SUMS]]#1
// CHECK-NEXT: %[[SUM10:[^:, ]*]] = arith.addi %[[SOFAR]], %[[CAST2]]
// CHECK-NEXT: scf.yield %[[SUM10]]
// CHECK: %[[FIRST:[^:, ]*]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: %[[CAST3:[^:, ]*]] = arith.index_castui %[[TOTAL]]
// CHECK-NEXT: memref.store %[[CAST3]], %[[COUNTS]][%arg2]
// CHECK: func.func @count(%[[X:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?xi64>)
// CHECK: %[[BOUNDS:.*]] = memref.dim %[[B]], %c0
// CHECK: %[[TILES:.*]] = arith.subi %[[BOUNDS]], %c1
// CHECK: %[[BX:.*]] = memref.reinterpret_cast %[[X]]
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[BB:.*]] = memref.reinterpret_cast %[[B]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[TILES]], %c8
// CHECK: gpu.launch_func @kernels::@count_count blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME: args(%[[BX]] : memref<1xf32>, %[[BB]] : memref<1xi64>, %[[ROWS]] : index, %[[COLUMNS]] : index, %[[BOUNDS]] : index, %[[TILES]] : index)
// CHECK: gpu.launch_func @kernels::@count_scan blocks in (%c1, %c1, %c1) threads in (%c1024, %c1, %c1)
// CHECK-SAME: args(%[[BB]] : memref<1xi64>, %[[BOUNDS]] : index, %[[TILES]] : index)
// CHECK-NEXT: return
func.func @count(%x: memref<?x?xf32>, %b: memref<?xi64>) {
  tally.count_nonzero ins(%x : memref<?x?xf32>) outs(%b : memref<?xi64>) tile 1024
  return
}

// -----

// No row is written behind the last one.
// CHECK: gpu.func @write_write(
// CHECK: %[[X:[^:, ]*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg3, 3], strides: [3, 1]
// CHECK-NEXT: %[[BOUNDS:[^:, ]*]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%arg4], strides: [1]
// CHECK-NEXT: %[[RESULT:[^:, ]*]] = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg6, 2], strides: [2, 1]
// CHECK-NEXT: %[[THREAD:[^:, ]*]] = gpu.thread_id x
// CHECK-NEXT: %[[BLOCK:[^:, ]*]] = gpu.block_id x
// CHECK-NEXT: %[[LANE:[^:, ]*]] = arith.remui %[[THREAD]], %c32
// CHECK-NEXT: %[[FIRST:[^:, ]*]] = arith.muli %[[BLOCK]], %c8
// CHECK-NEXT: %[[WARP:[^:, ]*]] = arith.divui %[[THREAD]], %c32
// CHECK-NEXT: %[[TILE:[^:, ]*]] = arith.addi %[[FIRST]], %[[WARP]]
// CHECK-NEXT: %[[SIZE:[^:, ]*]] = memref.dim %[[X]], %c0
// CHECK-NEXT: %[[PRODUCT1:[^:, ]*]] = arith.muli %[[SIZE]], %c3
// CHECK-NEXT: %[[IS:[^:, ]*]] = arith.cmpi ult, %[[TILE]], %arg5
// CHECK-NEXT: scf.if %[[IS]]
// CHECK-NEXT: %[[SIZE1:[^:, ]*]] = memref.dim %[[RESULT]], %c0
// CHECK-NEXT: %[[ELEMENT:[^:, ]*]] = memref.load %[[BOUNDS]][%[[TILE]]]
// CHECK-NEXT: %[[CAST:[^:, ]*]] = arith.index_castui %[[ELEMENT]]
// CHECK-NEXT: %[[PRODUCT2:[^:, ]*]] = arith.muli %[[TILE]], %c64
// CHECK-NEXT: %[[SUM1:[^:, ]*]] = arith.addi %[[PRODUCT2]], %[[LANE]]
// CHECK-NEXT: %[[LOOP:[^:, ]*]] = scf.for %[[I:[^ ]*]] = %c0 to %c64 step %c32 iter_args(%[[CARRIED:[^ ]*]] = %[[CAST]])
// CHECK-NEXT: %[[SUM2:[^:, ]*]] = arith.addi %[[SUM1]], %[[I]]
// CHECK-NEXT: %[[IS1:[^:, ]*]] = arith.cmpi ult, %[[SUM2]], %[[PRODUCT1]]
// CHECK-NEXT: %[[BRANCH:[^:, ]*]] = scf.if %[[IS1]]
// CHECK-NEXT: %[[REST1:[^:, ]*]] = arith.remui %[[SUM2]], %c3
// CHECK-NEXT: %[[QUOTIENT1:[^:, ]*]] = arith.divui %[[SUM2]], %c3
// CHECK-NEXT: %[[ELEMENT1:[^:, ]*]] = memref.load %[[X]][%[[QUOTIENT1]], %[[REST1]]]
// CHECK-NEXT: scf.yield %[[ELEMENT1]]
// CHECK: scf.yield %false
// CHECK: %[[BALLOT:[^:, ]*]] = nvvm.vote.sync ballot %c-1_i32, %[[BRANCH]] -> i32
// CHECK-NEXT: %[[CAST1:[^:, ]*]] = arith.index_castui %[[LANE]]
// CHECK-NEXT: %[[SHLI:[^:, ]*]] = arith.shli %c1_i32, %[[CAST1]]
// CHECK-NEXT: %[[DIFFERENCE:[^:, ]*]] = arith.subi %[[SHLI]], %c1_i32
// CHECK-NEXT: %[[BOTH:[^:, ]*]] = arith.andi %[[BALLOT]], %[[DIFFERENCE]]
// CHECK-NEXT: %[[COUNT:[^:, ]*]] = llvm.intr.ctpop(%[[BOTH]])
// CHECK-NEXT: %[[CAST2:[^:, ]*]] = arith.index_castui %[[COUNT]]
// CHECK-NEXT: %[[SUM3:[^:, ]*]] = arith.addi %[[CARRIED]], %[[CAST2]]
// CHECK-NEXT: %[[IS2:[^:, ]*]] = arith.cmpi ult, %[[SUM3]], %[[SIZE1]]
// CHECK-NEXT: %[[BOTH1:[^:, ]*]] = arith.andi %[[BRANCH]], %[[IS2]]
// CHECK-NEXT: scf.if %[[BOTH1]]
// CHECK-NEXT: %[[REST2:[^:, ]*]] = arith.remui %[[SUM2]], %c3
// CHECK-NEXT: %[[QUOTIENT2:[^:, ]*]] = arith.divui %[[SUM2]], %c3
// CHECK-NEXT: %[[CAST3:[^:, ]*]] = arith.index_castui %[[QUOTIENT2]]
// CHECK-NEXT: memref.store %[[CAST3]], %[[RESULT]][%[[SUM3]], %c0]
// CHECK-NEXT: %[[CAST4:[^:, ]*]] = arith.index_castui %[[REST2]]
// CHECK-NEXT: memref.store %[[CAST4]], %[[RESULT]][%[[SUM3]], %c1]
// CHECK: %[[COUNT1:[^:, ]*]] = llvm.intr.ctpop(%[[BALLOT]])
// CHECK-NEXT: %[[CAST5:[^:, ]*]] = arith.index_castui %[[COUNT1]]
// CHECK-NEXT: %[[SUM4:[^:, ]*]] = arith.addi %[[CARRIED]], %[[CAST5]]
// CHECK-NEXT: scf.yield %[[SUM4]]
// CHECK: func.func @write(%[[X:.*]]: memref<?x3xi1>, %[[B:.*]]: memref<?xi64>, %[[R:.*]]: memref<?x2xi64>)
// CHECK: %[[BOUNDS:.*]] = memref.dim %[[B]], %c0
// CHECK: %[[TILES:.*]] = arith.subi %[[BOUNDS]], %c1
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[TILES]], %c8
// CHECK: gpu.launch_func @kernels::@write_write blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME: %[[BOUNDS]] : index, %[[TILES]] : index, %{{.*}} : index)
// CHECK-NEXT: return
func.func @write(%x: memref<?x3xi1>, %b: memref<?xi64>, %r: memref<?x2xi64>) {
  tally.write_nonzero ins(%x, %b : memref<?x3xi1>, memref<?xi64>) outs(%r : memref<?x2xi64>) tile 64
  return
}
