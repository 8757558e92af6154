// RUN: tally-opt %s --tally-schedule-loops --split-input-file --canonicalize --cse | FileCheck %s
// What is left is for one thread.
// RUN: tally-opt %s --tally-schedule-loops --split-input-file --tally-place-on-device --canonicalize --cse | FileCheck %s --check-prefix=PLACED

// Rows have teams of threads. A thread takes four columns of its row at once, which are as far apart as the team has
// threads, and then those that are left, one by one.
// CHECK: gpu.func @every_point_loop(%[[PX:[^:]*]]: memref<1xf32> {llvm.noalias, llvm.readonly}, %[[PY:[^:]*]]: memref<1xf32> {llvm.noalias},
// CHECK-SAME: %[[LANES:[^:]*]]: index, %[[GROUPS:[^:]*]]: index, %[[FULL:[^:]*]]: index, %[[TOTAL:[^:]*]]: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
// CHECK: %[[BEFORE:.*]] = arith.muli %[[BLOCK]], %c128
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEFORE]], %[[THREAD]]
// CHECK: %[[STEP:.*]] = arith.muli %[[BLOCKS]], %c128
// CHECK: scf.for %[[NUMBER:.*]] = %[[FIRST]] to %[[TOTAL]] step %[[STEP]] {
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[NUMBER]], %[[LANES]] : index
// CHECK-DAG: %[[TEAM:.*]] = arith.divui %[[NUMBER]], %[[LANES]] : index
// CHECK-DAG: %[[GROUP:.*]] = arith.remui %[[TEAM]], %[[GROUPS]] : index
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[TEAM]], %[[GROUPS]] : index
// CHECK: %[[STEPS:.*]] = arith.muli %[[ROW]], %c2
// CHECK: %[[I:.*]] = arith.addi %[[STEPS]], %c1
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[FULL]] step %{{.*}} {
// CHECK:   %[[J1:.*]] = arith.addi %[[J]], %[[LANES]]
// CHECK-COUNT-4: memref.load %{{.*}}[%[[I]], %{{.*}}]
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J1]]]
// CHECK: scf.for %[[J:.*]] = %
// CHECK:   memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK:   memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-LABEL: func.func @every_point(
// Of a loop from 1 by 2: a maximum with 0 and a division on the host.
// CHECK: %[[LENGTH:.*]] = arith.subi %{{.*}}, %c1
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[LENGTH]], %c0
// CHECK: %[[UP:.*]] = arith.addi %[[AT_LEAST]], %c1
// CHECK: arith.divsi %[[UP]], %c2
// CHECK: gpu.launch_func @kernels::@every_point_loop blocks in (%{{.*}}, %c1, %c1) threads in (%c128, %c1, %c1)
// CHECK-NOT: scf.for
func.func @every_point(%x: memref<?x?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.for %i = %c1 to %m step %c2 {
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// Rows are added where data says. Where any order is allowed, each point adds its element.
// The place of a row is read once; what is added is read before that.
// CHECK: gpu.func @rows_at_atomics(
// CHECK:   scf.for
// CHECK:     %[[READ:.*]] = memref.load %{{.*}} : memref<?xi64
// CHECK:     %[[AT:.*]] = arith.index_cast %[[READ]]
// CHECK:     scf.for
// CHECK-COUNT-4: memref.load %{{.*}} : memref<?x?xf32
// CHECK-COUNT-4: memref.atomic_rmw addf %{{.*}}, %{{.*}}[%[[AT]], %{{.*}}] : (f32, memref<?x?xf32
// CHECK-NEXT: }
// CHECK:     scf.for
// CHECK:       memref.atomic_rmw addf
// CHECK-NEXT: }
// Else a block sorts the places of a few in shared memory, and does all of what follows.
// CHECK: gpu.func @rows_at_blocks(
// CHECK-SAME: workgroup(%[[KEYS:.*]] : memref<1024xi32, #gpu.address_space<workgroup>>, %[[ITEMS:[^:]*]] : memref<1024xi32, #gpu.address_space<workgroup>>,
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK:   %[[KEY:.*]] = scf.if
// CHECK:     memref.load %{{.*}} : memref<?xi64
// CHECK:   memref.store %[[KEY]], %[[KEYS]]
// CHECK:   scf.for
// CHECK:     gpu.barrier
// CHECK:   memref.load %[[KEYS]]
// CHECK:   arith.addf
// CHECK:   gpu.barrier
// CHECK:   arith.addf
// Where there are many, a kernel makes the keys, others sort them.
// CHECK: gpu.func @rows_at_keys(
// CHECK:   %[[READ:.*]] = memref.load %{{.*}}[%[[I:.*]]] : memref<?xi64
// CHECK:   %[[AT:.*]] = arith.index_cast %[[READ]]
// CHECK:   %[[KEY:.*]] = arith.index_castui %[[AT]] : index to i32
// CHECK:   memref.store %[[KEY]], %{{.*}}[%{{.*}}, %[[I]]] : memref<1x?xi32
// CHECK: gpu.func @rows_at_sort_block_x4(
// CHECK: gpu.func @rows_at_sort_block_x16(
// CHECK: gpu.func @rows_at_sort_scatter_1(
// A part begins where another key does, or at a multiple of 128 in a run that is longer.
// CHECK: gpu.func @rows_at_sums(
// CHECK:   %[[KEY:.*]] = memref.load %{{.*}}[%[[ROW:.*]], %[[P:.*]]] : memref<1x?xi32
// CHECK:   %[[DIFFERS:.*]] = arith.cmpi ne, %{{.*}}, %[[KEY]] : i32
// CHECK:   %[[STARTS:.*]] = arith.ori %{{.*}}, %[[DIFFERS]] : i1
// CHECK:   arith.remui %[[P]], %c128 : index
// CHECK:   scf.while
// CHECK:   %[[LONG:.*]] = arith.andi
// CHECK:   %[[MINE:.*]] = arith.ori %[[STARTS]], %[[LONG]] : i1
// CHECK:   scf.while
// CHECK:   scf.if %[[MINE]] {
// CHECK:     scf.for %[[J:.*]] = %
// It starts with its first value, and a whole run with the element.
// CHECK:       %[[START:.*]] = scf.if %[[LONG]] -> (f32) {
// CHECK:         memref.load %{{.*}}[%{{.*}}, %[[J]]] : memref<?x?xf32
// CHECK:       } else {
// CHECK:         memref.load %{{.*}}[%{{.*}}, %[[J]]] : memref<?x?xf32
// CHECK:       scf.for %{{.*}} step %c4 iter_args(%[[SUM:.*]] = %[[START]])
// CHECK-COUNT-4: arith.addf
// CHECK:       scf.for %{{.*}} step %c1
// CHECK:         arith.addf
// CHECK:       scf.if %[[LONG]] {
// CHECK:         memref.store
// CHECK:       } else {
// CHECK:         memref.store
// CHECK: gpu.func @rows_at_joins(
// CHECK:   scf.for %{{.*}} iter_args
// CHECK:     arith.addf
// Where there are few, a point is a column, and has several threads. Each finds out first
// whether the row is its own.
// CHECK: gpu.func @rows_at_owners(
// CHECK: scf.for %[[NUMBER:.*]] = %
// CHECK-DAG: %[[OWNER:.*]] = arith.divui %[[NUMBER]], %[[N:.*]] : index
// CHECK-DAG: %[[J:.*]] = arith.remui %[[NUMBER]], %[[N]] : index
// CHECK: scf.for %[[I:.*]] = %c0 to
// CHECK:   %[[READ:.*]] = memref.load %{{.*}}[%[[I]]] : memref<?xi64
// CHECK:   %[[AT:.*]] = arith.index_cast %[[READ]]
// CHECK:   %[[HASH:.*]] = arith.muli %[[AT]], %c-7046029254386353131
// CHECK:   %[[HIGH:.*]] = arith.shrui %[[HASH]], %c32
// CHECK:   %[[SCALED:.*]] = arith.muli %[[HIGH]], %[[OWNERS:.*]] : index
// CHECK:   %[[OF:.*]] = arith.shrui %[[SCALED]], %c32
// CHECK:   %[[MINE:.*]] = arith.cmpi eq, %[[OF]], %[[OWNER]]
// CHECK:   scf.if %[[MINE]] {
// CHECK-NOT: memref<?xi64
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[AT]], %[[J]]]
// CHECK-LABEL: func.func @rows_at(
// Few elements of many rows would wait for each other.
// CHECK-DAG: %[[ALLOWED:.*]] = tally.any_order : i1
// CHECK-DAG: %[[ENOUGH:.*]] = arith.cmpi uge, %{{.*}}, %c160 : index
// CHECK-DAG: %[[SHORT:.*]] = arith.cmpi ule, %{{.*}}, %c512 : index
// CHECK: %[[WORTH_IT:.*]] = arith.ori %[[ENOUGH]], %[[SHORT]] : i1
// CHECK: %[[CHOSEN:.*]] = arith.andi %[[ALLOWED]], %[[WORTH_IT]] : i1
// CHECK: scf.if %[[CHOSEN]] {
// CHECK: gpu.launch_func @kernels::@rows_at_atomics
// CHECK: } else {
// More than 64 rows are sorted, or 1024 of many columns; the number of passes depends on
// how many places there are.
// CHECK: %[[MANY:.*]] = arith.select %{{.*}}, %c64, %c1024 : index
// CHECK: arith.cmpi ugt, %{{.*}}, %[[MANY]] : index
// CHECK: arith.cmpi ule, %{{.*}}, %c1024 : index
// CHECK: arith.cmpi ule, %{{.*}}, %c32768 : index
// CHECK: gpu.launch_func @kernels::@rows_at_blocks blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: gpu.launch_func @kernels::@rows_at_keys
// CHECK: arith.cmpi ugt, %{{.*}}, %c65536 : index
// CHECK: arith.select %{{.*}}, %c3, %c2 : index
// CHECK: gpu.launch_func @kernels::@rows_at_sort_block_x4 blocks in
// CHECK: gpu.launch_func @kernels::@rows_at_sums
// Parts are joined until a run of all of them would be one.
// CHECK: scf.while (%[[STRIDE:.*]] = %c128)
// CHECK:   arith.cmpi ult, %[[STRIDE]], %
// CHECK:   gpu.launch_func @kernels::@rows_at_joins
// CHECK: memref.dealloc
// At most 128 owners, one for each row, as long as there are fewer than 65536 threads.
// CHECK: %[[SOME:.*]] = arith.maxui %{{.*}}, %c1
// CHECK: %[[WORTH:.*]] = arith.divui %c65536, %[[SOME]]
// CHECK: %[[ONE:.*]] = arith.maxui %[[WORTH]], %c1
// CHECK: %[[FEW:.*]] = arith.minui %{{.*}}, %[[ONE]]
// CHECK: arith.minui %[[FEW]], %c128
// CHECK: gpu.launch_func @kernels::@rows_at_owners
func.func @rows_at(%x: memref<?x?xf32>, %at: memref<?xi64>, %m: index, %n: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %p = memref.load %at[%i] : memref<?xi64>
      %k = arith.index_cast %p : i64 to index
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %old = memref.load %y[%k, %j] : memref<?x?xf32>
      %t = arith.addf %old, %v : f32
      memref.store %t, %y[%k, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// Two indices that are data make one key, or one hash; iterations are run as a whole, as
// there is an assert.
// CHECK: gpu.func @two_places_any(
// CHECK-COUNT-8: memref.load
// CHECK-COUNT-4: tally.assert
// CHECK:     memref.atomic_rmw assign %c1_i32, %{{.*}}[%{{.*}}, %{{.*}}] : (i32, memref<?x?xi32
// CHECK: gpu.func @two_places_keys(
// CHECK:   %[[BEFORE:.*]] = arith.muli %[[A:.*]], %[[SIZE:.*]] : index
// CHECK:   arith.addi %[[BEFORE]], %[[B:.*]] : index
// CHECK: gpu.func @two_places_runs(
// CHECK:   scf.for
// CHECK:     tally.assert
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[A:.*]], %[[B:.*]]]
// CHECK: gpu.func @two_places_owners(
// CHECK:   %[[HASH:.*]] = arith.muli %[[A:.*]], %c-7046029254386353131
// CHECK:   %[[BOTH:.*]] = arith.addi %[[HASH]], %[[B:.*]] : index
// CHECK:   arith.muli %[[BOTH]], %c-7046029254386353131
// CHECK:   scf.if
// CHECK:     tally.assert
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[A]], %[[B]]]
func.func @two_places(%a: memref<?xindex>, %b: memref<?xindex>, %m: index) -> memref<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %y = memref.alloc(%m, %m) : memref<?x?xi32>
  scf.for %i = %c0 to %m step %c1 {
    %p = memref.load %a[%i] : memref<?xindex>
    %q = memref.load %b[%i] : memref<?xindex>
    %ok = arith.cmpi ult, %p, %m : index
    tally.assert %ok message("a place is out of range")
    memref.store %one, %y[%p, %q] : memref<?x?xi32>
  }
  return %y : memref<?x?xi32>
}

