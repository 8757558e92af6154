// What threads may not do.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} races_in_shared | FileCheck %s --check-prefix=SHARED
// RUN: %{refuse} races_in_shared --seed 5 | FileCheck %s --check-prefix=SHARED-5
// RUN: %{refuse} races_after_reads | FileCheck %s --check-prefix=READS
// RUN: %{refuse} races_of_blocks | FileCheck %s --check-prefix=BLOCKS
// RUN: %{refuse} races_of_stores | FileCheck %s --check-prefix=STORES
// RUN: %{refuse} races_with_atomic | FileCheck %s --check-prefix=ATOMIC
// RUN: %{refuse} outside | FileCheck %s --check-prefix=OUTSIDE
// RUN: %{refuse} unwritten | FileCheck %s --check-prefix=UNWRITTEN
// RUN: %{refuse} unwritten_index | FileCheck %s --check-prefix=INDEX
// RUN: %{refuse} parts --input i1=true | FileCheck %s --check-prefix=ENDED
// RUN: %{refuse} parts --input i1=false | FileCheck %s --check-prefix=OTHER
// RUN: %{refuse} parts_of_warp | FileCheck %s --check-prefix=WARP
// RUN: %{refuse} waits_in_warp | FileCheck %s --check-prefix=WAITS
// RUN: %{refuse} small_warp | FileCheck %s --check-prefix=SMALL
// RUN: %{refuse} no_lane | FileCheck %s --check-prefix=LANE
// RUN: %{refuse} offset | FileCheck %s --check-prefix=OFFSET
// RUN: %{refuse} vote | FileCheck %s --check-prefix=VOTE
// RUN: %{refuse} mask | FileCheck %s --check-prefix=MASK
// RUN: %{refuse} repeats | FileCheck %s --check-prefix=REPEATS
// RUN: %{refuse} undecided | FileCheck %s --check-prefix=UNDECIDED
// RUN: %{refuse} called | FileCheck %s --check-prefix=CALLED
// RUN: %{refuse} read_only | FileCheck %s --check-prefix=READ-ONLY
// RUN: %{refuse} size --input i64=-1 --input i64=1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: %{refuse} size --input i64=1 --input i64=1025 | FileCheck %s --check-prefix=LARGE
// RUN: %{refuse} size --input i64=1 --input i64=64 | FileCheck %s --check-prefix=KNOWN
// RUN: %{refuse} shares | FileCheck %s --check-prefix=SHARES
// RUN: %{refuse} checks --input 'i32[64]=random' | FileCheck %s --check-prefix=CHECKS
// RUN: %{refuse} lowered | FileCheck %s --check-prefix=LOWERED
// RUN: %{refuse} async | FileCheck %s --check-prefix=ASYNC
// RUN: %{refuse} ordered | FileCheck %s --check-prefix=ORDERED

module attributes {gpu.container_module} {
gpu.module @kernels {
  // A neighbor's element, without a barrier.
  gpu.func @adjacent(%r: memref<64xi32>)
      workgroup(%tile: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %v = arith.index_cast %i : index to i32
    memref.store %v, %tile[%i] : memref<64xi32, #gpu.address_space<workgroup>>
    %next = arith.addi %i, %c1 : index
    %j = arith.remui %next, %c64 : index
    %w = memref.load %tile[%j] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %w, %r[%i] : memref<64xi32>
    gpu.return
  }

  // The next round writes what others still read.
  gpu.func @rounds(%r: memref<64xi32>)
      workgroup(%tile: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %v = arith.index_cast %i : index to i32
    %j = arith.subi %c63, %i : index
    scf.for %k = %c0 to %c2 step %c1 {
      memref.store %v, %tile[%i] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %tile[%j] : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %w, %r[%i] : memref<64xi32>
    }
    gpu.return
  }

  // A block reads what another one writes.
  gpu.func @all_blocks(%r: memref<64xi32>) kernel {
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    gpu.barrier
    memref.store %z, %r[%c0] : memref<64xi32>
    gpu.return
  }

  gpu.func @adds(%r: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %before = memref.atomic_rmw addi %one, %r[%c0] : (i32, memref<64xi32>) -> i32
    %v = memref.load %r[%c0] : memref<64xi32>
    gpu.return
  }

  gpu.func @shifted(%r: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %z = arith.constant 0 : i32
    %j = arith.addi %i, %c1 : index
    memref.store %z, %r[%j] : memref<64xi32>
    gpu.return
  }

  // Only half of the tile is written.
  gpu.func @half(%r: memref<64xi32>)
      workgroup(%tile: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %v = arith.index_cast %i : index to i32
    %inside = arith.cmpi ult, %i, %c32 : index
    scf.if %inside {
      memref.store %v, %tile[%i] : memref<64xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %w = memref.load %tile[%i] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %w, %r[%i] : memref<64xi32>
    gpu.return
  }

  gpu.func @indexed(%r: memref<64xi32>)
      workgroup(%tile: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %z = arith.constant 0 : i32
    %w = memref.load %tile[%i] : memref<64xi32, #gpu.address_space<workgroup>>
    %j = arith.index_cast %w : i32 to index
    memref.store %z, %r[%j] : memref<64xi32>
    gpu.return
  }

  // Half of the threads do not reach a barrier, or reach another one.
  gpu.func @parted(%end: i1) kernel {
    %i = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %first = arith.cmpi ult, %i, %c32 : index
    scf.if %first {
      gpu.barrier
    } else {
      %ends = arith.constant true
      %other = arith.xori %end, %ends : i1
      scf.if %other {
        gpu.barrier
      }
    }
    gpu.return
  }

  gpu.func @parted_warp() kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %v = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %some = arith.cmpi ugt, %i, %c1 : index
    scf.if %some {
      %w, %ok = gpu.shuffle xor %v, %v, %width : i32
    }
    gpu.return
  }

  // Threads wait for each other, at different places.
  gpu.func @waiting_warp() kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %v = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %some = arith.cmpi eq, %i, %c1 : index
    scf.if %some {
      gpu.barrier
    }
    %w, %ok = gpu.shuffle xor %v, %v, %width : i32
    gpu.return
  }

