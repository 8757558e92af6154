//===- Passes.td - Passes for programs of every target -----*- tablegen -*-===//

#ifndef TALLY_CODEGEN_COMMON_PASSES
#define TALLY_CODEGEN_COMMON_PASSES

include "mlir/Pass/PassBase.td"
include "tally/Codegen/Common/LLVMPasses.td"

def EraseAnnotations : Pass<"tally-erase-annotations", "::mlir::ModuleOp"> {
  let summary = "Drop symbols and assumptions and read constants in";
  let description = [{
    The facts have done their work: `tally.symbol` becomes its operand and
    `tally.assume` goes. A `tally.constant` becomes a constant with the elements
    from its data file, which is mapped, not copied. A relative path starts at
    `data-directory`, or at the folder of the file that the operation was read
    from. Runs on a module, in which the constants of all functions are
    numbered.

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

def NoteOperators : Pass<"tally-note-operators"> {
  let summary = "Note in locations what named operations are called";
  let description = [{
    Soon, every structured operation is a `linalg.generic`. What it was before
    stays in its location, if that tells no operator yet, so that reports about
    kernels, and profilers, say `linalg.add` to who has written that.

    ```mlir
    // Before
    %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32> loc("f.mlir":3:8)
    // After
    %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
        loc(fused<{tally.operator = "linalg.add"}>["f.mlir":3:8])
    ```
  }];
}

def DecomposeTensorOps
    : Pass<"tally-decompose-tensor-ops", "::mlir::func::FuncOp"> {
  let summary = "Break up tensor operations that cannot be bufferized";
  let description = [{
    `tensor.concat` becomes insertions of its operands, and operations of linalg
    that stand for several, such as `linalg.softmax`, become these. Arithmetic on
    whole tensors becomes structured operations, a selection of one of two
    tensors, whose sizes may differ, a branch, and so do `scf.index_switch` and
    `cf.switch` with tensors. `tensor.gather` and `tensor.scatter` become loops
    that read one coordinate after the other.
    `tally.speculation_barrier` has served: nothing moves accesses from here on.

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

def RaiseExpandShapes : Pass<"tally-raise-expand-shapes", "::mlir::func::FuncOp"> {
  let summary = "Divide dimensions before elementwise operations, not after them";
  let description = [{
    An elementwise operation whose one user divides dimensions of its result
    works on the divided ones, as what follows does: one kernel can do both.
    What adds the bias of a layer to rows of a matrix product is one kernel with
    an activation that knows batches of rows. An operation that would leave a
    kernel with a reduction, or with another operation that stays, keeps its
    dimensions.

    Input:
    ```mlir
    func.func @bias(%x: tensor<?x8xf32>, %b: tensor<8xf32>, %m: index, %n: index) -> tensor<?x?x8xf32> {
      %c0 = arith.constant 0 : index
      %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
      %e = tensor.empty(%rows) : tensor<?x8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
      ^bb0(%in: f32, %bias: f32, %out: f32):
        %s = arith.addf %in, %bias : f32
        linalg.yield %s : f32
      } -> tensor<?x8xf32>
      %d = tensor.expand_shape %r [[0, 1], [2]] output_shape [%m, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
      return %d : tensor<?x?x8xf32>
    }
    ```

    Output:
    ```mlir
    func.func @bias(%x: tensor<?x8xf32>, %b: tensor<8xf32>, %m: index, %n: index) -> tensor<?x?x8xf32> {
      %d = tensor.expand_shape %x [[0, 1], [2]] output_shape [%m, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
      %e = tensor.empty(%m, %n) : tensor<?x?x8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>,
                                            affine_map<(i, j, k) -> (i, j, k)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%d, %b : tensor<?x?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x?x8xf32>) {
      ^bb0(%in: f32, %bias: f32, %out: f32):
        %s = arith.addf %in, %bias : f32
        linalg.yield %s : f32
      } -> tensor<?x?x8xf32>
      return %r : tensor<?x?x8xf32>
    }
    ```
  }];
}

def FoldUnitDims : Pass<"tally-fold-unit-dims", "::mlir::func::FuncOp"> {
  let summary = "Drop loops of one iteration from structured operations";
  let description = [{
    Upstream's `linalg-fold-unit-extent-dims` where it is right. A loop of one
    iteration that indexes an operand together with another one, as the only
    column of a convolution does with its window, stays: without it, the window
    would seem to be as long as the operand. With `keep-pieces` so does that over
    the only column of a result that is inserted into a tensor of a few columns, as
    the real parts of complex numbers are: the result is then computed in its
    place, and `tally-join-pieces` writes all columns of a row in one pass. A
    dimension of one element that is added only to be dropped goes as well.

    Input:
    ```mlir
    func.func @sums(%x: tensor<?x1xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %in : f32
        linalg.yield %s : f32
      } -> tensor<?x1xf32>
      return %r : tensor<?x1xf32>
    }
    ```

    Output:
    ```mlir
    func.func @sums(%x: tensor<?x1xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
      %c0 = arith.constant 0 : index
      %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
      %flat_e = tensor.collapse_shape %e [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%flat : tensor<?xf32>) outs(%flat_e : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %t = arith.addf %in, %in : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      %n = tensor.dim %flat_e, %c0 : tensor<?xf32>
      %r = tensor.expand_shape %s [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
      return %r : tensor<?x1xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"keepPieces", "keep-pieces", "bool", "false",
           "what becomes a column of a narrow tensor stays one">
  ];
}

def FuseElementwise : Pass<"tally-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Compute elements where they are read, if that is right";
  let description = [{
    Upstream's `linalg-fuse-elementwise-ops` without what makes it wrong. A
    producer that reads its init would add to it once for each iteration of a
    consumer that runs over more; the init becomes an input of it first. An init
    is replaced by a `tensor.empty` only where no element of it stays as it is:
    a reduction over nothing, or a loop that writes a diagonal, keeps it. A copy
    of a part is no copy of everything. Nothing is fused into a loop that
    would compute it again in every iteration; nor is a function such as a sine
    computed again for each row of an operation that reads it for all of them.
    What several operations read is computed by each of them where it is a few
    cheap operations and reads, of as many elements as it makes, at most one
    operand of no wider type, which is in memory for others too: a difference
    from the mean of each row is one, the sum of two tensors is none.
    No operation gets the static sizes of a `tensor.cast` behind it, which may be right by an assert between
    the two. Sizes of results are computed from those of operands: they would be
    further uses of the result.

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

def OverwriteOperands : Pass<"tally-overwrite-operands", "::mlir::func::FuncOp"> {
  let summary = "Write results over operands that nobody reads later";
  let description = [{
    An elementwise operation reads each element before it writes the one at the
    same place. If an input has memory of its own that nobody needs any more,
    such as the product that a bias is added to, the result takes its place: the
    input becomes the destination, where that is a `tensor.empty`, or a reshape of
    one. Others may have read the input before, as they do with a state that is
    updated step by step. That takes less memory, and the elements are in the
    cache already. An empty tensor that is a part of another one has to be
    replaced before this pass.

    ```
    %r = linalg.generic {...} ins(%product, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>)
    // becomes
    %r = linalg.generic {...} ins(%product, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%product : tensor<?x?xf32>)
    ```
  }];
}

def KeepInits : Pass<"tally-keep-inits", "::mlir::func::FuncOp"> {
  let summary = "Have bufferization keep what loops do not write";
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
  let summary = "Make the innermost loop the one that walks through memory";
  let description = [{
    Where the inner loops of a `linalg.generic` are reductions, but everything
    it reads and writes lies along a parallel dimension, that dimension becomes
    the innermost: a matmul then updates a row of the result at a
    time, which LLVM vectorizes. Where the innermost loop is parallel, but
    everything that is read lies along the last reduction, as in the sum of the
    columns of a transposed matrix, the reduction becomes the innermost. The
    order in which an element is summed up does not change.

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

def ExpandMath : Pass<"tally-expand-math"> {
  let summary = "Expand math functions of f32 and f64 into arithmetic";
  let description = [{
    Exponentials, logarithms, `powf`, trigonometric and hyperbolic functions, their inverses,
    `erf` and `erfc` of f32 and f64, and these of vectors, become arithmetic without branches,
    which LLVM vectorizes, instead of calls of the C library, which it does not. Results are
    within 2 ulp of the exact ones for every argument, subnormal ones included, and NaN,
    infinity and signed zero give what the C library gives. Most functions of f32 are computed
    in f64, `sin` and `cos` in f32 below 12800. `sin`, `cos` and `tan` of f64 leave angles from 2^20 on to the C library. Everything
    else stays as it is.

    ```mlir
    // Before
    %y = math.exp %x : f32
    // After: n is round(x / ln 2) and r is x - n ln 2; the result is 2^n (1 + r + r^2 p(r))
    %t = arith.mulf %x, %log2e fastmath<contract> : f32
    %shifted = arith.addf %t, %magic fastmath<contract> : f32
    %n = arith.subf %shifted, %magic fastmath<contract> : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandMemRefOps : Pass<"tally-expand-memref-ops"> {
  let summary = "Expand memref operations that upstream does not lower well";
  let description = [{
    `memref.expand_shape` becomes a `memref.reinterpret_cast`
    (`expand-strided-metadata` of MLIR 22.1 crashes where a group has two dynamic
    sizes), and a `memref.copy` between buffers of which one has gaps becomes a
    loop, as LLVM has no other lowering for it than a call into a library that
    copies element by element. With `booleans`, a copy of booleans becomes a loop
    as well: a caller may pass any byte as true, and a loop writes 0 or 1.

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
  let options = [
    Option<"booleans", "booleans", "bool", /*default=*/"false",
           "copies of booleans become loops, which write 0 or 1">
  ];
}

def LowerDeallocations : Pass<"tally-lower-deallocations"> {
  let summary = "Decide in straight-line code which buffers are freed";
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

def AddContext : Pass<"tally-add-context", "::mlir::ModuleOp"> {
  let summary = "Give every function the call context as its first argument";
  let description = [{
    Compiled code has no global state: memory and errors of a call belong to the
    context that the caller passes, and that every function passes on. Runs on a
    module: a function and its calls change together.

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
  let summary = "Run outer parallel loops through the runtime";
  let description = [{
    The body of every outermost `scf.parallel` without reductions becomes a
    function that runs a range of its iterations and returns a status, and the
    loop becomes a call of `tally_rt_parallel_for`. All dimensions but the last
    are one range; the last stays a loop in the body, which LLVM vectorizes.
    What the body uses from outside travels in a struct on the caller's stack;
    constants are cloned. Loops that do the same on what they use share a
    function. The grain is computed from the work of one iteration, so that a
    small loop never leaves its thread. Needs `tally-add-context`. Runs on a
    module, which gets the functions; loops that are alike share one.

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

def HoistStackBuffers : Pass<"tally-hoist-stack-buffers", "::mlir::func::FuncOp"> {
  let summary = "Allocate buffers on the stack once for each call";
  let description = [{
    Moves every `memref.alloca` of a known size to the start of its function:
    inside of a loop, it would take more of the stack in each iteration. Runs
    when parallel loops are functions, as threads would share a buffer that is
    allocated before such a loop.

    ```mlir
    // Before
    scf.for %i = %c0 to %n step %c1 {
      %row = memref.alloca() : memref<4096xf32>
      memref.store %v, %row[%c0] : memref<4096xf32>
    }
    // After
    %row = memref.alloca() : memref<4096xf32>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %row[%c0] : memref<4096xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def LegalizeMath : Pass<"tally-legalize-math"> {
  let summary = "Expand operations of math that LLVM does not have";
  let description = [{
    Nothing converts `math.clampf`, `math.isinf`, `math.isnormal` and `math.ipowi`
    to LLVM, nor `math.fma` of bf16, which is computed in f64 and rounded once.
    Runs on scalars: `math` on tensors is a structured operation by then.

    ```mlir
    // Before
    %inf = math.isinf %x : f32
    // After
    %abs = math.absf %x : f32
    %inf = arith.cmpf oeq, %abs, %infinity : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def HardenArith : Pass<"tally-harden-arith"> {
  let summary = "Make arithmetic total and rounding strict";
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
  let summary = "Expand what upstream rounds or orders differently";
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

def LowerAsserts : Pass<"tally-lower-asserts", "::mlir::ModuleOp"> {
  let summary = "Turn asserts into branches to cold blocks";
  let description = [{
    Runs when loops have become branches. Every function gets a status as its
    first result. An assert that fails branches to a block of its own that
    stores the values it reports, and computes what only the report needs, so
    that a call that succeeds pays for a comparison and a branch; a block that
    all share calls `tally_rt_fail` and returns. A call, and an allocation, that
    fails returns its status. What the asserts have to tell is serialized into
    one table of the module, which only the failing path reads. An error path
    releases nothing: memory belongs to the call. Runs on a module: a function
    and its calls change together, and all asserts are in one table.

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
      %slot = llvm.alloca %one x i64 : (i32) -> !llvm.ptr
      cf.cond_br %ok, ^next, ^report
    ^next:
      return %zero : i32
    ^report:
      %a64 = arith.index_cast %a : index to i64
      llvm.store %a64, %slot : i64, !llvm.ptr
      cf.br ^cold(%zero, %one : i32, i32)
    ^cold(%which: i32, %count: i32):
      %status = call @fail(%ctx, %which, %count, %slot) : (!llvm.ptr, i32, i32, !llvm.ptr) -> i32
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
  let summary = "Allocate from the call context";
  let description = [{
    `memref.alloc` becomes `tally_rt_alloc` and `memref.dealloc` becomes
    `tally_rt_free`. Sizes are multiplied with a check: a product that does not
    fit asks for -1 bytes, which the runtime refuses. Runs on a module, which it
    gives the declarations of both functions; the functions of the program are
    converted in parallel.

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

def ReassociateReductions : Pass<"tally-reassociate-reductions"> {
  let summary = "Allow sums and products of reductions to be reassociated";
  let description = [{
    What adds to, or multiplies, the accumulator of a structured reduction over floats
    gets `fastmath<reassoc>`: LLVM may keep several accumulators, which vectors need
    and which makes long sums more exact. The order follows from the sizes and the
    processor, never from the number of threads. No other arithmetic is marked.

    ```mlir
    // Before
    %s = arith.addf %acc, %x : f32
    // After
    %s = arith.addf %acc, %x fastmath<reassoc> : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TALLY_CODEGEN_COMMON_PASSES