// -----

// Where each iteration writes the element anew, the last one does, unless any may stay.
// CHECK: gpu.func @last_written_any(
// CHECK-COUNT-4: memref.atomic_rmw assign
// CHECK-NEXT: }
// CHECK: gpu.func @last_written_last(
// CHECK:   %[[DIFFERS:.*]] = arith.xori %{{.*}}, %true
// CHECK:   scf.if %[[DIFFERS]] {
// CHECK:     memref.store
// CHECK-NOT: @last_written_runs
// CHECK: gpu.func @last_written_owners(
func.func @last_written(%x: memref<?xf32>, %at: memref<?xindex>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %to = memref.load %at[%i] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%to] : memref<?xf32>
  }
  return %y : memref<?xf32>
}

// -----

// The order of sums of integers does not matter: every number is a point, with an update.
// Few elements are combined in shared memory first.
// CHECK: gpu.func @counts_tables(
// CHECK-SAME: workgroup(%[[TABLE:.*]] : memref<2048xi64
// CHECK: scf.for %[[K:.*]] = %
// CHECK:   memref.store %c0_i64, %[[TABLE]][%[[K]]]
// CHECK: gpu.barrier
// CHECK:   memref.atomic_rmw addi %c1_i64, %[[TABLE]][%
// CHECK: gpu.barrier
// CHECK: scf.for %[[K:.*]] = %
// CHECK:   %[[OWN:.*]] = memref.load %[[TABLE]][%[[K]]]
// CHECK:   arith.cmpi ne, %[[OWN]], %c0_i64
// CHECK:   memref.atomic_rmw addi %[[OWN]], %{{.*}}[%[[K]]]
// CHECK: gpu.func @counts_atomics(
// CHECK: scf.for
// CHECK:   %[[AT:.*]] = memref.load
// CHECK:   %[[IN:.*]] = arith.cmpi
// CHECK:   scf.if %[[IN]] {
// CHECK-NEXT: memref.atomic_rmw addi %c1_i64, %{{.*}}[%[[AT]]] : (i64, memref<?xi64
// CHECK-NOT: memref.store
// CHECK-LABEL: func.func @counts(
// CHECK: arith.cmpi ule, %{{.*}}, %c2048 : index
// CHECK: gpu.launch_func @kernels::@counts_tables
// CHECK: gpu.launch_func @kernels::@counts_atomics
func.func @counts(%x: memref<?xindex>, %n: index, %m: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %y = memref.alloc(%m) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %x[%i] : memref<?xindex>
    %in = arith.cmpi ult, %p, %m : index
    scf.if %in {
      %old = memref.load %y[%p] : memref<?xi64>
      %t = arith.addi %old, %one : i64
      memref.store %t, %y[%p] : memref<?xi64>
    }
  }
  return %y : memref<?xi64>
}

