//===- Passes.td - How kernels run on a GPU ----------------*- tablegen -*-===//

#ifndef TALLY_CODEGEN_SCHEDULEGPU_PASSES
#define TALLY_CODEGEN_SCHEDULEGPU_PASSES

include "mlir/Pass/PassBase.td"

def AddMatmulFallbacks
    : Pass<"tally-add-matmul-fallbacks", "::mlir::ModuleOp"> {
  let summary = "Give matmuls a kernel of their own";
  let description = [{
    Where there is no library at run time, a `tally.matmul` is computed by a
    plain kernel: a thread for each element, with a sum over f32, or f64, of
    the sums of 64 products each.
    Products of the same type and transpositions share one. Its parameters are
    those that `tally_rt_matmul` passes: a, b, c, batch, m, n, k, lda, ldb, ldc,
    stride_a, stride_b, stride_c. A `tally.contract`, which is a convolution, is
    computed as such a product of its weight and copies of windows: it gets the
    kernel that copies them, too (`tally.fallbacks`). The gradient of a weight, or of
    an image, gets one kernel, in which a thread sums up each element. Runs on a module,
    which gets the kernels.

    ```mlir
    // Before
    tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {transpose_b}
    // After
    tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
        {fallback = @kernels::@matmul_f32_nt, transpose_b}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ScheduleDepthwise : Pass<"tally-schedule-depthwise", "::mlir::ModuleOp"> {
  let summary = "Make kernels of convolutions of one channel each";
  let description = [{
    A `tally.contract` that is a convolution whose groups have one channel to
    read, with windows of at most 64 elements in one or two dimensions, becomes a
    kernel: libraries multiply matrices, and there are none. A thread has the
    weights of its channel in registers and computes one result, or in two
    dimensions up to eight below each other, and two columns of them where
    elements have two bytes; elements that their windows share are read once.
    Where there are few results, a thread has half as many below each other. The
    host looks whether places are numbers of 32 bits. What lies outside of a padded image is zero. Sums of f16 and
    bf16 are kept in f32. Runs on a module, which gets the kernels.

    ```mlir
    // Before
    tally.contract ins(%w, %x : memref<64x1x1x3x3xf32>, memref<?x64x1x?x?xf32>) outs(%y : memref<?x64x1x?x?xf32>)
        maps [affine_map<(n, g, o, y, x, c, i, j) -> (g, o, c, i, j)>,
              affine_map<(n, g, o, y, x, c, i, j) -> (n, g, c, y + i - 1, x + j - 1)>,
              affine_map<(n, g, o, y, x, c, i, j) -> (n, g, o, y, x)>]
    ```
    In host code this is then, where there are many results,
    ```
    gpu.launch_func @kernels::@main_depthwise blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1) args(...)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ScheduleCompaction
    : Pass<"tally-schedule-compaction", "::mlir::ModuleOp"> {
  let summary = "Make kernels that count and write rows";
  let description = [{
    A `tally.count_nonzero` becomes two kernels: in the first every warp counts
    one tile by ballots of 32 elements, in the second one block sums the counts
    up. A `tally.write_nonzero` becomes one kernel that takes the ballots again
    and writes the row of every element to its place. Runs on a module, which
    gets the kernels.

    ```mlir
    // Before
    tally.count_nonzero ins(%x : memref<?xf32>) outs(%before : memref<?xi64>) tile 1024
    ```
    In host code this is then
    ```
    gpu.launch_func @kernels::@main_count blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1) args(...)
    gpu.launch_func @kernels::@main_scan blocks in (%c1, %c1, %c1) threads in (%c1024, %c1, %c1) args(...)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def PredicateLaunches : Pass<"tally-predicate-launches", "::mlir::ModuleOp"> {
  let summary = "Let kernels read which branch is taken";
  let description = [{
    Where a number of the device decides which branch is taken, and nothing else,
    the host would wait for it. The kernels of both branches are launched instead,
    with a pointer to the number: those of the branch that is not taken return at
    once, before they check anything. What both branches result in is one buffer,
    which the kernels of the one that is taken write. In branches of branches,
    kernels read the inner number only where the outer one is as it should be.

    - A branch may launch at most 8 kernels, as each takes time where it returns
      at once. It may allocate buffers, which then exist whatever is taken, compute
      sizes, and choose by them.
    - The host waits where it has to know which branch is taken: where a branch
      calls the runtime, waits for another number, or checks something on the host,
      and where sizes of results, or numbers of the host, may differ. A remark
      tells what it is.
    - The number is read where it is, and freed later, unless something may
      overwrite it: then a kernel copies it first.

    Runs on a module, which has the kernels.

    Input:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @one(%to: memref<1xf32>) kernel {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          memref.store %one, %to[%c0] : memref<1xf32>
          gpu.return
        }
      }
      func.func @main(%flag: memref<1xi1>, %x: memref<1xf32>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %p = tally.read_back %flag[%c0] : memref<1xi1>
        scf.if %p {
          gpu.launch_func @kernels::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>)
        }
        return
      }
    }
    ```

    Output:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @one(%to: memref<1xf32>, %flag: memref<1xi1>) kernel {
          %zero = arith.constant 0 : index
          %p = memref.load %flag[%zero] : memref<1xi1>
          scf.if %p {
            %c0 = arith.constant 0 : index
            %one = arith.constant 1.0 : f32
            memref.store %one, %to[%c0] : memref<1xf32>
          }
          gpu.return
        }
      }
      func.func @main(%flag: memref<1xi1>, %x: memref<1xf32>) {
        %c1 = arith.constant 1 : index
        gpu.launch_func @kernels::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %flag : memref<1xi1>)
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def MergeKernels : Pass<"tally-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Keep one of several kernels that are the same";
  let description = [{
    Layers of a model that are alike make kernels that differ in their names and
    locations alone. One of them is launched in the place of all, and compiled
    once. Kernels with asserts are the same only where those are of the same line
    of the program, which an error tells.

    Input:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @main_kernel_0(%x: memref<1xf32>, %value: f32) kernel {
          %c0 = arith.constant 0 : index
          memref.store %value, %x[%c0] : memref<1xf32>
          gpu.return
        }
        gpu.func @main_kernel_1(%x: memref<1xf32>, %value: f32) kernel {
          %c0 = arith.constant 0 : index
          memref.store %value, %x[%c0] : memref<1xf32>
          gpu.return
        }
      }
      func.func @main(%x: memref<1xf32>, %y: memref<1xf32>, %value: f32) {
        %c1 = arith.constant 1 : index
        gpu.launch_func @kernels::@main_kernel_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %value : f32)
        gpu.launch_func @kernels::@main_kernel_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<1xf32>, %value : f32)
        return
      }
    }
    ```

    Output:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @main_kernel_0(%x: memref<1xf32>, %value: f32) kernel {
          %c0 = arith.constant 0 : index
          memref.store %value, %x[%c0] : memref<1xf32>
          gpu.return
        }
      }
      func.func @main(%x: memref<1xf32>, %y: memref<1xf32>, %value: f32) {
        %c1 = arith.constant 1 : index
        gpu.launch_func @kernels::@main_kernel_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xf32>, %value : f32)
        gpu.launch_func @kernels::@main_kernel_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<1xf32>, %value : f32)
        return
      }
    }
    ```
  }];
}

