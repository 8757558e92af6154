// Kernels: where threads are, what they exchange, and where they meet.
// DEFINE: %{run} = tally-run %s --interpret --entry
// RUN: %{run} places --expect 'i64[24]=0,1,2,3,100,101,102,103,10,11,12,13,110,111,112,113,20,21,22,23,120,121,122,123' --expect 'i64[8]=2,2,1,3,2,1,0,32'
// RUN: %{run} reversed --input 'f32[5]=1,2,3,4,5' --expect 'f32[5]=5,4,3,2,1'
// RUN: %{run} reversed --input 'f32[5]=1,2,3,4,5' --seed 1 --expect 'f32[5]=5,4,3,2,1'
// RUN: %{run} sums --input i64=1 --expect 'i32[2]=32640,98176'
// RUN: %{run} sums --input i64=1 --seed 7 --expect 'i32[2]=32640,98176'
// RUN: %{run} sums --input i64=3 --expect 'i32[2]=97920,294528'
// RUN: %{run} shuffles --expect 'i32[5]=162,131,33,7,1' --expect 'i32[4]=1,0,1,0'
// RUN: %{run} votes --input i32=3 --expect 'i32[2]=1227133513,11'
// RUN: %{run} counts --input i64=5 --expect 'i32[5]=103,103,102,102,102'
// RUN: %{run} counts --input i64=5 --seed 3 --expect 'i32[5]=103,103,102,102,102'
// RUN: %{run} halves --input i64=100 --expect 'i64[4]=3,3,3,3' --expect 'i64[1]=5'
// RUN: %{run} halves --input i64=100 --seed 5 --expect 'i64[4]=3,3,3,3' --expect 'i64[1]=5'
// RUN: %{run} halves --input i64=2 --expect 'i64[4]=2,2,2,2' --expect 'i64[1]=0'
// RUN: %{run} private --expect 'i32[4]=0,2,4,6'
// RUN: %{run} empty --input i64=0 --expect i64=7
// RUN: %{run} blocks --input i64=3 --expect 'i32[3]=0,1,2'
// RUN: tally-run %s --interpret --entry fails --input 'i32[4]=0,1,2,3' --expect 'i32[4]=0,1,2,3'

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @places(%r: memref<24xi64>, %q: memref<8xi64>) kernel {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %c100 = arith.constant 100 : index
    // 10 * y + x + 100 * block in y, at its place.
    %gx = gpu.global_id x
    %b = arith.muli %by, %c100 : index
    %ten = arith.muli %ty, %c10 : index
    %s = arith.addi %b, %ten : index
    %v = arith.addi %s, %gx : index
    %vi = arith.index_cast %v : index to i64
    %row = arith.muli %ty, %c8 : index
    %part = arith.muli %by, %c4 : index
    %p0 = arith.addi %row, %part : index
    %p = arith.addi %p0, %gx : index
    memref.store %vi, %r[%p] : memref<24xi64>
    %lane = gpu.lane_id
    %last = arith.constant 5 : index
    %isLast = arith.cmpi eq, %lane, %last : index
    %c0 = arith.constant 0 : index
    %isFirstX = arith.cmpi eq, %bx, %c0 : index
    %isFirstY = arith.cmpi eq, %by, %c0 : index
    %isFirst = arith.andi %isFirstX, %isFirstY : i1
    %writes = arith.andi %isFirst, %isLast : i1
    scf.if %writes {
      %gdx = gpu.grid_dim x
      %gdy = gpu.grid_dim y
      %gdz = gpu.grid_dim z
      %bdy = gpu.block_dim y
      %bdx = gpu.block_dim x
      %warps = gpu.num_subgroups : index
      %warp = gpu.subgroup_id : index
      %size = gpu.subgroup_size : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %0 = arith.index_cast %gdx : index to i64
      memref.store %0, %q[%c0] : memref<8xi64>
      %1 = arith.index_cast %gdy : index to i64
      memref.store %1, %q[%c1] : memref<8xi64>
      %2 = arith.index_cast %gdz : index to i64
      memref.store %2, %q[%c2] : memref<8xi64>
      %3 = arith.index_cast %bdy : index to i64
      memref.store %3, %q[%c3] : memref<8xi64>
      %4 = arith.index_cast %bdx : index to i64
      memref.store %4, %q[%c4] : memref<8xi64>
      %5 = arith.index_cast %warps : index to i64
      memref.store %5, %q[%c5] : memref<8xi64>
      %6 = arith.index_cast %warp : index to i64
      memref.store %6, %q[%c6] : memref<8xi64>
      %7 = arith.index_cast %size : index to i64
      memref.store %7, %q[%c7] : memref<8xi64>
    }
    gpu.return
  }

  // A block turns its elements around, through shared memory.
  gpu.func @reverse(%x: memref<?xf32> {llvm.readonly}, %r: memref<?xf32>)
      workgroup(%tile: memref<70xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %n = gpu.block_dim x
    %c1 = arith.constant 1 : index
    %last = arith.subi %n, %c1 : index
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %tile[%i] : memref<70xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %j = arith.subi %last, %i : index
    %w = memref.load %tile[%j] : memref<70xf32, #gpu.address_space<workgroup>>
    memref.store %w, %r[%i] : memref<?xf32>
    gpu.return
  }

  // Each block sums up the numbers of its threads, over and over.
  gpu.func @sum(%times: index, %r: memref<?xi32>)
      workgroup(%parts: memref<8xi32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.global_id x
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %zero = arith.constant 0 : i32
    %width = arith.constant 32 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %value = arith.index_cast %i : index to i32
    %all = scf.for %k = %c0 to %times step %c1 iter_args(%so_far = %zero) -> (i32) {
      %d16 = arith.constant 16 : i32
      %d8 = arith.constant 8 : i32
      %d4 = arith.constant 4 : i32
      %d2 = arith.constant 2 : i32
      %d1 = arith.constant 1 : i32
      %v0, %ok0 = gpu.shuffle xor %value, %d16, %width : i32
      %s0 = arith.addi %value, %v0 : i32
      %v1, %ok1 = gpu.shuffle xor %s0, %d8, %width : i32
      %s1 = arith.addi %s0, %v1 : i32
      %v2, %ok2 = gpu.shuffle xor %s1, %d4, %width : i32
      %s2 = arith.addi %s1, %v2 : i32
      %v3, %ok3 = gpu.shuffle xor %s2, %d2, %width : i32
      %s3 = arith.addi %s2, %v3 : i32
      %v4, %ok4 = gpu.shuffle xor %s3, %d1, %width : i32
      %s4 = arith.addi %s3, %v4 : i32
      %lane = arith.remui %t, %c32 : index
      %isFirst = arith.cmpi eq, %lane, %c0 : index
      scf.if %isFirst {
        %warp = arith.divui %t, %c32 : index
        memref.store %s4, %parts[%warp] : memref<8xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %sum = scf.for %w = %c0 to %c8 step %c1 iter_args(%s = %so_far) -> (i32) {
        %p = memref.load %parts[%w] : memref<8xi32, #gpu.address_space<workgroup>>
        %n = arith.addi %s, %p : i32
        scf.yield %n : i32
      }
      gpu.barrier
      scf.yield %sum : i32
    }
    %writes = arith.cmpi eq, %t, %c0 : index
    scf.if %writes {
      memref.store %all, %r[%b] : memref<?xi32>
    }
    gpu.return
  }

  // One thread of a warp writes what it has got.
  gpu.func @shuffle(%r: memref<5xi32>, %q: memref<4xi32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c31 = arith.constant 31 : index
    %v = arith.index_cast %t : index to i32
    %hundred = arith.constant 100 : i32
    %value = arith.addi %v, %hundred : i32
    %width = arith.constant 32 : i32
    %half = arith.constant 16 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %a, %aok = gpu.shuffle up %value, %one, %width : i32
    %b, %bok = gpu.shuffle down %value, %one, %width : i32
    %i, %iok = gpu.shuffle idx %value, %two, %width : i32
    %n, %nok = gpu.shuffle down %value, %half, %half : i32
    %five = arith.constant 5 : i32
    %x, %xok = gpu.shuffle xor %value, %five, %width : i32
    // Thread 31: up 130; down none. 32 + 130 = 162.
    %isLast = arith.cmpi eq, %t, %c31 : index
    scf.if %isLast {
      %s = arith.addi %a, %width : i32
      memref.store %s, %r[%c0] : memref<5xi32>
      %ai = arith.extui %aok : i1 to i32
      memref.store %ai, %q[%c0] : memref<4xi32>
      %bi = arith.extui %bok : i1 to i32
      memref.store %bi, %q[%c1] : memref<4xi32>
      %ii = arith.extui %iok : i1 to i32
      memref.store %ii, %q[%c2] : memref<4xi32>
      %ni = arith.extui %nok : i1 to i32
      memref.store %ni, %q[%c3] : memref<4xi32>
      %m = arith.constant 95 : i32
      %is = arith.subi %i, %m : i32
      memref.store %is, %r[%c3] : memref<5xi32>
    }
    %c30 = arith.constant 30 : index
    %isBefore = arith.cmpi eq, %t, %c30 : index
    scf.if %isBefore {
      memref.store %b, %r[%c1] : memref<5xi32>
    }
    %isTwo = arith.cmpi eq, %t, %c2 : index
    scf.if %isTwo {
      // 107 for lane 2 xor 5.
      %m = arith.constant 74 : i32
      %xs = arith.subi %x, %m : i32
      memref.store %xs, %r[%c2] : memref<5xi32>
      memref.store %one, %r[%c4] : memref<5xi32>
    }
    gpu.return
  }

  // Which threads have a multiple of a number.
  gpu.func @vote(%n: i32, %r: memref<2xi32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %all = arith.constant -1 : i32
    %v = arith.index_cast %t : index to i32
    %rest = arith.remui %v, %n : i32
    %is = arith.cmpi eq, %rest, %zero : i32
    %ballot = nvvm.vote.sync ballot %all, %is -> i32
    %count = llvm.intr.ctpop(%ballot) : (i32) -> i32
    %any = nvvm.vote.sync any %all, %is -> i1
    %every = nvvm.vote.sync all %all, %is -> i1
    %writes = arith.cmpi eq, %t, %c0 : index
    scf.if %writes {
      %0 = arith.select %any, %ballot, %zero : i32
      %1 = arith.select %every, %zero, %count : i32
      memref.store %0, %r[%c0] : memref<2xi32>
      memref.store %1, %r[%c1] : memref<2xi32>
    }
    gpu.return
  }

  // Atomic updates of the same elements by many threads of many blocks.
  gpu.func @count(%n: index, %r: memref<?xi32>) kernel {
    %i = gpu.global_id x
    %one = arith.constant 1 : i32
    %at = arith.remui %i, %n : index
    %before = memref.atomic_rmw addi %one, %r[%at] : (i32, memref<?xi32>) -> i32
    gpu.return
  }

  gpu.func @fill(%n: index, %r: memref<?xi32>) kernel {
    %i = gpu.global_id x
    %zero = arith.constant 0 : i32
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      memref.store %zero, %r[%i] : memref<?xi32>
    }
    gpu.return
  }

  // What is a thread's own.
  gpu.func @private(%r: memref<4xi32>) private(%own: memref<2xi32, #gpu.address_space<private>>) kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %v = arith.index_cast %i : index to i32
    memref.store %v, %own[%c1] : memref<2xi32, #gpu.address_space<private>>
    %other = memref.alloca() : memref<1xi32>
    %c0 = arith.constant 0 : index
    memref.store %v, %other[%c0] : memref<1xi32>
    gpu.barrier
    %w = memref.load %own[%c1] : memref<2xi32, #gpu.address_space<private>>
    %u = memref.load %other[%c0] : memref<1xi32>
    %s = arith.addi %u, %w : i32
    memref.store %s, %r[%i] : memref<4xi32>
    gpu.return
  }

  // Every thread halves the number while the first element exceeds 3, and adds
  // up the rounds: threads meet in both regions.
  gpu.func @halve(%n: i64, %r: memref<4xi64>, %rounds: memref<1xi64>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %three = arith.constant 3 : i64
    memref.store %n, %r[%i] : memref<4xi64>
    gpu.barrier
    %count = scf.while (%c = %zero) : (i64) -> i64 {
      %v = memref.load %r[%c0] : memref<4xi64>
      gpu.barrier
      %more = arith.cmpi sgt, %v, %three : i64
      scf.condition(%more) %c : i64
    } do {
    ^bb0(%c: i64):
      %v = memref.load %r[%i] : memref<4xi64>
      %half = arith.shrsi %v, %one : i64
      memref.store %half, %r[%i] : memref<4xi64>
      gpu.barrier
      %next = arith.addi %c, %one : i64
      scf.yield %next : i64
    }
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      memref.store %count, %rounds[%c0] : memref<1xi64>
    }
    gpu.return
  }

  // Branches instead of regions.
  gpu.func @branches(%n: index, %r: memref<?xi32>) kernel {
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %t, %c0 : index
    gpu.barrier
    cf.cond_br %is, ^write(%b : index), ^end
  ^write(%at: index):
    %v = arith.index_cast %at : index to i32
    memref.store %v, %r[%at] : memref<?xi32>
    cf.br ^end
  ^end:
    gpu.barrier
    gpu.return
  }

  gpu.func @check(%x: memref<4xi32>, %r: memref<4xi32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<4xi32>
    %three = arith.constant 3 : i32
    %ok = arith.cmpi ule, %v, %three : i32
    tally.assert %ok message("x is small")
    memref.store %v, %r[%i] : memref<4xi32>
    gpu.return
  }
}