// -----

// So it is with extrema, whichever operand is the element; with both loops as points.
// CHECK: gpu.func @greatest_atomics(
// CHECK: memref.atomic_rmw maxu %[[V:.*]], %{{.*}}[%{{.*}}, %{{.*}}] : (i32, memref<?x?xi32
func.func @greatest(%x: memref<?x?xi32>, %at: memref<?xindex>, %m: index, %n: index) -> memref<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m, %n) : memref<?x?xi32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %p = memref.load %at[%i] : memref<?xindex>
      %v = memref.load %x[%i, %j] : memref<?x?xi32>
      %old = memref.load %y[%p, %j] : memref<?x?xi32>
      %t = arith.maxui %v, %old : i32
      memref.store %t, %y[%p, %j] : memref<?x?xi32>
    }
  }
  return %y : memref<?x?xi32>
}

// -----

// Those of floats are atomic, too: no order changes them. The tables of blocks start with what is less than any other.
// CHECK: gpu.func @least_tables(
// CHECK: %[[NONE:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK: memref.store %[[NONE]], %[[TABLE:.*]][%
// CHECK: memref.atomic_rmw minimumf %{{.*}}, %[[TABLE]][%
// CHECK: %[[OWN:.*]] = memref.load %[[TABLE]][%
// CHECK: %[[USED:.*]] = arith.cmpf une, %[[OWN]], %[[NONE]]
// CHECK: scf.if %[[USED]]
// CHECK: memref.atomic_rmw minimumf %[[OWN]],
// CHECK: gpu.func @least_atomics(
// CHECK: memref.atomic_rmw minimumf %{{.*}}, %{{.*}}[%{{.*}}] : (f64, memref<?xf64
func.func @least(%x: memref<?xf64>, %at: memref<?xindex>, %m: index, %n: index) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xf64>
  scf.for %i = %c0 to %m step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xf64>
    %old = memref.load %y[%p] : memref<?xf64>
    %t = arith.minimumf %old, %v : f64
    memref.store %t, %y[%p] : memref<?xf64>
  }
  return %y : memref<?xf64>
}