  gpu.func @shuffle() kernel {
    %v = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %w, %ok = gpu.shuffle xor %v, %v, %width : i32
    gpu.return
  }

  gpu.func @last_lane(%r: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %v = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %w, %ok = gpu.shuffle down %v, %v, %width : i32
    memref.store %w, %r[%i] : memref<64xi32>
    gpu.return
  }

  gpu.func @poison_offset() kernel {
    %v = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %p = ub.poison : i32
    %w, %ok = gpu.shuffle down %v, %p, %width : i32
    gpu.return
  }

  gpu.func @poison_vote() kernel {
    %all = arith.constant -1 : i32
    %p = ub.poison : i1
    %w = nvvm.vote.sync ballot %all, %p -> i32
    gpu.return
  }

  gpu.func @goes_round() kernel {
    %p = ub.poison : i1
    scf.while : () -> () {
      gpu.barrier
      scf.condition(%p)
    } do {
      scf.yield
    }
    gpu.return
  }

  gpu.func @half_votes() kernel {
    %half = arith.constant 65535 : i32
    %true = arith.constant true
    %w = nvvm.vote.sync ballot %half, %true -> i32
    gpu.return
  }

  gpu.func @repeated() kernel {
    %c0 = arith.constant 0 : index
    scf.index_switch %c0
    case 0 {
      gpu.barrier
      scf.yield
    }
    default {
    }
    gpu.return
  }

  func.func @waits() {
    gpu.barrier
    return
  }
  gpu.func @calls() kernel {
    func.call @waits() : () -> ()
    gpu.return
  }

  gpu.func @writes(%r: memref<64xi32> {llvm.readonly}) kernel {
    %i = gpu.thread_id x
    %z = arith.constant 0 : i32
    memref.store %z, %r[%i] : memref<64xi32>
    gpu.return
  }

  gpu.func @sized() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }

  gpu.func @sharing() workgroup(%a: memref<8192xf32, #gpu.address_space<workgroup>>, %b: memref<4097xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }

  // The first check that fails is the first in the program.
  gpu.func @checking(%x: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c40 = arith.constant 40 : index
    %small = arith.cmpi ult, %i, %c40 : index
    tally.assert %small message("the first")
    gpu.barrier
    %c5 = arith.constant 5 : index
    %other = arith.cmpi ugt, %i, %c5 : index
    tally.assert %other message("the second")
    gpu.return
  }

  llvm.func @machine() attributes {gpu.kernel} {
    llvm.return
  }

  // Within a phase it is each block's first thread alone; blocks are not ordered.
  gpu.func @one_thread(%r: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %i, %c0 : index
    %z = arith.constant 0 : i32
    scf.if %is {
      memref.store %z, %r[%c0] : memref<64xi32>
      memref.store %z, %r[%c0] : memref<64xi32>
    }
    gpu.barrier
    %v = memref.load %r[%c0] : memref<64xi32>
    gpu.barrier
    memref.store %v, %r[%i] : memref<64xi32>
    %w = memref.load %r[%c0] : memref<64xi32>
    gpu.return
  }
}

