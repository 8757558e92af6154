//===- LLVMPasses.td - Passes on the LLVM dialect ----------*- tablegen -*-===//
//
// A part of Passes.td: what runs when everything is in the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_COMMON_LLVMPASSES
#define TALLY_CODEGEN_COMMON_LLVMPASSES

include "mlir/Pass/PassBase.td"

def FlattenConstants : Pass<"tally-flatten-constants", "::mlir::ModuleOp"> {
  let summary = "Make bytes of large constants";
  let description = [{
    Runs on the LLVM dialect. In LLVM a constant of more than one dimension is
    an array of arrays, each an object of its own, and one of floating point is
    written element by element. A constant of more than 1024 bytes becomes one
    array of bytes, which LLVM copies as a whole; elements are read through
    pointers, whose types do not say what is there. Runs on a module, which has
    the constants.

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

def LowerBooleans : Pass<"tally-lower-booleans"> {
  let summary = "Read and write booleans as bytes in LLVM";
  let description = [{
    Runs on the LLVM dialect. A boolean in memory is a byte, of which LLVM's `i1`
    is the last bit; its vectorizer takes no loop that reads or writes an `i1`,
    because neighbors of that type are not next to each other in a vector. A byte
    that is not 0 is true.

    ```mlir
    // Before
    %b = llvm.load %x : !llvm.ptr -> i1
    llvm.store %b, %y : i1, !llvm.ptr
    // After
    %byte = llvm.load %x : !llvm.ptr -> i8
    %zero = llvm.mlir.constant(0 : i8) : i8
    %b = llvm.icmp "ne" %byte, %zero : i8
    %to = llvm.zext %b : i1 to i8
    llvm.store %to, %y : i8, !llvm.ptr
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerBFloats : Pass<"tally-lower-bfloats"> {
  let summary = "Make an i16 of every bf16 in LLVM";
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

def KeepMaskedExtrema
    : Pass<"tally-keep-masked-extrema", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Keep minima and maxima of masked values as LLVM makes vectors of";
  let description = [{
    `max(m, select(c, x, -inf))` is the step of a maximum over the elements that a
    mask keeps, as in attention. LLVM makes `select(c, max(m, x), m)` of it and then
    leaves the loop scalar, as it knows conditional sums but no conditional extrema.
    The identity (an infinity, or an integer's least or greatest value) is read from
    the stack once in a call, where LLVM cannot tell what it is.

    Input:
    ```mlir
    llvm.func @step(%max: f32, %x: f32, %keep: i1) -> f32 {
      %inf = llvm.mlir.constant(0xFF800000 : f32) : f32
      %kept = llvm.select %keep, %x, %inf : i1, f32
      %next = llvm.intr.maximum(%max, %kept) : (f32, f32) -> f32
      llvm.return %next : f32
    }
    ```

    Output:
    ```mlir
    llvm.func @step(%max: f32, %x: f32, %keep: i1) -> f32 {
      %value = llvm.mlir.constant(0xFF800000 : f32) : f32
      %one = llvm.mlir.constant(1 : i64) : i64
      %slot = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
      llvm.store %value, %slot : f32, !llvm.ptr
      %hidden = llvm.load volatile %slot : !llvm.ptr -> f32
      %inf = llvm.mlir.constant(0xFF800000 : f32) : f32
      %kept = llvm.select %keep, %x, %hidden : i1, f32
      %next = llvm.intr.maximum(%max, %kept) : (f32, f32) -> f32
      llvm.return %next : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MarkParallelAccesses
    : Pass<"tally-mark-parallel-accesses", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Tell LLVM which loops have independent iterations";
  let description = [{
    Loops that were parallel, or that pass over a row of a kernel, are marked
    `tally.independent`: no iteration reads or writes what another one writes.
    When they have become branches, loads and stores of their function get an
    access group, and the branch that repeats the loop says that the group's
    accesses are parallel. LLVM then makes vectors without comparing addresses
    at run time. Iterations share what is on the stack: accesses of it are not in
    the group, so that a loop that has some is what LLVM finds out about it. A
    function whose stack something else accesses is left alone. So is a loop an
    iteration of which may load what it has stored: LLVM would load first, as it
    takes all accesses of the group for independent. All functions
    have one access group: those that are alike stay so.

    Input:
    ```mlir
    llvm.func @f(%x: !llvm.ptr, %n: i64) {
      %c0 = llvm.mlir.constant(0 : i64) : i64
      %c1 = llvm.mlir.constant(1 : i64) : i64
      llvm.br ^header(%c0 : i64)
    ^header(%i: i64):
      %more = llvm.icmp "slt" %i, %n : i64
      llvm.cond_br %more, ^body, ^done
    ^body:
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %s = llvm.fadd %v, %v : f32
      llvm.store %s, %p : f32, !llvm.ptr
      %next = llvm.add %i, %c1 : i64
      llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<>}
    ^done:
      llvm.return
    }
    ```

    Output:
    ```mlir
    #group = #llvm.access_group<id = distinct[0]<>>
    #loop = #llvm.loop_annotation<parallelAccesses = #group>
    llvm.func @f(%x: !llvm.ptr, %n: i64) {
      %c0 = llvm.mlir.constant(0 : i64) : i64
      %c1 = llvm.mlir.constant(1 : i64) : i64
      llvm.br ^header(%c0 : i64)
    ^header(%i: i64):
      %more = llvm.icmp "slt" %i, %n : i64
      llvm.cond_br %more, ^body, ^done
    ^body:
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p {access_groups = [#group]} : !llvm.ptr -> f32
      %s = llvm.fadd %v, %v : f32
      llvm.store %s, %p {access_groups = [#group]} : f32, !llvm.ptr
      %next = llvm.add %i, %c1 : i64
      llvm.br ^header(%next : i64) {loop_annotation = #loop}
    ^done:
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TALLY_CODEGEN_COMMON_LLVMPASSES