func.func @places() -> (memref<24xi64>, memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = memref.alloc() : memref<24xi64>
  %q = memref.alloc() : memref<8xi64>
  gpu.launch_func @kernels::@places blocks in (%c2, %c2, %c1) threads in (%c2, %c3, %c1) args(%r : memref<24xi64>, %q : memref<8xi64>)
  return %r, %q : memref<24xi64>, memref<8xi64>
}

func.func @reversed(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %r = memref.alloc(%n) : memref<?xf32>
  gpu.launch_func @kernels::@reverse blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%x : memref<?xf32>, %r : memref<?xf32>)
  return %r : memref<?xf32>
}

func.func @sums(%times: index) -> memref<?xi32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %r = memref.alloc(%c2) : memref<?xi32>
  gpu.launch_func @kernels::@sum blocks in (%c2, %c1, %c1) threads in (%c256, %c1, %c1) args(%times : index, %r : memref<?xi32>)
  return %r : memref<?xi32>
}

func.func @shuffles() -> (memref<5xi32>, memref<4xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %r = memref.alloc() : memref<5xi32>
  %q = memref.alloc() : memref<4xi32>
  gpu.launch_func @kernels::@shuffle blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%r : memref<5xi32>, %q : memref<4xi32>)
  return %r, %q : memref<5xi32>, memref<4xi32>
}

