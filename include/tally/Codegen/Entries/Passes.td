//===- Passes.td - What the C interface of a program is ----*- tablegen -*-===//

#ifndef TALLY_CODEGEN_ENTRIES_PASSES
#define TALLY_CODEGEN_ENTRIES_PASSES

include "mlir/Pass/PassBase.td"

def DescribeEntries : Pass<"tally-describe-entries", "::mlir::ModuleOp"> {
  let summary = "Collect what a compiled library tells of its entry points";
  let description = [{
    Moves the signature of every public function, as the user knows it, into one
    attribute that nothing on the way to LLVM touches: names, tensor types,
    symbolic shapes, the size table, and which results are written back. Tensor
    arguments are marked as not writable, or bufferization would update the
    caller's memory in place. An argument that is a stride or an offset of
    another one (`tally.hidden`) is described as that: callers do not see it. A
    type that cannot be passed through the C interface is an error. Runs on a
    module: passes on functions read the signatures of callees, so all of them
    change at once.

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

def EmitEntries : Pass<"tally-emit-entries", "::mlir::ModuleOp"> {
  let summary = "Emit the C functions of a compiled library";
  let description = [{
    Runs on the LLVM dialect. Every function that `tally-describe-entries`
    described becomes local to the module and gets a C function
    `PREFIX_NAME(ctx, arguments, count, results, count)`, which leaves the
    checking and packing to the runtime, and `PREFIX_library` and
    `tally_library` give the description of all of them. An operation that is
    not in the LLVM dialect by now is an error. Runs on a module, which gets the
    C functions.

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
    Option<"target", "target", "std::string", "\"cpu\"",
           "where the program runs and its tensors live: cpu or cuda">
  ];
}

def StripAttributes : Pass<"tally-strip-attributes", "::mlir::ModuleOp"> {
  let summary = "Remove Tally's attributes from a module of the LLVM dialect";
  let description = [{
    Removes what the passes before noted for each other and for who writes a
    header: `tally.entry`, `tally.status` and the like. Tools that do not know
    the dialect, such as `mlir-translate`, read what is left. Runs on a module,
    as it has such attributes itself; what is in it is visited in parallel.

    ```mlir
    // Before
    llvm.func @scale(!llvm.ptr, !llvm.ptr) -> i32 attributes {tally.custom}
    // After
    llvm.func @scale(!llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
}

#endif // TALLY_CODEGEN_ENTRIES_PASSES
