//===- GPUPasses.td - Passes from checked IR to GPUs -------*- tablegen -*-===//

#ifndef TALLY_CODEGEN_GPUPASSES
#define TALLY_CODEGEN_GPUPASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From tensors to schedules
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

#endif // TALLY_CODEGEN_GPUPASSES