// SHARED: tally-run: {{.*}}gpu-invalid.mlir:{{[0-9]+}}:{{10|5}}: 'memref.{{load|store}}' races with 'memref.{{load|store}}' at {{.*}}gpu-invalid.mlir:{{[0-9]+}}:{{10|5}}: thread {{[0-9]+}} of block 0 has accessed element {{[0-9]+}} of the allocation, and no barrier is between (in thread {{[0-9]+}} of block 0, seed 0)
// SHARED-5: (in thread {{[0-9]+}} of block 0, seed 5)
func.func @races_in_shared() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@adjacent blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// READS: 'memref.{{load|store}}' races with 'memref.{{load|store}}'
func.func @races_after_reads() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@rounds blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// BLOCKS: 'memref.store' races with 'memref.store' at {{.*}}: thread 0 of block {{[01]}} has accessed element 0 of the allocation, and no barrier is between (in thread 0 of block {{[01]}}, seed 0)
func.func @races_of_blocks() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@all_blocks blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// The same value, but two stores.
// STORES: 'memref.store' races with 'memref.store' at {{.*}} of block 0 has accessed element 0
func.func @races_of_stores() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@all_blocks blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// ATOMIC: 'memref.{{load|atomic_rmw}}' races with 'memref.{{load|atomic_rmw}}'
func.func @races_with_atomic() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@adds blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// OUTSIDE: 'memref.store' accesses element [64] of a buffer of 64, in an allocation of 64 (in thread 63 of block 0, seed 0)
func.func @outside() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@shifted blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// UNWRITTEN: element 32 of result 0 is poison; poison was first made at {{.*}} by memref.load: the element was never written
func.func @unwritten() -> memref<64xi32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@half blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xi32>)
  return %r : memref<64xi32>
}

// INDEX: an index or a size of 'memref.store' is poison; poison was first made at {{.*}} by memref.load: the element was never written (in thread
func.func @unwritten_index() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@indexed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// ENDED: 'gpu.barrier' is not reached by all threads of the block of block 0: thread {{[0-9]+}} waits at 'gpu.barrier' at {{.*}}, thread {{[0-9]+}} has ended (seed 0)
// OTHER: 'gpu.barrier' is not reached by all threads of the block of block 0: thread 0 waits at 'gpu.barrier' at {{.*}}, thread 32 waits at 'gpu.barrier' at {{.*}} (seed 0)
func.func @parts(%end: i1) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@parted blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%end : i1)
  return
}

// WARP: 'gpu.shuffle' is not reached by all threads of a warp of block 0: thread 2 waits at 'gpu.shuffle' at {{.*}}, thread 0 has ended
func.func @parts_of_warp() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@parted_warp blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}

// WAITS: 'gpu.shuffle' is not reached by all threads of a warp of block 0: thread 0 waits at 'gpu.shuffle' at {{.*}}, thread 1 waits at 'gpu.barrier'
func.func @waits_in_warp() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@waiting_warp blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
  return
}

// SMALL: 'gpu.shuffle' needs a warp of 32 threads
func.func @small_warp() {
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  gpu.launch_func @kernels::@shuffle blocks in (%c1, %c1, %c1) threads in (%c48, %c1, %c1)
  return
}

// LANE: element 31 of result 0 is poison; poison was first made at {{.*}} by gpu.shuffle: there is no such lane
func.func @no_lane() -> memref<64xi32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@last_lane blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xi32>)
  return %r : memref<64xi32>
}

// OFFSET: the offset of a shuffle is poison
func.func @offset() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@poison_offset blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
  return
}

// VOTE: what a thread votes is poison
func.func @vote() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@poison_vote blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
  return
}

// MASK: all threads of a warp have to vote
func.func @mask() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@half_votes blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
  return
}

// REPEATS: threads can meet only in 'scf.if', 'scf.for' and 'scf.while', not in
func.func @repeats() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@repeated blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}

// UNDECIDED: the condition of 'scf.while' is poison
func.func @undecided() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@goes_round blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}

// CALLED: threads can meet only in a kernel itself
func.func @called() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@calls blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}

// READ-ONLY: 'memref.store' writes to a buffer that may only be read
func.func @read_only() {
  %c1 = arith.constant 1 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@writes blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%r : memref<64xi32>)
  return
}

// NEGATIVE: 'gpu.launch_func' has a size of -1
// LARGE: 'gpu.launch_func' has blocks of 1025 threads, and a GPU from 1 to 1024
// KNOWN: 'gpu.launch_func' has blocks of another size than its kernel says
func.func @size(%blocks: index, %threads: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@sized blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
  return
}

// SHARES: 'gpu.launch_func' launches a kernel whose blocks share more than 49152 bytes
func.func @shares() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@sharing blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}

// CHECKS: tally-run: check failed: {{.*}}the first
func.func @checks(%x: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@checking blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>)
  return
}

// LOWERED: the kernel is no 'gpu.func'
func.func @lowered() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@machine blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}

// ASYNC: the interpreter launches kernels one after the other, without clusters
func.func @async() {
  %c1 = arith.constant 1 : index
  %t = gpu.launch_func async @kernels::@sharing blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}

// One block is right; two race.
// ORDERED: 'memref.{{load|store}}' races with 'memref.{{load|store}}' at {{.*}} of block {{[01]}} has accessed element 0 {{.*}} of block {{[01]}}, seed 0
func.func @ordered() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %r = memref.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@one_thread blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%r : memref<64xi32>)
  gpu.launch_func @kernels::@one_thread blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%r : memref<64xi32>)
  return
}
}