// -----

// A few iterations check what they read themselves, also where a kernel that writes new memory is between. Where there
// are many, or none, the check comes first.
// CHECK: gpu.func @checked_atomics(
// CHECK: tally.assert
// CHECK: memref.atomic_rmw addi
// CHECK: gpu.func @checked_loop(
// CHECK: tally.assert
// CHECK: func.func @checked(
// CHECK: tally.kernel
// CHECK: %[[BEFORE:.*]] = arith.subi %{{.*}}, %c1
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %[[BEFORE]], %c512
// CHECK: scf.if %[[FEW]]
// CHECK: gpu.launch_func @kernels::@checked_atomics{{ }}
// CHECK: else
// CHECK: gpu.launch_func @kernels::@checked_loop
// CHECK: gpu.launch_func @kernels::@checked_{{tables|atomics_0}}
func.func @checked(%at: memref<?xindex>, %m: index, %n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %m step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %ok = arith.cmpi ult, %p, %n : index
    tally.assert %ok message("an index is out of range")
  }
  %y = memref.alloc(%n) : memref<?xi64>
  tally.kernel(%n) ins(%one : i64) outs(%y : memref<?xi64>) {
  ^bb0(%z: i64, %o: tensor<?xi64>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%z : i64) outs(%o : tensor<?xi64>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%e: i64, %s: i64):
      linalg.yield %e : i64
    } -> tensor<?xi64>
    tally.yield %r : tensor<?xi64>
  }
  scf.for %i = %c0 to %m step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %old = memref.load %y[%p] : memref<?xi64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %y[%p] : memref<?xi64>
  }
  return %y : memref<?xi64>
}