func.func @votes(%n: i32) -> memref<2xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %r = memref.alloc() : memref<2xi32>
  gpu.launch_func @kernels::@vote blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%n : i32, %r : memref<2xi32>)
  return %r : memref<2xi32>
}

func.func @counts(%n: index) -> memref<?xi32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %r = memref.alloc(%n) : memref<?xi32>
  gpu.launch_func @kernels::@fill blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1) args(%n : index, %r : memref<?xi32>)
  gpu.launch_func @kernels::@count blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1) args(%n : index, %r : memref<?xi32>)
  return %r : memref<?xi32>
}

func.func @private() -> memref<4xi32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = memref.alloc() : memref<4xi32>
  gpu.launch_func @kernels::@private blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%r : memref<4xi32>)
  return %r : memref<4xi32>
}

func.func @halves(%n: i64) -> (memref<4xi64>, memref<1xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = memref.alloc() : memref<4xi64>
  %rounds = memref.alloc() : memref<1xi64>
  gpu.launch_func @kernels::@halve blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%n : i64, %r : memref<4xi64>, %rounds : memref<1xi64>)
  return %r, %rounds : memref<4xi64>, memref<1xi64>
}

// No block runs.
func.func @empty(%n: index) -> i64 {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i64
  %r = memref.alloc(%n) : memref<?xi32>
  gpu.launch_func @kernels::@branches blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index, %r : memref<?xi32>)
  return %seven : i64
}

func.func @blocks(%n: index) -> memref<?xi32> {
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %r = memref.alloc(%n) : memref<?xi32>
  gpu.launch_func @kernels::@branches blocks in (%n, %c1, %c1) threads in (%c33, %c1, %c1) args(%n : index, %r : memref<?xi32>)
  return %r : memref<?xi32>
}

func.func @fails(%x: memref<4xi32>) -> memref<4xi32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = memref.alloc() : memref<4xi32>
  gpu.launch_func @kernels::@check blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%x : memref<4xi32>, %r : memref<4xi32>)
  return %r : memref<4xi32>
}
}
