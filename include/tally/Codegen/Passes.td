//===- Passes.td - Passes from checked IR to LLVM ----------*- tablegen -*-===//

#ifndef TALLY_CODEGEN_PASSES
#define TALLY_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

def DropChecks : Pass<"tally-drop-checks", "::mlir::func::FuncOp"> {
  let summary = "Takes asserts on trust";
  let description = [{
    Turns asserts into assumptions: all of them (`keep=none`), or all but those
    that depend on nothing but sizes of tensor arguments and scalar arguments
    (`keep=entry`). An assert without an expression just goes. A program whose
    checks were dropped has undefined behaviour where one does not hold.

    ```mlir
    // Before, with keep=none
    tally.assert %ok, <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
    // After
    tally.assume <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
    ```
  }];
  let dependentDialects = ["::tally::TallyDialect"];
  let options = [
    Option<"keep", "keep", "std::string", "\"all\"",
           "which asserts stay: all, entry or none">
  ];
}

def DescribeEntries : Pass<"tally-describe-entries", "::mlir::ModuleOp"> {
  let summary = "Collects what a compiled library tells of its entry points";
  let description = [{
    Moves the signature of every public function, as the user knows it, into one
    attribute that nothing on the way to LLVM touches: names, tensor types,
    symbolic shapes, the size table, and which results are written back. Tensor
    arguments are marked as not writable, or bufferization would update the
    caller's memory in place. A type that cannot be passed through the C
    interface is an error.

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
    whole tensors becomes structured operations.

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
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
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
// For GPUs
//===----------------------------------------------------------------------===//

def FormKernels : Pass<"tally-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Makes kernels of operations that share an iteration space";
  let description = [{
    Every `linalg.generic` on tensors becomes part of a `tally.kernel`. Those
    that run over the same dimensions become one: chains of pointwise
    operations, with what they broadcast, and reductions with what makes their
    operands and uses their results for the same rows. Two dimensions are the
    same where one operation reads what another made, or where their sizes are
    known to be equal (by what is declared, asserted and implied at that place).
    Nothing moves above an operation with an effect, so an access stays behind
    its check. Constants and fills are made where they are used.

    Input:
    ```mlir
    func.func @roots(%x: tensor<8x?xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
      %zeros = arith.constant dense<0.0> : tensor<8xf32>
      %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<8x?xf32>) outs(%zeros : tensor<8xf32>) {
      ^bb0(%v: f32, %sum: f32):
        %t = arith.addf %sum, %v : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      %roots = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%sums : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%v: f32, %unused: f32):
        %t = math.sqrt %v : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      return %roots : tensor<8xf32>
    }
    ```

    Output:
    ```mlir
    func.func @roots(%x: tensor<8x?xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
      %m = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c1 : tensor<8x?xf32>
      %empty = tensor.empty() : tensor<8xf32>
      %r = tally.kernel(%m, %n) reduces [1] ins(%x : tensor<8x?xf32>) outs(%empty : tensor<8xf32>) {
      ^bb0(%a: tensor<8x?xf32>, %o: tensor<8xf32>):
        %zeros = arith.constant dense<0.0> : tensor<8xf32>
        %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
            ins(%a : tensor<8x?xf32>) outs(%zeros : tensor<8xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
        ^bb0(%v: f32, %sum: f32):
          %t = arith.addf %sum, %v : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
        %roots = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%sums : tensor<8xf32>) outs(%o : tensor<8xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = math.sqrt %v : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
        tally.yield %roots : tensor<8xf32>
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::tally::TallyDialect"
  ];
}

def BufferizeKernels : Pass<"tally-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "One-shot bufferization that leaves the bodies of kernels alone";
  let description = [{
    Tensors become buffers with `one-shot-bufferize`, across calls; a result is
    written where it is wanted (`eliminate-empty-tensors`). A kernel gets buffers
    to read and to write, and says on tensors what it computes.

    Input:
    ```mlir
    func.func @negate(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = tally.kernel(%n) ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = arith.negf %v : f32
          linalg.yield %t : f32
        } -> tensor<?xf32>
        tally.yield %s : tensor<?xf32>
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @negate(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
      %m = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      tally.kernel(%n) ins(%x : memref<?xf32>) outs(%m : memref<?xf32>) {
      ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = arith.negf %v : f32
          linalg.yield %t : f32
        } -> tensor<?xf32>
        tally.yield %s : tensor<?xf32>
      }
      return %m : memref<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ScheduleGPU : Pass<"tally-schedule-gpu", "::mlir::ModuleOp"> {
  let summary = "Decides how kernels run on a GPU";
  let description = [{
    Every `tally.kernel` on buffers becomes a few functions for the GPU and the
    code that chooses one of them at each launch, from the real sizes and
    addresses:

    - without a reduction, every thread takes neighbouring elements, 16 bytes of
      the widest type at once where they are aligned; operands that lie along
      another dimension than the results go through squares in shared memory;
    - a row that is reduced belongs to a warp (up to 1024 elements) or to a
      block, or, where there are few long rows, to several, which leave parts
      for a second launch; partial results are exchanged with shuffles and shared
      memory;
    - where neighbours in memory are in neighbouring rows, a block takes 32 rows
      and a column of its threads each of them; short rows, and those whose
      reduction has no partial results, belong to a thread.

    What several operations of a kernel need of an element stays in registers;
    a reduction runs over its row once, and what follows reads the row again.

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
          %c4 = arith.constant 4 : index
          %c256 = arith.constant 256 : index
          %c1022 = arith.constant 1022 : index
          %x = memref.reinterpret_cast %xp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %y = memref.reinterpret_cast %yp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %block = gpu.block_id x
          %thread = gpu.thread_id x
          %before = arith.muli %block, %c256 : index
          %first = arith.addi %before, %thread : index
          %blocks = gpu.grid_dim x
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
          %rest = arith.addi %first, %c1020 : index
          scf.for %i = %rest to %c1022 step %threads {
            %v = memref.load %x[%i] : memref<9223372036854775807xf32, strided<[1]>>
            %t = arith.negf %v : f32
            memref.store %t, %y[%i] : memref<9223372036854775807xf32, strided<[1]>>
          }
          gpu.return
        }
        gpu.func @negate_kernel_0(%xp: memref<1xf32> {llvm.noalias, llvm.readonly}, %yp: memref<1xf32> {llvm.noalias})
            kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
          %c256 = arith.constant 256 : index
          %c1022 = arith.constant 1022 : index
          %x = memref.reinterpret_cast %xp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %y = memref.reinterpret_cast %yp to offset: [0], sizes: [9223372036854775807], strides: [1] : memref<1xf32> to memref<9223372036854775807xf32, strided<[1]>>
          %block = gpu.block_id x
          %thread = gpu.thread_id x
          %before = arith.muli %block, %c256 : index
          %first = arith.addi %before, %thread : index
          %blocks = gpu.grid_dim x
          %threads = arith.muli %blocks, %c256 : index
          scf.for %i = %first to %c1022 step %threads {
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

def LowerNonzeroForGPU : Pass<"tally-lower-nonzero-for-gpu"> {
  let summary = "Finds elements that are not zero in parallel";
  let description = [{
    A `tally.nonzero` counts tile by tile, reads the total, allocates the result
    and writes it. The size of the result lives on the host, so the host waits
    once: that is the `tensor.extract`. Runs in place of the loops that
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
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
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
    same allocation. Pointers are compared in place: there is no helper function,
    and no list in memory. Runs after `ownership-based-buffer-deallocation`.

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
    constants are cloned. The grain is computed from the work of one iteration,
    so that a small loop never leaves its thread. Needs `tally-add-context`.

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

def ExpandHalfConversions : Pass<"tally-expand-half-conversions"> {
  let summary = "Converts to f16 and bf16 by way of f32";
  let description = [{
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
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerAsserts : Pass<"tally-lower-asserts", "::mlir::ModuleOp"> {
  let summary = "Turns asserts into branches to one cold block per function";
  let description = [{
    Runs when loops have become branches. Every function gets a status as its
    first result. An assert branches to the function's cold block with the
    values it reports; the block calls `tally_rt_fail` and returns. A call, and
    an allocation, that fails returns its status. What the asserts have to tell
    is serialised into one table of the module, which only the failing path
    reads. An error path releases nothing: memory belongs to the call.

    ```mlir
    // Before
    func.func @f(%ctx: !llvm.ptr, %ok: i1, %a: index) {
      tally.assert %ok, <s0 == 2> (s0 = %a : index)
      return
    }
    // After
    func.func @f(%ctx: !llvm.ptr, %ok: i1, %a: index) -> i32 {
      %zero = arith.constant 0 : i32
      %a64 = arith.index_cast %a : index to i64
      cf.cond_br %ok, ^next, ^cold(%zero, %a64 : i32, i64)
    ^next:
      return %zero : i32
    ^cold(%which: i32, %value: i64):
      %status = call @fail(%ctx, %which, %value) : (!llvm.ptr, i32, i64) -> i32
      return %status : i32
    }
    func.func private @fail(!llvm.ptr, i32, i64) -> i32
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

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def AttachTarget : Pass<"tally-attach-target", "::mlir::ModuleOp"> {
  let summary = "Says which GPU the kernels are for";
  let description = [{
    Attaches an NVVM target to every `gpu.module`. The version of PTX is the
    oldest that knows the chip, so that the oldest driver can compile it. A chip
    that is not known is an error, with a list of those that are.

    ```mlir
    // Before
    gpu.module @kernels {
    }
    // After, with chip=sm_90a
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] {
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"
  ];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"",
           "the GPU that kernels are compiled for">
  ];
}

def LowerDeviceAsserts
    : Pass<"tally-lower-device-asserts", "::mlir::ModuleOp"> {
  let summary = "Turns asserts of kernels into branches to an error word";
  let description = [{
    Runs when the loops of kernels have become branches. Where a kernel of the
    program has asserts, every kernel that is launched gets one more argument, the
    last: where the kernels of a call report errors. Asserts branch to one cold
    block, where the first thread that comes stores the number of its assert and
    the values; then the thread ends, so that nothing runs with a value that the
    assert rules out. A kernel returns at once where an assert has failed before
    it: what it would read may not have been written. What the asserts have to
    tell goes into a table of its own, `tally_device_assert_table`.

    Whoever launches a kernel passes `tally.device_errors`, and every public
    function from which a launch is reached waits for the error, with
    `tally.check_device`, before it returns. Without asserts in kernels nothing
    waits.

    ```mlir
    // Before
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @k(%n: index) kernel {
          %c7 = arith.constant 7 : index
          %ok = arith.cmpi ult, %n, %c7 : index
          tally.assert %ok, <s0 < 7> (s0 = %n : index)
          gpu.return
        }
      }
      func.func @f(%n: index) {
        %c1 = arith.constant 1 : index
        gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index)
        return
      }
    }
    // After, less the table
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @k(%n: index, %errors: memref<1xi64>) kernel {
          %zero = llvm.mlir.constant(0 : i64) : i64
          %index = memref.extract_aligned_pointer_as_index %errors : memref<1xi64> -> index
          %address = arith.index_cast %index : index to i64
          %state = llvm.inttoptr %address : i64 to !llvm.ptr
          %before = llvm.load %state : !llvm.ptr -> i64
          %right = arith.cmpi eq, %before, %zero : i64
          cf.cond_br %right weights([1048576, 1]), ^body, ^return
        ^body:
          %c7 = arith.constant 7 : index
          %ok = arith.cmpi ult, %n, %c7 : index
          %number = llvm.mlir.constant(1 : i64) : i64
          %count = llvm.mlir.constant(1 : i64) : i64
          %value = arith.index_cast %n : index to i64
          cf.cond_br %ok weights([1048576, 1]), ^next, ^cold(%number, %count, %value : i64, i64, i64)
        ^next:
          gpu.return
        ^return:
          gpu.return
        ^cold(%which: i64, %length: i64, %v0: i64):
          %claim = llvm.cmpxchg %state, %zero, %which syncscope("device") monotonic monotonic : !llvm.ptr, i64
          %first = llvm.extractvalue %claim[1] : !llvm.struct<(i64, i1)>
          cf.cond_br %first, ^store, ^exit
        ^store:
          %p1 = llvm.getelementptr %state[1] : (!llvm.ptr) -> !llvm.ptr, i64
          llvm.store %length, %p1 : i64, !llvm.ptr
          %p2 = llvm.getelementptr %state[2] : (!llvm.ptr) -> !llvm.ptr, i64
          llvm.store %v0, %p2 : i64, !llvm.ptr
          cf.br ^exit
        ^exit:
          gpu.return
        }
      }
      func.func @f(%n: index) {
        %c1 = arith.constant 1 : index
        %errors = tally.device_errors : memref<1xi64>
        gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : index, %errors : memref<1xi64>)
        tally.check_device
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::tally::TallyDialect"
  ];
}

def LowerReductions
    : Pass<"tally-lower-reductions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turns reductions over threads into shuffles";
  let description = [{
    A reduction over a block becomes one over each warp, a few words of shared
    memory and one more over a warp, with barriers between; a reduction over a
    warp becomes five shuffles.

    ```mlir
    // Before
    gpu.module @kernels {
      gpu.func @k(%x: f32, %out: memref<1xf32>) kernel {
        %c0 = arith.constant 0 : index
        %sum = gpu.subgroup_reduce add %x uniform : (f32) -> f32
        memref.store %sum, %out[%c0] : memref<1xf32>
        gpu.return
      }
    }
    // After: the first step
    %width = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %other, %valid = gpu.shuffle xor %x, %one, %width : f32
    %pair = arith.addf %x, %other : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernels
    : Pass<"tally-convert-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Converts kernels to the NVVM dialect";
  let description = [{
    One conversion from everything that a kernel is made of. A memref argument is
    one pointer, an index one `i64`. Functions of mathematics become calls of
    libdevice. An operation that nothing can be made of is an error.

    ```mlir
    // Before
    gpu.module @kernels {
      gpu.func @k(%out: memref<1xindex>) kernel {
        %c0 = arith.constant 0 : index
        memref.store %c0, %out[%c0] : memref<1xindex>
        gpu.return
      }
    }
    // After
    gpu.module @kernels {
      llvm.func @k(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
        %c0 = llvm.mlir.constant(0 : index) : i64
        llvm.store %c0, %out : i64, !llvm.ptr
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def SerializeKernels
    : Pass<"tally-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Compiles kernels to machine code, or to PTX";
  let description = [{
    Every `gpu.module` with a target, in the NVVM dialect, becomes a
    `gpu.binary`. With `format=bin` that is machine code (a cubin), which `ptxas`
    makes; with `format=isa` it is PTX, which the driver compiles when the
    program runs; with `format=auto` it is machine code if there is a `ptxas`.
    This tool, and the library that functions of mathematics come from, are
    looked for in the folder that `toolkit` names and nowhere else; without the
    option in `$CUDA_HOME`, `$CUDA_PATH`, beside what is on the `PATH`, in an
    active Python environment with NVIDIA's packages, and in `/usr/local/cuda`.

    ```mlir
    // Before
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
      llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
        llvm.return
      }
    }
    // After, with format=isa
    gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, assembly = ".version 8.0 ...">]
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
  let options = [
    Option<"format", "format", "std::string", "\"auto\"",
           "auto, bin (machine code) or isa (PTX)">,
    Option<"toolkit", "toolkit", "std::string", "\"\"",
           "where the CUDA toolkit is">
  ];
}

//===----------------------------------------------------------------------===//
// On buffers of a device
//===----------------------------------------------------------------------===//

def LowerLaunches : Pass<"tally-lower-launches", "::mlir::ModuleOp"> {
  let summary = "Turns launches of kernels into calls of the runtime";
  let description = [{
    A `gpu.binary` becomes a constant of the compiled program and a
    `gpu.launch_func` a call that returns a status; so do the operations that
    wait for a number, or for errors, and copies. A constant buffer is asked for
    on the device. Nothing runs when the program is loaded. An operation that
    would read or write memory of the device on the host is an error. Needs
    `tally-add-context`.

    ```mlir
    // Before
    func.func @f(%ctx: !llvm.ptr, %n: memref<i64>) -> i64 {
      %0 = tally.read_back %n[] : memref<i64>
      return %0 : i64
    }
    // After
    func.func private @tally_rt_read_back(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
    func.func @f(%ctx: !llvm.ptr, %n: memref<i64>) -> i64 {
      %one = llvm.mlir.constant(1 : i64) : i64
      %room = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
      %table = llvm.mlir.zero : !llvm.ptr
      %index = memref.extract_aligned_pointer_as_index %n : memref<i64> -> index
      %address = arith.index_cast %index : index to i64
      %source = llvm.inttoptr %address : i64 to !llvm.ptr
      %bytes = llvm.mlir.constant(8 : i64) : i64
      %status = func.call @tally_rt_read_back(%ctx, %table, %source, %room, %bytes) {tally.status}
          : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
      %0 = llvm.load %room : !llvm.ptr -> i64
      return %0 : i64
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif // TALLY_CODEGEN_PASSES