// -----

// Not atomic: products; bytes; the element that was read is used again; another element
// of the buffer is read.
// CHECK-NOT: _atomics(
// CHECK: gpu.func @products_sums(
// CHECK: gpu.func @products_owners(
// CHECK-NOT: _atomics(
// CHECK: gpu.func @bytes_sums(
// CHECK: gpu.func @bytes_owners(
// CHECK-NOT: _atomics(
// CHECK: gpu.func @squares_runs(
// CHECK: gpu.func @squares_owners(
// CHECK-NOT: _atomics(
func.func @products(%at: memref<?xindex>, %n: index, %v: i32) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %old = memref.load %y[%p] : memref<?xi32>
    %t = arith.muli %old, %v : i32
    memref.store %t, %y[%p] : memref<?xi32>
  }
  return %y : memref<?xi32>
}

func.func @bytes(%at: memref<?xindex>, %n: index, %v: i8) -> memref<?xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xi8>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %old = memref.load %y[%p] : memref<?xi8>
    %t = arith.addi %old, %v : i8
    memref.store %t, %y[%p] : memref<?xi8>
  }
  return %y : memref<?xi8>
}

func.func @squares(%at: memref<?xindex>, %n: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %old = memref.load %y[%p] : memref<?xi32>
    %t = arith.addi %old, %old : i32
    memref.store %t, %y[%p] : memref<?xi32>
  }
  return %y : memref<?xi32>
}

func.func @others(%at: memref<?xindex>, %n: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %at[%i] : memref<?xindex>
    %v = memref.load %y[%i] : memref<?xi32>
    %old = memref.load %y[%p] : memref<?xi32>
    %t = arith.addi %old, %v : i32
    memref.store %t, %y[%p] : memref<?xi32>
  }
  return %y : memref<?xi32>
}