def ScheduleScans : Pass<"tally-schedule-scans", "::mlir::ModuleOp"> {
  let summary = "Make kernels that scan rows";
  let description = [{
    A `tally.prefix_scan` on buffers becomes launches of kernels. How they run
    follows from where the elements of a row lie, and is decided by the real
    sizes on the host:

    - Neighbors in memory: a warp takes a row of up to 1024 elements, a block a
      longer one, tile by tile. Threads take several elements at once where they
      are aligned.
    - Far apart: a thread takes a row, so that neighboring threads read
      neighbors.
    - Few long rows are cut into parts, in three launches: what each part is
      combined to, what all before it are combined to, and the scan of each
      part from there.

    A scan that is not associative has a thread for each row.

    ```mlir
    // Before
    tally.prefix_scan ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) starts(%zero : f32) dim 1 associative {
    ^bb0(%i: index, %a: f32):
      %sum = tally.accumulate %a : f32 {
      ^bb0(%before: f32, %next: f32):
        %s = arith.addf %before, %next : f32
        tally.yield %s : f32
      }
      tally.yield %sum : f32
    }
    ```
    In host code this is, for rows of up to 1024 elements,
    ```
    gpu.launch_func @kernels::@main_scan_0_warp blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1) args(...)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ScheduleGPU : Pass<"tally-schedule-gpu", "::mlir::ModuleOp"> {
  let summary = "Decide how kernels run on a GPU";
  let description = [{
    Every `tally.kernel` on buffers becomes a few functions for the GPU and the
    code that chooses one of them at each launch, from the real sizes and
    addresses:

    - without a reduction, every thread takes neighboring elements, 16 bytes of
      the widest type at once where they are aligned, else across the ends of
      rows; operands that lie along another dimension than the results go through
      squares in shared memory;
    - a row that is reduced belongs to 8 threads (up to 128 elements), a warp (up
      to 1024) or a block, or, where there are few long rows, to several, which
      leave parts for another launch; partial results are exchanged with shuffles
      and shared memory;
    - where neighbors in memory are in neighboring rows, a block takes neighboring
      rows, and a column of its threads each of them, or several blocks do; short
      rows, and those whose reduction has no partial results, belong to a thread.

    Kernels without reductions that are next to each other and need nothing of
    each other, such as those that write parts of a concatenation, are one launch
    where they have few points.

    What several operations of a kernel need of an element stays in registers; a
    reduction runs over its row once, and what follows reads the row again. Runs
    on a module, which gets the kernels.

    Input:
    ```mlir
    func.func @negate(%x: memref<1022xf32>, %y: memref<1022xf32>) {
      %n = arith.constant 1022 : index
      tally.kernel(%n) ins(%x : memref<1022xf32>) outs(%y : memref<1022xf32>) {
      ^bb0(%a: tensor<1022xf32>, %o: tensor<1022xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%a : tensor<1022xf32>) outs(%o : tensor<1022xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = arith.negf %v : f32
          linalg.yield %t : f32
        } -> tensor<1022xf32>
        tally.yield %s : tensor<1022xf32>
      }
      return
    }
    ```

    Output:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @negate_kernel_0_x4(%xp: memref<1xf32> {llvm.noalias, llvm.readonly}, %yp: memref<1xf32> {llvm.noalias})
            kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
          %c1024 = arith.constant 1024 : index
          %c1020 = arith.constant 1020 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c256 = arith.constant 256 : index
          %c1022 = arith.constant 1022 : index
          %block = gpu.block_id x
          %blocks = gpu.grid_dim x
          %x = memref.reinterpret_cast %xp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %y = memref.reinterpret_cast %yp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %thread = gpu.thread_id x
          %before = arith.muli %block, %c256 : index
          %first = arith.addi %before, %thread : index
          %threads = arith.muli %blocks, %c256 : index
          %begin = arith.muli %first, %c4 : index
          %step = arith.muli %blocks, %c1024 : index
          scf.for %i = %begin to %c1020 step %step {
            %v = vector.load %x[%i] {alignment = 16 : i64} : memref<9223372036854775807xf32, strided<[1]>>, vector<4xf32>
            %v0 = vector.extract %v[0] : f32 from vector<4xf32>
            %v1 = vector.extract %v[1] : f32 from vector<4xf32>
            %v2 = vector.extract %v[2] : f32 from vector<4xf32>
            %v3 = vector.extract %v[3] : f32 from vector<4xf32>
            %t0 = arith.negf %v0 : f32
            %t1 = arith.negf %v1 : f32
            %t2 = arith.negf %v2 : f32
            %t3 = arith.negf %v3 : f32
            %t = vector.from_elements %t0, %t1, %t2, %t3 : vector<4xf32>
            vector.store %t, %y[%i] {alignment = 16 : i64} : memref<9223372036854775807xf32, strided<[1]>>, vector<4xf32>
          }
          %next = arith.addi %first, %c1 : index
          %last = arith.subi %threads, %next : index
          %rest = arith.addi %last, %c1020 : index
          scf.for %i = %rest to %c1022 step %threads {
            %v = memref.load %x[%i] : memref<9223372036854775807xf32, strided<[1]>>
            %t = arith.negf %v : f32
            memref.store %t, %y[%i] : memref<9223372036854775807xf32, strided<[1]>>
          }
          gpu.return
        }
        gpu.func @negate_kernel_0(%xp: memref<1xf32> {llvm.noalias, llvm.readonly}, %yp: memref<1xf32> {llvm.noalias})
            kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
          %c768 = arith.constant 768 : index
          %c512 = arith.constant 512 : index
          %c0 = arith.constant 0 : index
          %c1024 = arith.constant 1024 : index
          %c1 = arith.constant 1 : index
          %c256 = arith.constant 256 : index
          %c1022 = arith.constant 1022 : index
          %block = gpu.block_id x
          %blocks = gpu.grid_dim x
          %x = memref.reinterpret_cast %xp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %y = memref.reinterpret_cast %yp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %thread = gpu.thread_id x
          %before = arith.muli %block, %c256 : index
          %first = arith.addi %before, %thread : index
          %threads = arith.muli %blocks, %c256 : index
          %chunk = arith.muli %block, %c1024 : index
          %begin = arith.addi %chunk, %thread : index
          %step = arith.muli %blocks, %c1024 : index
          scf.for %i = %begin to %c0 step %step {
            %v0 = memref.load %x[%i] : memref<9223372036854775807xf32, strided<[1]>>
            %t0 = arith.negf %v0 : f32
            memref.store %t0, %y[%i] : memref<9223372036854775807xf32, strided<[1]>>
            %i1 = arith.addi %i, %c256 : index
            %v1 = memref.load %x[%i1] : memref<9223372036854775807xf32, strided<[1]>>
            %t1 = arith.negf %v1 : f32
            memref.store %t1, %y[%i1] : memref<9223372036854775807xf32, strided<[1]>>
            %i2 = arith.addi %i, %c512 : index
            %v2 = memref.load %x[%i2] : memref<9223372036854775807xf32, strided<[1]>>
            %t2 = arith.negf %v2 : f32
            memref.store %t2, %y[%i2] : memref<9223372036854775807xf32, strided<[1]>>
            %i3 = arith.addi %i, %c768 : index
            %v3 = memref.load %x[%i3] : memref<9223372036854775807xf32, strided<[1]>>
            %t3 = arith.negf %v3 : f32
            memref.store %t3, %y[%i3] : memref<9223372036854775807xf32, strided<[1]>>
          }
          %next = arith.addi %first, %c1 : index
          %rest = arith.subi %threads, %next : index
          scf.for %i = %rest to %c1022 step %threads {
            %v = memref.load %x[%i] : memref<9223372036854775807xf32, strided<[1]>>
            %t = arith.negf %v : f32
            memref.store %t, %y[%i] : memref<9223372036854775807xf32, strided<[1]>>
          }
          gpu.return
        }
      }
      func.func @negate(%x: memref<1022xf32>, %y: memref<1022xf32>) {
        %c4 = arith.constant 4 : index
        %c256 = arith.constant 256 : index
        %c1 = arith.constant 1 : index
        %c15 = arith.constant 15 : index
        %c0 = arith.constant 0 : index
        %ax = memref.extract_aligned_pointer_as_index %x : memref<1022xf32> -> index
        %ay = memref.extract_aligned_pointer_as_index %y : memref<1022xf32> -> index
        %both = arith.ori %ax, %ay : index
        %odd = arith.andi %both, %c15 : index
        %aligned = arith.cmpi eq, %odd, %c0 : index
        scf.if %aligned {
          %xp = memref.reinterpret_cast %x to offset: [0], sizes: [1], strides: [1] : memref<1022xf32> to memref<1xf32>
          %yp = memref.reinterpret_cast %y to offset: [0], sizes: [1], strides: [1] : memref<1022xf32> to memref<1xf32>
          gpu.launch_func @kernels::@negate_kernel_0_x4 blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%xp : memref<1xf32>, %yp : memref<1xf32>)
        } else {
          %xp = memref.reinterpret_cast %x to offset: [0], sizes: [1], strides: [1] : memref<1022xf32> to memref<1xf32>
          %yp = memref.reinterpret_cast %y to offset: [0], sizes: [1], strides: [1] : memref<1022xf32> to memref<1xf32>
          gpu.launch_func @kernels::@negate_kernel_0 blocks in (%c4, %c1, %c1) threads in (%c256, %c1, %c1) args(%xp : memref<1xf32>, %yp : memref<1xf32>)
        }
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ScheduleWhileLoops
    : Pass<"tally-schedule-while-loops", "::mlir::ModuleOp"> {
  let summary = "Run loops that the host would wait for in one block";
  let description = [{
    Where memory of the device decides whether a `scf.while` goes round again, the
    host would wait in each iteration. A loop of kernels, copies, single accesses
    and branches becomes one kernel of one block instead, in which each of these
    is done by all threads, which meet before the next one. The predicate is read
    by the threads themselves.

    - A carried buffer has one place for all iterations. What the loop allocates
      is allocated before it: sizes must follow from what is known there, and a
      carry must keep its size. Where that is not certain, the host compares sizes
      before the loop.
    - An iteration may have at most 32768 points of kernels; expensive ones count
      several times. Where sizes are not known, the host decides before the loop
      which one runs: the kernel, or the loop as it was.
    - A thread for which an assert fails tells it in shared memory; the other
      threads do nothing more, and leave the loop.

    What calls the runtime, such as a matmul, and loops in the loop stay on the
    host. Who frees a buffer has been decided before. Runs on a module, which gets
    the kernels.

    Input:
    ```mlir
    func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
      %c4 = arith.constant 4 : index
      %init = memref.alloc() : memref<4xf32>
      memref.copy %x, %init : memref<4xf32> to memref<4xf32>
      %r = scf.while (%a = %init) : (memref<4xf32>) -> memref<4xf32> {
        %c0 = arith.constant 0 : index
        %one = arith.constant 1.0 : f32
        %first = memref.load %a[%c0] : memref<4xf32>
        %p = arith.cmpf ogt, %first, %one : f32
        scf.condition(%p) %a : memref<4xf32>
      } do {
      ^bb0(%a: memref<4xf32>):
        %next = memref.alloc() : memref<4xf32>
        tally.kernel(%c4) ins(%a : memref<4xf32>) outs(%next : memref<4xf32>) {
        ^bb1(%in: tensor<4xf32>, %out: tensor<4xf32>):
          %s = linalg.generic {
              indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
              iterator_types = ["parallel"], tally.dims = array<i64: 0>}
              ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
          ^bb2(%e: f32, %unused: f32):
            %root = math.sqrt %e : f32
            linalg.yield %root : f32
          } -> tensor<4xf32>
          tally.yield %s : tensor<4xf32>
        }
        memref.dealloc %a : memref<4xf32>
        scf.yield %next : memref<4xf32>
      }
      return %r : memref<4xf32>
    }
    ```

    The kernel is then
    ```
    scf.while : () -> () {
      %first = memref.load %a[%c0] : memref<4xf32>
      %p = arith.cmpf ogt, %first, %one : f32
      scf.condition(%p)
    } do {
      gpu.barrier
      scf.for %i = ... {
        ...
        memref.store %root, %next[%i] : memref<?xf32>
      }
      gpu.barrier
      scf.for %i = %thread to %c4 step %c512 {
        %e = memref.load %next[%i] : memref<4xf32>
        memref.store %e, %a[%i] : memref<4xf32>
      }
      gpu.barrier
      scf.yield
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::tally::TallyDialect"
  ];
}

