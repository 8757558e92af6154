//===- Passes.td - From kernels to machine code of NVIDIA GPUs *- tablegen -*-===//

#ifndef TALLY_CODEGEN_NVVM_PASSES
#define TALLY_CODEGEN_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def AttachTarget : Pass<"tally-attach-target", "::mlir::ModuleOp"> {
  let summary = "Say which GPU the kernels are for";
  let description = [{
    Attaches an NVVM target to every `gpu.module`. The version of PTX is the
    oldest that knows the chip, so that the oldest driver can compile it. A chip
    that is not known is an error, with a list of those that are. Runs on a
    module, so that this is reported once.

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
  let summary = "Turn asserts of kernels into branches to an error word";
  let description = [{
    Runs when the loops of kernels have become branches. Where a kernel of the
    program has asserts, every kernel that is launched gets one more argument, the
    last: where the kernels of a call report errors. Asserts branch to one cold
    block, where the first thread that comes stores the number of its assert and
    the values; then the thread ends, so that nothing runs with a value that the
    assert rules out. A kernel does nothing where an assert has failed before it:
    what it would read may not have been written. It looks for that before it
    writes, and before memory decides where it reads or goes; what it reads up to
    there, the values that it writes as well, is read meanwhile. In a loop only an
    assert looks, else the kernel returns at its start. What the asserts have to
    tell goes into a table of its own, `tally_device_assert_table`.

    Whoever launches a kernel passes `tally.device_errors`, and every public
    function from which a launch of a kernel with asserts is reached waits for
    the error, with `tally.check_device`, before it returns. It does not where no
    such launch follows a `tally.read_back`, which reads the error as well.
    Without asserts in kernels nothing waits. Runs on a module: kernels, their launches and the functions that wait
    change together.

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
          %c7 = arith.constant 7 : index
          %inside = arith.cmpi ult, %n, %c7 : index
          %now = llvm.inline_asm has_side_effects "", "=l,0" %before : (i64) -> i64
          %right = arith.cmpi eq, %now, %zero : i64
          %ok = arith.andi %inside, %right : i1
          %number = llvm.mlir.constant(1 : i64) : i64
          %count = llvm.mlir.constant(1 : i64) : i64
          %value = arith.index_cast %n : index to i64
          cf.cond_br %ok weights([1048576, 1]), ^next, ^cold(%number, %count, %value : i64, i64, i64)
        ^next:
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
  let summary = "Turn reductions over threads into shuffles";
  let description = [{
    A reduction over a block becomes one over each warp, a few words of shared
    memory and one more over a warp, with barriers between; a reduction over a
    warp becomes five shuffles. Runs on a module of kernels: upstream's pattern
    for blocks matches the kernel around them.

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
  let summary = "Convert kernels to the NVVM dialect";
  let description = [{
    One conversion from everything that a kernel is made of. A memref argument
    is one pointer, an index one `i64`. Math functions become calls of
    libdevice. An atomic update whose old value nobody reads orders nothing else.
    An operation that nothing can be made of is an error. Runs on a
    module of kernels, which gets their shared memory and the declarations of
    libdevice.

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
  let summary = "Compile kernels to machine code, or to PTX";
  let description = [{
    Every `gpu.module` with a target, in the NVVM dialect, becomes a
    `gpu.binary`. With `format=bin` that is machine code (a cubin), which
    `ptxas` makes; with `format=isa` it is PTX, which the driver compiles when
    the program runs; with `format=auto` it is machine code if there is a
    `ptxas`. This tool, and the library that math functions come from, are
    looked for in the folder that `toolkit` names and nowhere else; without the
    option in `$CUDA_HOME`, `$CUDA_PATH`, beside what is on the `PATH`, in an
    active Python environment with NVIDIA's packages, and in `/usr/local/cuda`.
    Runs on a module, in which a `gpu.module` is compiled as a whole.

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

#endif // TALLY_CODEGEN_NVVM_PASSES