// -----

// A scan of each column is in one thread.
// CHECK: gpu.func @scans_loop(
// CHECK: scf.for
// CHECK:   scf.for %{{.*}} iter_args
func.func @scans(%x: memref<?x?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.for %j = %c0 to %n step %c1 {
    %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %sum, %v : f32
      memref.store %t, %y[%i, %j] : memref<?x?xf32>
      scf.yield %t : f32
    }
  }
  return %y : memref<?x?xf32>
}

// -----

// A loop of a branch that the host decides is a kernel of its own.
// CHECK: gpu.func @in_branch_loop(
// CHECK-LABEL: func.func @in_branch(
// CHECK: scf.if
// CHECK:   gpu.launch_func @kernels::@in_branch_loop
func.func @in_branch(%flag: i1, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%n) : memref<?xf32>
  scf.if %flag {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %y[%i] : memref<?xf32>
    }
  }
  return %y : memref<?xf32>
}

// -----

// Not divided: an element is read that another iteration may write; the place of an
// element is read from what is written; it is read behind an assert; elements of an
// argument may lie in one place; the buffers may be one.
// CHECK-NOT: gpu.func
// PLACED-DAG: gpu.func @adjacent_thread(
// PLACED-DAG: gpu.func @own_places_thread(
// PLACED-DAG: gpu.func @behind_assert_thread(
// PLACED-DAG: gpu.func @of_argument_thread(
// PLACED-DAG: gpu.func @of_either_thread(
func.func @adjacent(%n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c1 to %n step %c1 {
    %before = arith.subi %i, %c1 : index
    %v = memref.load %y[%before] : memref<?xi64>
    memref.store %v, %y[%i] : memref<?xi64>
  }
  return %y : memref<?xi64>
}

func.func @own_places(%n: index) -> memref<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %y[%i] : memref<?xindex>
    memref.store %i, %y[%p] : memref<?xindex>
  }
  return %y : memref<?xindex>
}

func.func @behind_assert(%at: memref<?xindex>, %k: memref<?xindex>, %n: index) -> memref<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %q = memref.load %k[%i] : memref<?xindex>
    %ok = arith.cmpi ult, %q, %n : index
    tally.assert %ok message("a place is out of range")
    %p = memref.load %at[%q] : memref<?xindex>
    memref.store %i, %y[%p] : memref<?xindex>
  }
  return %y : memref<?xindex>
}

func.func @of_argument(%y: memref<?xindex, strided<[?]>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %i, %y[%i] : memref<?xindex, strided<[?]>>
  }
  return
}

func.func @of_either(%flag: i1, %x: memref<?xindex>, %n: index) -> memref<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) : memref<?xindex>
  %z = arith.select %flag, %x, %y : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %z[%c0] : memref<?xindex>
    memref.store %i, %y[%p] : memref<?xindex>
  }
  return %y : memref<?xindex>
}

// -----

// A place of a row that is asserted beside one of a column is read behind the asserts of columns.
// CHECK: gpu.func @both_places_atomics(
// CHECK:   scf.for
// CHECK:     memref.load %{{.*}} : memref<?xindex
// CHECK-NOT: memref<?xi32, strided<[1]>>
// CHECK:     scf.for
// CHECK-NOT: memref<?xi32, strided<[1]>>
// CHECK-COUNT-4: tally.assert
// CHECK: memref.load %{{.*}} : memref<?xi32, strided<[1]>>
// CHECK-COUNT-4: memref.atomic_rmw addi
func.func @both_places(%t: memref<?xi32>, %a: memref<?xindex>, %b: memref<?x?xindex>, %m: index, %n: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m) : memref<?xi32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %p = memref.load %a[%i] : memref<?xindex>
      %q = memref.load %b[%i, %j] : memref<?x?xindex>
      %first = arith.cmpi ult, %p, %m : index
      %second = arith.cmpi ult, %q, %m : index
      %ok = arith.andi %first, %second : i1
      tally.assert %ok message("a place is out of range")
      %v = memref.load %t[%p] : memref<?xi32>
      %old = memref.load %y[%q] : memref<?xi32>
      %sum = arith.addi %old, %v : i32
      memref.store %sum, %y[%q] : memref<?xi32>
    }
  }
  return %y : memref<?xi32>
}
