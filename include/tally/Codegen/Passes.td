//===- Passes.td - Passes from checked IR to LLVM ----------*- tablegen -*-===//

#ifndef TALLY_CODEGEN_PASSES
#define TALLY_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

def LowerCustomCalls : Pass<"tally-lower-custom-calls"> {
  let summary = "Makes room for the results of foreign functions";
  let description = [{
    A `tally.custom_call` becomes a `tally.foreign_call` whose outputs have the
    sizes that it declares as bounds, and a result the part of its output that
    the function says it has filled.

    ```mlir
    // Before
    %y = tally.custom_call @keep(%x) bounds(%most) : (tensor<?xf32>) -> tensor<?xf32>
    // After
    %room = bufferization.alloc_tensor(%most) : tensor<?xf32>
    %all, %size = tally.foreign_call @keep ins(%x : tensor<?xf32>) outs(%room : tensor<?xf32>)
        is_number [false] -> (tensor<?xf32>) sizes(index)
    %y = tensor.extract_slice %all[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def DescribeEntries : Pass<"tally-describe-entries", "::mlir::ModuleOp"> {
  let summary = "Collects what a compiled library tells of its entry points";
  let description = [{
    Moves the signature of every public function, as the user knows it, into one
    attribute that nothing on the way to LLVM touches: names, tensor types,
    symbolic shapes, the size table, and which results are written back. Tensor
    arguments are marked as not writable, or bufferization would update the
    caller's memory in place. An argument that is a stride or an offset of another
    one (`tally.hidden`) is described as that: callers do not see it. A type that
    cannot be passed through the C interface is an error.

    ```mlir
    // Before
    func.func @main(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
        attributes {tally.symbols = #tally.symbols<s0>} {
      return %x : tensor<?xf32>
    }
    // After
    func.func @main(%x: tensor<?xf32> {bufferization.writable = false}) -> tensor<?xf32>
        attributes {tally.entry = {arguments = [{name = "arg0", shape = ["s0"], type = tensor<?xf32>} ],
                                   results = [{name = "out0", shape = ["?"], type = tensor<?xf32>} ],
                                   symbols = #tally.symbols<s0>}} {
      return %x : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::tally::TallyDialect"];
}

def EraseAnnotations : Pass<"tally-erase-annotations", "::mlir::ModuleOp"> {
  let summary = "Drops symbols and assumptions and reads constants in";
  let description = [{
    The facts have done their work: `tally.symbol` becomes its operand and
    `tally.assume` goes. A `tally.constant` becomes a constant with the elements
    from its data file, which is mapped, not copied. A relative path starts at
    `data-directory`, or at the folder of the file that the operation was read
    from.

    ```mlir
    // Before
    %s0 = tally.symbol "s0" = %d : index
    %w = tally.constant "weights.bin" [0] : tensor<2x2xf32>
    %e = tensor.empty(%s0) : tensor<?xf32>
    // After
    %w = arith.constant dense_resource<tally_constant_0> : tensor<2x2xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"dataDirectory", "data-directory", "std::string", "\"\"",
           "where relative paths of data files start">
  ];
}

def DecomposeTensorOps
    : Pass<"tally-decompose-tensor-ops", "::mlir::func::FuncOp"> {
  let summary = "Breaks up tensor operations that cannot be bufferized";
  let description = [{
    `tensor.concat` becomes insertions of its operands, and operations of linalg
    that stand for several, such as `linalg.softmax`, become these. Arithmetic on
    whole tensors becomes structured operations, a selection of one of two
    tensors, whose sizes may differ, a branch, and so do `scf.index_switch` and
    `cf.switch` with tensors. `tensor.gather` and `tensor.scatter` become loops
    that read one coordinate after the other.
    `tally.hold` has served: nothing moves accesses from here on.

    ```mlir
    // Before
    %r = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    // After
    %e = tensor.empty(%n) : tensor<?xf32>
    %0 = tensor.insert_slice %x into %e[0] [%dx] [1] : tensor<?xf32> into tensor<?xf32>
    %r = tensor.insert_slice %y into %0[%dx] [%dy] [1] : tensor<?xf32> into tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseElementwise : Pass<"tally-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Computes elements where they are read, if that is right";
  let description = [{
    Upstream's `linalg-fuse-elementwise-ops` without what makes it wrong. A
    producer that reads its init would add to it once for each iteration of a
    consumer that runs over more; the init becomes an input of it first. An init
    is replaced by a `tensor.empty` only where no element of it stays as it is:
    a reduction over nothing, or a loop that writes a diagonal, keeps it. A copy
    of a part is no copy of everything. Nothing is fused into a loop that
    would compute it again in every iteration, and no operation gets the static
    sizes of a `tensor.cast` behind it, which may be right by an assert between
    the two.

    ```mlir
    // Before
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%y : tensor<?xf32>) outs(%sum : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %a = arith.addf %out, %in : f32
      linalg.yield %a : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x?xf32>
    // After
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                                          affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%y, %sum : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%in: f32, %start: f32, %out: f32):
      %a = arith.addf %start, %in : f32
      linalg.yield %a : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
  ];
}

def KeepInits : Pass<"tally-keep-inits", "::mlir::func::FuncOp"> {
  let summary = "Has bufferization keep what loops do not write";
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
  let description = [{
    Bufferization takes an init that the body of a structured operation does not
    read for overwritten: where it cannot write in place, it allocates memory
    without contents. But a reduction over nothing, or a loop that writes a
    diagonal, leaves elements as they are. The body gets a cast of such an init
    that nothing uses, and that the canonicalizer erases; it has to run right
    before bufferization.

    What `scf.while` carries has the strides of its init, and bufferization cannot
    allocate a buffer with strides for what the body yields. A loop that starts
    with a slice starts with a copy of it.

    ```mlir
    // Before
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                         iterator_types = ["reduction"]}
        ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<f32>
    // After
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                         iterator_types = ["reduction"]}
        ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %read = builtin.unrealized_conversion_cast %out : f32 to f32
      linalg.yield %in : f32
    } -> tensor<f32>
    ```
  }];
}

def OrderLoops : Pass<"tally-order-loops", "::mlir::func::FuncOp"> {
  let summary = "Makes the innermost loop the one that walks through memory";
  let description = [{
    Where the inner loops of a `linalg.generic` are reductions, but everything
    it reads and writes lies along a parallel dimension, that dimension becomes
    the innermost: a product of matrices then updates a row of the result at a
    time, which LLVM vectorises. The order in which an element is summed up does
    not change.

    ```mlir
    // Before
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %sum: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %sum, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    // After
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (k, j)>, affine_map<(i, k, j) -> (i, j)>],
        iterator_types = ["parallel", "reduction", "parallel"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %sum: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %sum, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def RecognizeMatmul : Pass<"tally-recognize-matmul", "::mlir::func::FuncOp"> {
  let summary = "Finds products of matrices that a library computes";
  let description = [{
    A structured operation that multiplies two tensors and sums over one
    dimension, with one dimension of its own for each of them and leading ones
    that all share, becomes `tally.matmul`. Swapped dimensions are found in the
    indexing maps, and where another operation swaps them. Where one matrix is
    used for all batches, these are more rows. A product of f16 or bf16 that is
    rounded to its type at once is computed in it, with sums in f32; other
    operands are converted to the type of the sum first. What a sum starts with is
    added to the product. Products of integers stay as they are.

    Input:
    ```mlir
    func.func @linear(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @linear(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %m = tensor.dim %e, %c0 : tensor<?x?xf32>
      %n = tensor.dim %e, %c1 : tensor<?x?xf32>
      %c = tensor.empty(%m, %n) : tensor<?x?xf32>
      %r = tally.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>)
                        outs(%c : tensor<?x?xf32>) {transpose_b} -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

//===----------------------------------------------------------------------===//
// On buffers
//===----------------------------------------------------------------------===//

def ExpandMemRefOps : Pass<"tally-expand-memref-ops"> {
  let summary = "Expands memref operations that upstream does not lower well";
  let description = [{
    `memref.expand_shape` becomes a `memref.reinterpret_cast`
    (`expand-strided-metadata` of MLIR 22.1 crashes where a group has two dynamic
    sizes), and a `memref.copy` between buffers of which one has gaps becomes a
    loop, as LLVM has no other lowering for it than a call into a library that
    copies element by element.

    ```mlir
    // Before
    %e = memref.expand_shape %m [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
    // After
    %base, %offset, %size, %stride = memref.extract_strided_metadata %m : memref<?xf32> -> memref<f32>, index, index, index
    %e = memref.reinterpret_cast %base to offset: [0], sizes: [%a, %b], strides: [%b, 1] : memref<f32> to memref<?x?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def PlaceOnDevice : Pass<"tally-place-on-device", "::mlir::ModuleOp"> {
  let summary = "Frees host code of accesses to memory of the device";
  let description = [{
    Every memref of a function is memory of the device, which host code cannot
    touch. Structured operations on memrefs that are left, and copies between
    buffers with gaps, become `tally.kernel`; other copies are calls of the
    runtime later. The outermost loops and branches whose whole content one
    thread can run become a kernel of one thread; what they result in comes back
    through memory. Any other load becomes a `tally.read_back`. Loops around
    kernels and allocations stay on the host. Operands of `tally.matmul` that no
    library takes as they lie in memory are copied. What uses memory in another
    way is an error. What is allocated here is freed here: runs when buffers have
    been deallocated.

    Input:
    ```mlir
    func.func @main(%x: memref<?xindex>, %y: memref<4xindex>, %total: memref<index>, %n: index) -> index {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%i] : memref<?xindex>
        memref.store %i, %y[%v] : memref<4xindex>
      }
      %count = memref.load %total[] : memref<index>
      return %count : index
    }
    ```

    Output:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @main_thread(%px: memref<1xindex>, %py: memref<1xindex>, %n: index, %dx: index) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %x = memref.reinterpret_cast %px to offset: [0], sizes: [%dx], strides: [1] : memref<1xindex> to memref<?xindex, strided<[1]>>
          %y = memref.reinterpret_cast %py to offset: [0], sizes: [4], strides: [1] : memref<1xindex> to memref<4xindex, strided<[1]>>
          scf.for %i = %c0 to %n step %c1 {
            %v = memref.load %x[%i] : memref<?xindex, strided<[1]>>
            memref.store %i, %y[%v] : memref<4xindex, strided<[1]>>
          }
          gpu.return
        }
      }
      func.func @main(%x: memref<?xindex>, %y: memref<4xindex>, %total: memref<index>, %n: index) -> index {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %px = memref.reinterpret_cast %x to offset: [0], sizes: [1], strides: [1] : memref<?xindex> to memref<1xindex>
        %dx = memref.dim %x, %c0 : memref<?xindex>
        %py = memref.reinterpret_cast %y to offset: [0], sizes: [1], strides: [1] : memref<4xindex> to memref<1xindex>
        gpu.launch_func @kernels::@main_thread blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
            args(%px : memref<1xindex>, %py : memref<1xindex>, %n : index, %dx : index)
        %count = tally.read_back %total[] : memref<index>
        return %count : index
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def LowerDeallocations : Pass<"tally-lower-deallocations"> {
  let summary = "Decides in straight-line code which buffers are freed";
  let description = [{
    A memref of `bufferization.dealloc` is freed where its condition holds and
    its allocation is neither retained nor freed already under another name. What
    is retained is owned from then on where a memref that was owned lies in the
    same allocation. Pointers are compared in place, there is no helper function
    and no list in memory, and only with what is retained and values flow between:
    what a call gives, or an allocation, is none that was there before. A buffer
    has one owner, unless it is two results of one call. One that is compared with
    none is freed behind its last use. Runs after
    `ownership-based-buffer-deallocation`.

    ```mlir
    // Before
    %owned = bufferization.dealloc (%a : memref<?xf32>) if (%c) retain (%r : memref<?xf32>)
    // After
    %same = arith.cmpi eq, %pa, %pr : index
    %owned = arith.andi %c, %same : i1
    %other = arith.xori %same, %true : i1
    %free = arith.andi %c, %other : i1
    scf.if %free {
      memref.dealloc %a : memref<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def AddMatmulFallbacks
    : Pass<"tally-add-matmul-fallbacks", "::mlir::ModuleOp"> {
  let summary = "Gives products of matrices a kernel of their own";
  let description = [{
    Where there is no library at run time, a `tally.matmul` is computed by a plain
    kernel: a thread for each element, with a sum over f32, or f64. Products of
    the same type and transpositions share one. Its parameters are those that
    `tally_rt_matmul` passes: a, b, c, batch, m, n, k, lda, ldb, ldc, stride_a,
    stride_b, stride_c.

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

def LowerMatmul : Pass<"tally-lower-matmul", "::mlir::ModuleOp"> {
  let summary = "Makes products of matrices calls of the runtime";
  let description = [{
    A `tally.matmul` becomes a call of `tally_rt_matmul` with a description of the
    three batches of matrices on the stack. Needs `tally-add-context` and
    `tally-add-matmul-fallbacks`.

    ```mlir
    // Before
    tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
        {fallback = @kernels::@matmul_f32_nn}
    // After
    %kernel = tally.kernel_address @kernels::@matmul_f32_nn : !llvm.ptr
    %status = func.call @tally_rt_matmul(%ctx, %arguments, %kernel) {tally.status}
        : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::tally::TallyDialect"
  ];
}

def ScheduleCompaction
    : Pass<"tally-schedule-compaction", "::mlir::ModuleOp"> {
  let summary = "Makes kernels that count and write rows";
  let description = [{
    A `tally.count_nonzero` becomes two kernels: in the first every warp counts
    one tile by ballots of 32 elements, in the second one block sums the counts
    up. A `tally.write_nonzero` becomes one kernel that takes the ballots again
    and writes the row of every element to its place.

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

def PlanArena : Pass<"tally-plan-arena", "::mlir::func::FuncOp"> {
  let summary = "Makes one allocation of many";
  let description = [{
    Buffers that a function allocates and frees in its outermost block, between
    two checks, become parts of one allocation, if their sizes can be computed
    where the first of them is made. Buffers of the same size that are not used
    at the same time share a part. Sums and products are checked: what does not
    fit asks for -1 bytes, which the runtime refuses. What a function returns
    keeps an allocation of its own. Runs when buffers have been deallocated; a
    buffer may be shared as soon as its last use has been launched, because
    kernels run in order.

    ```mlir
    // Before
    %a = memref.alloc(%n) : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    // After
    %arena = memref.alloc(%bytes) {alignment = 256 : i64} : memref<?xi8>
    %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
    %b = memref.view %arena[%offset][%n] : memref<?xi8> to memref<?xf32>
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    memref.dealloc %arena : memref<?xi8>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def AddContext : Pass<"tally-add-context", "::mlir::ModuleOp"> {
  let summary = "Gives every function the call context as its first argument";
  let description = [{
    Compiled code has no global state: memory and errors of a call belong to the
    context that the caller passes, and that every function passes on.

    ```mlir
    // Before
    func.func @main(%x: memref<?xf32>) {
      call @helper(%x) : (memref<?xf32>) -> ()
      return
    }
    func.func private @helper(memref<?xf32>)
    // After
    func.func @main(%ctx: !llvm.ptr, %x: memref<?xf32>) {
      call @helper(%ctx, %x) : (!llvm.ptr, memref<?xf32>) -> ()
      return
    }
    func.func private @helper(!llvm.ptr, memref<?xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def OutlineParallel : Pass<"tally-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Runs outer parallel loops through the runtime";
  let description = [{
    The body of every outermost `scf.parallel` without reductions becomes a
    function that runs a range of its iterations and returns a status, and the
    loop becomes a call of `tally_rt_parallel_for`. All dimensions but the last
    are one range; the last stays a loop in the body, which LLVM vectorises.
    What the body uses from outside travels in a struct on the caller's stack;
    constants are cloned. Loops that do the same on what they use share a
    function. The grain is computed from the work of one iteration, so that a
    small loop never leaves its thread. Needs `tally-add-context`.

    ```mlir
    // Before
    scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
      memref.store %v, %x[%i, %j] : memref<?x?xf32>
    }
    // After: the call
    %status = func.call @tally_rt_parallel_for(%ctx, %c0, %m, %grain, %body, %data) {tally.status}
        : (!llvm.ptr, index, index, index, !llvm.ptr, !llvm.ptr) -> i32
    // After: the function main_parallel_0(%ctx, %begin, %end, %data) -> i32
    scf.for %i = %begin to %end step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        memref.store %v, %x[%i, %j] : memref<?x?xf32>
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"
  ];
  let options = [
    Option<"work", "work", "int64_t", "32768",
           "operations that make a chunk worth another thread">
  ];
}

def HardenArith : Pass<"tally-harden-arith"> {
  let summary = "Makes arithmetic total and rounding strict";
  let description = [{
    Integer division by zero, and of the smallest number by -1, ends a process on
    most machines. A divisor that is not known to be harmless is asserted not to
    be zero, and the quotient by -1 becomes a negation, which wraps. Runs on
    scalars, in loops. Conversions between floats lose `contract`, with which
    `arith-emulate-unsupported-floats` marks those it inserts: folding them away
    would round f16 and bf16 less often than the program does.

    ```mlir
    // Before
    %q = arith.divui %a, %b : i64
    // After
    %ok = arith.cmpi ne, %b, %c0 : i64
    tally.assert %ok message("integer division by zero")
    %q = arith.divui %a, %b : i64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::tally::TallyDialect"
  ];
  let options = [
    Option<"divisions", "divisions", "bool", "true",
           "harden divisions; without it, only roundings are made strict">
  ];
}

def ExpandFloats : Pass<"tally-expand-floats"> {
  let summary = "Expands what upstream rounds or orders differently";
  let description = [{
    `arith.maximumf` and `arith.minimumf` become the intrinsics of LLVM, for which
    -0 is below +0; the comparisons of `arith-expand` give either of two zeros.

    Not every processor converts integers and doubles to f16 and bf16, and not
    every system's run-time library has the functions that LLVM calls instead
    (`__truncsfbf2` came with GCC 13). An integer goes through f32, as in LLVM's
    own expansion and in PyTorch. A double is rounded to an odd f32 first, so
    that the two roundings give what one would. Runs last before
    `arith-expand`: the canonicalizer folds the two steps of an integer again.

    ```mlir
    // Before
    %h = arith.sitofp %n : i32 to bf16
    // After
    %f = arith.sitofp %n : i32 to f32
    %h = arith.truncf %f : f32 to bf16
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"
  ];
}

def ConvertForeignCalls : Pass<"tally-convert-foreign-calls", "::mlir::ModuleOp"> {
  let summary = "Calls foreign functions through the C interface";
  let description = [{
    A `tally.foreign_call` on buffers becomes a call of `tally_rt_custom_call`,
    which calls the function with `DLTensor`s on the stack, checks the sizes that
    it has written and gives a status. The function is declared; code in memory
    finds it in a library that was loaded, a compiled library when it is linked.

    ```mlir
    // Before
    %n = tally.foreign_call @count ins(%x : memref<?xf32>) is_number [true] numbers(i64)
    // After
    %status = func.call @tally_rt_custom_call(%ctx, %record, %count, %arguments, %one, %results, %one)
        {tally.status} : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32
    %n = llvm.load %number : !llvm.ptr -> i64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerAsserts : Pass<"tally-lower-asserts", "::mlir::ModuleOp"> {
  let summary = "Turns asserts into branches to cold blocks";
  let description = [{
    Runs when loops have become branches. Every function gets a status as its
    first result. An assert that fails branches to a block of its own that stores
    the values it reports, and computes what only the report needs, so that a
    call that succeeds pays for a comparison and a branch; a block that all
    share calls `tally_rt_fail` and returns. A call, and an allocation, that
    fails returns its status. What the asserts have to tell is serialised into
    one table of the module, which only the failing path reads. An error path
    releases nothing: memory belongs to the call.

    ```mlir
    // Before
    func.func @f(%ctx: !llvm.ptr, %ok: i1, %a: index) {
      tally.assert %ok, <s0 == 2> (s0 = %a : index)
      return
    }
    // After
    func.func @f(%ctx: !llvm.ptr, %ok: i1, %a: index) -> i32 {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %room = llvm.alloca %one x i64 : (i32) -> !llvm.ptr
      cf.cond_br %ok, ^next, ^report
    ^next:
      return %zero : i32
    ^report:
      %a64 = arith.index_cast %a : index to i64
      llvm.store %a64, %room : i64, !llvm.ptr
      cf.br ^cold(%zero, %one : i32, i32)
    ^cold(%which: i32, %count: i32):
      %status = call @fail(%ctx, %which, %count, %room) : (!llvm.ptr, i32, i32, !llvm.ptr) -> i32
      return %status : i32
    }
    func.func private @fail(!llvm.ptr, i32, i32, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ub::UBDialect"
  ];
}

def LowerMemory : Pass<"tally-lower-memory", "::mlir::ModuleOp"> {
  let summary = "Allocates from the call context";
  let description = [{
    `memref.alloc` becomes `tally_rt_alloc` and `memref.dealloc` becomes
    `tally_rt_free`. Sizes are multiplied with a check: a product that does not
    fit asks for -1 bytes, which the runtime refuses.

    ```mlir
    // Before
    %m = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    // After
    %p = func.call @tally_rt_alloc(%ctx, %bytes, %alignment) : (!llvm.ptr, i64, i64) -> !llvm.ptr
    ```
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def FlattenConstants : Pass<"tally-flatten-constants", "::mlir::ModuleOp"> {
  let summary = "Makes bytes of large constants";
  let description = [{
    Runs on the LLVM dialect. In LLVM a constant of more than one dimension is an
    array of arrays, each an object of its own, and one of floating point is
    written element by element. A constant of more than 1024 bytes becomes one
    array of bytes, which LLVM copies as a whole; elements are read through
    pointers, whose types do not say what is there.

    ```mlir
    // Before
    module {
      llvm.mlir.global private constant @weights(dense_resource<w> : tensor<64x512xf32>) : !llvm.array<64 x array<512 x f32>>
    }
    // After
    module {
      llvm.mlir.global private constant @weights(dense_resource<w> : tensor<131072xi8>) : !llvm.array<131072 x i8>
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerBFloats : Pass<"tally-lower-bfloats", "::mlir::ModuleOp"> {
  let summary = "Makes an i16 of every bf16 in LLVM";
  let description = [{
    Runs on the LLVM dialect, when all that is computed with bf16 is computed in
    f32 and conversions are arithmetic on integers. What is left only moves: it
    is loaded, stored, selected, returned. LLVM may move a bf16 through an f32,
    and the instruction that converts it back (`vcvtneps2bf16`) makes 0 of what
    is subnormal; an i16 keeps its bits. Attributes that describe the program,
    like `tally.entry`, keep the types of the program.

    ```mlir
    // Before
    llvm.func @main(%x: !llvm.ptr) -> bf16 {
      %y = llvm.load %x : !llvm.ptr -> bf16
      llvm.return %y : bf16
    }
    // After
    llvm.func @main(%x: !llvm.ptr) -> i16 {
      %y = llvm.load %x : !llvm.ptr -> i16
      llvm.return %y : i16
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmitEntries : Pass<"tally-emit-entries", "::mlir::ModuleOp"> {
  let summary = "Emits the C functions of a compiled library";
  let description = [{
    Runs on the LLVM dialect. Every function that `tally-describe-entries`
    described becomes local to the module and gets a C function
    `PREFIX_NAME(ctx, arguments, count, results, count)`, which leaves the
    checking and packing to the runtime, and `PREFIX_library` and `tally_library`
    give the description of all of them. An operation that is not in the LLVM
    dialect by now is an error.

    ```mlir
    // Before
    llvm.func @main(%ctx: !llvm.ptr) -> i32 attributes {tally.entry = {arguments = [], results = []}} {
      %ok = llvm.mlir.constant(0 : i32) : i32
      llvm.return %ok : i32
    }
    // After
    llvm.func internal @main(%ctx: !llvm.ptr) -> i32 {
      %ok = llvm.mlir.constant(0 : i32) : i32
      llvm.return %ok : i32
    }
    llvm.func @model_main(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32
    llvm.func @model_library() -> !llvm.ptr
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"prefix", "prefix", "std::string", "\"tally\"",
           "what the names of the C functions start with">,
    Option<"device", "device", "std::string", "\"cpu\"",
           "where the tensors of the library live: cpu or cuda">
  ];
}

include "tally/Codegen/GPUPasses.td"

#endif // TALLY_CODEGEN_PASSES