def ScheduleLoops : Pass<"tally-schedule-loops", "::mlir::ModuleOp"> {
  let summary = "Divide loops over elements among the threads of a GPU";
  let description = [{
    A nest of loops that carry nothing becomes a kernel, before
    `tally-place-on-device` would run it in one thread:

    - The loops whose iterations do not access what another one writes, as
      `tally-parallelize-loops` finds them, are the points of the kernel, whatever
      loops are around them. A thread takes a point, and runs the other loops
      there in their order (`_loop`).
      Where there are no others, the iterations of the innermost loop are columns,
      and a row has a team of up to 128 threads, or several. A thread takes four
      columns of its row at once, that are as far apart as the team has threads:
      what they have in common, such as the place of a row, is read once, and what
      they read at the indices of loops is read before anything is asserted or
      written.
    - Where there are others, and the one write combines an element with an
      integer of 32 or 64 bits by a sum, an extremum or bits, all iterations are
      points, and the update is atomic (`_atomics`): the order does not matter.
      Up to 16 KiB of elements that many iterations write are combined in shared
      memory first, by each block (`_tables`).
    - Else, where all accesses of the one buffer that is written are at the same
      indices, as in scatters, iterations are sorted by these if there are many:
      a kernel computes a key for each (`_keys`), `tally-schedule-sort` sorts
      them, without a change of the order of what is equal, and threads run what
      is at one element, a warp where there are as many columns. If each
      iteration writes its element anew, they run the last one (`_last`). Sums
      and the like that nothing else happens in are carried in a register
      (`_sums`): up to 128 values of an element in the order of the program;
      more in parts that end at multiples of 128 of the sorted iterations, and
      these in parts of 128 as well (`_joins`), until there is one, to which the
      element is added. Other bodies are run one after the other (`_runs`). A
      block does all of this for a row of up to 1024 iterations that update up to
      32768 elements (`_blocks`).
    - If there are at most 64 iterations, or 1024 where there are 65536 points, a
      point has several threads (`_owners`). Each owns the elements whose indices
      have its number as a hash. It goes through all indices, in the order of the
      program, and runs the iterations that write its elements. There are up to
      128 owners, as long as there are fewer than 65536 threads.

    So what a scatter leaves in an element is that of the program, and the order
    of a sum depends on nothing but the indices. Where the caller allows any
    order (`tally.any_order`), the host chooses another form of two kinds of
    scatters: all iterations are points, and sums of f32 or f64 into at least 160
    elements, or of at most 512 iterations, are atomic (`_atomics`), or elements are written anew by an atomic
    write each, of which any may stay (`_any`).

    Other loops are left as they are. Runs on a module, which gets the kernels.

    Input:
    ```mlir
    func.func @main(%x: memref<?xf32>, %at: memref<?xindex>, %n: index) -> memref<?xf32> {
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
    ```

    In the kernel of owners this is
    ```
    scf.for %number = %first to %total step %threads {
      %owner = arith.divui %number, %points : index
      scf.for %i = %c0 to %n step %c1 {
        %to = memref.load %at[%i] : memref<?xindex, strided<[1]>>
        %hash = arith.muli %to, %factor : index
        ...
        %isMine = arith.cmpi eq, %scaled, %owner : index
        scf.if %isMine {
          %v = memref.load %x[%i] : memref<?xf32, strided<[1]>>
          memref.store %v, %y[%to] : memref<?xf32, strided<[1]>>
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::tally::TallyDialect"
  ];
}

def ScheduleSort : Pass<"tally-schedule-sort", "::mlir::ModuleOp"> {
  let summary = "Make kernels that sort";
  let description = [{
    A `tally.sort` on buffers becomes kernels that order unsigned keys, which are
    made of the bits of elements, and the places of these. It is stable, and the
    same whatever the order of threads. From the real sizes the host chooses:

    - a row of up to 32 elements belongs to a warp, whose lanes count which
      elements come before theirs;
    - a row of up to 4096 elements, or 2048 of 64 bits, belongs to a block, which
      orders it in shared memory by one digit of 8 bits after the other;
    - if one element of rows of more than 256 is asked for, or no more than the
      first 512, the key of the last one is found digit by digit, from the highest
      on: it follows from how many elements have each digit. What comes before it
      is put in order at the end. Rows belong to a block each; if they are few and
      long, blocks count the digits of tiles, or keep the first elements of
      tiles, until these are one tile;
    - other rows are ordered by one digit after the other in memory of the
      device: blocks count the digits of tiles, warps sum up the counts of more
      than 4 tiles, and blocks move the elements of their tiles.

    Runs on a module, which gets the kernels.

    ```mlir
    // Before
    tally.sort ins(%x : memref<?x1000xf32>) values(%v : memref<?x1000xf32>) dim 1
    ```
    In host code this is then
    ```
    gpu.launch_func @kernels::@main_sort_block_x4 blocks in (%rows, %c1, %c1) threads in (%c256, %c1, %c1) args(...)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def LiftLoopNumbers : Pass<"tally-lift-loop-numbers"> {
  let summary = "Have the host compute the numbers that end a loop";
  let description = [{
    PyTorch's loops count with tensors, which are in memory of the device: the
    host would wait in each iteration for whether there is another one. Where that
    follows from integers without dimensions that the loop carries, and each of
    them from such ones and from what is outside of the loop, the host computes
    them itself. What is outside is read once, before the loop. Kernels of the
    loop get the numbers as arguments.

    ```mlir
    // Before
    func.func @repeat(%zero: tensor<i64>, %n: tensor<i64>, %a: tensor<?xf32>) -> tensor<?xf32> {
      %one = arith.constant 1 : i64
      %r:2 = scf.while (%i = %zero, %x = %a) : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>) {
        %count = tensor.extract %i[] : tensor<i64>
        %end = tensor.extract %n[] : tensor<i64>
        %p = arith.cmpi slt, %count, %end : i64
        scf.condition(%p) %i, %x : tensor<i64>, tensor<?xf32>
      } do {
      ^bb0(%i: tensor<i64>, %x: tensor<?xf32>):
        %count = tensor.extract %i[] : tensor<i64>
        %sum = arith.addi %count, %one : i64
        %next = tensor.from_elements %sum : tensor<i64>
        %y = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
        scf.yield %next, %y : tensor<i64>, tensor<?xf32>
      }
      return %r#1 : tensor<?xf32>
    }
    // After
    func.func @repeat(%zero: tensor<i64>, %n: tensor<i64>, %a: tensor<?xf32>) -> tensor<?xf32> {
      %one = arith.constant 1 : i64
      %start = tensor.extract %zero[] : tensor<i64>
      %end = tensor.extract %n[] : tensor<i64>
      %r:2 = scf.while (%i = %start, %x = %a) : (i64, tensor<?xf32>) -> (i64, tensor<?xf32>) {
        %p = arith.cmpi slt, %i, %end : i64
        scf.condition(%p) %i, %x : i64, tensor<?xf32>
      } do {
      ^bb0(%i: i64, %x: tensor<?xf32>):
        %next = arith.addi %i, %one : i64
        %y = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
        scf.yield %next, %y : i64, tensor<?xf32>
      }
      return %r#1 : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def LiftCounters : Pass<"tally-lift-counters"> {
  let summary = "Make scans of numbers that loops count with";
  let description = [{
    Loops over elements may count what they have met, to know where the next
    element goes, or comes from: `masked_scatter` does, and the runs of
    `unique_consecutive`. A number that a nest carries, and to which each
    iteration adds what depends on nothing that is carried, becomes a
    `tally.prefix_scan` of what is added. Then the iterations do not depend on
    each other, so that threads can share them. The number at the end must not
    be used.

    ```mlir
    // Before
    func.func @number(%steps: tensor<?xi64>, %x: tensor<?xi64>, %n: index) -> tensor<?xi64> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i64
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %zero) -> (tensor<?xi64>, i64) {
        %step = tensor.extract %steps[%i] : tensor<?xi64>
        %next = arith.addi %k, %step : i64
        %b = tensor.insert %next into %a[%i] : tensor<?xi64>
        scf.yield %b, %next : tensor<?xi64>, i64
      }
      return %r#0 : tensor<?xi64>
    }
    // After
    func.func @number(%steps: tensor<?xi64>, %x: tensor<?xi64>, %n: index) -> tensor<?xi64> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i64
      %e = tensor.empty(%n) : tensor<?xi64>
      %added = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xi64>) {
      ^bb0(%out: i64):
        %i = linalg.index 0 : index
        %step = tensor.extract %steps[%i] : tensor<?xi64>
        linalg.yield %step : i64
      } -> tensor<?xi64>
      %size = tensor.dim %added, %c0 : tensor<?xi64>
      %f = tensor.empty(%size) : tensor<?xi64>
      %sums = tally.prefix_scan ins(%added : tensor<?xi64>) outs(%f : tensor<?xi64>) starts(%zero : i64) dim 0 associative {
      ^bb0(%index: index, %value: i64):
        %total = tally.accumulate %value : i64 {
        ^bb0(%left: i64, %right: i64):
          %sum = arith.addi %left, %right : i64
          tally.yield %sum : i64
        }
        tally.yield %total : i64
      } -> tensor<?xi64>
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %zero) -> (tensor<?xi64>, i64) {
        %step = tensor.extract %steps[%i] : tensor<?xi64>
        %sum = tensor.extract %sums[%i] : tensor<?xi64>
        %next = arith.addi %zero, %sum : i64
        %b = tensor.insert %next into %a[%i] : tensor<?xi64>
        scf.yield %b, %k : tensor<?xi64>, i64
      }
      return %r#0 : tensor<?xi64>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def LowerNonzeroForGPU : Pass<"tally-lower-nonzero-for-gpu"> {
  let summary = "Find elements that are not zero in parallel";
  let description = [{
    A `tally.nonzero` counts tile by tile, reads the total, allocates the result
    and writes it. The size of the result lives on the host, so the host waits
    once: that is the `tensor.extract`. A `tally.masked_select` is a `tally.nonzero`
    of its mask, and looks up the elements. Runs in place of the loops that
    `tally-lower-data-dependent` would make.

    ```mlir
    // Before
    %r = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
    // After
    %before = tally.count_nonzero ins(%x : tensor<?xf32>) outs(%e : tensor<?xi64>) tile 1024 -> tensor<?xi64>
    %total = tensor.extract %before[%tiles] : tensor<?xi64>
    %n = arith.index_cast %total : i64 to index
    %rows = tensor.empty(%n) : tensor<?x1xi64>
    %r = tally.write_nonzero ins(%x, %before : tensor<?xf32>, tensor<?xi64>) outs(%rows : tensor<?x1xi64>) tile 1024 -> tensor<?x1xi64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

#endif // TALLY_CODEGEN_SCHEDULEGPU_PASSES
