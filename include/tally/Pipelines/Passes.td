//===- Passes.td - Passes that only pipelines have --------*- tablegen -*-===//

#ifndef TALLY_PIPELINES_PASSES
#define TALLY_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def Canonicalizer : Pass<"tally-canonicalize"> {
  let summary = "Canonicalize as upstream does, with changes";
  let description = [{
    Upstream's canonicalizer without the pattern that takes a size that changes
    from iteration to iteration for what it is at first (docs/Rationale.md), and
    without the one that computes an element of a `tensor.generate` anew where
    it is read: by then, the preconditions of the computation have been asserted
    of the whole tensor. It has patterns of its own for slices of no elements
    and of one, and makes structured operations of arithmetic on tensors.

    Input:
    ```mlir
    func.func @casts(%i: index) -> index {
      %j = arith.index_cast %i : index to i64
      %k = arith.index_cast %j : i64 to index
      return %k : index
    }
    ```

    Output:
    ```mlir
    func.func @casts(%i: index) -> index {
      return %i : index
    }
    ```
  }];
  let options = [
    Option<"keepStrides", "keep-strides", "bool", "false",
           "keep constant strides out of the types of buffers: once strided "
           "copies have become loops, a copy of one piece has to stay one">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def CSE : Pass<"tally-cse"> {
  let summary = "Eliminate common subexpressions as upstream does, in less time";
  let description = [{
    To upstream's CSE, operations with the same operands and other bodies look
    alike until it compares them, each with each. Here their bodies tell them
    apart; what is eliminated is the same.

    Input:
    ```mlir
    func.func @same(%p: i1, %x: index, %y: index) -> (index, index) {
      %a = scf.if %p -> index {
        scf.yield %x : index
      } else {
        scf.yield %y : index
      }
      %b = scf.if %p -> index {
        scf.yield %x : index
      } else {
        scf.yield %y : index
      }
      return %a, %b : index, index
    }
    ```

    Output:
    ```mlir
    func.func @same(%p: i1, %x: index, %y: index) -> (index, index) {
      %a = scf.if %p -> index {
        scf.yield %x : index
      } else {
        scf.yield %y : index
      }
      return %a, %a : index, index
    }
    ```
  }];
}

def MergeEqualResults : Pass<"tally-merge-equal-results", "::mlir::ModuleOp"> {
  let summary = "Use one result of a call for equal ones, and copy what may be "
                "equal";
  let description = [{
    Uses one result of a call where the function returns the same value twice,
    and lets it return a copy of what is another of its results where the
    program takes some branch. One-shot bufferization takes the results of a
    call for buffers of their own: it would write to one in place that is read
    as the other. Runs on a module: it looks from calls into their callees.

    Input:
    ```mlir
    func.func private @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %y = math.exp %x : tensor<?xf32>
      return %y, %y : tensor<?xf32>, tensor<?xf32>
    }
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %r:2 = call @twice(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
      return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
    }
    ```

    Output:
    ```mlir
    func.func private @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %y = math.exp %x : tensor<?xf32>
      return %y, %y : tensor<?xf32>, tensor<?xf32>
    }
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %r:2 = call @twice(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
      return %r#0, %r#0 : tensor<?xf32>, tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SeparateEmptyTensors : Pass<"tally-separate-empty-tensors"> {
  let summary = "Give each use of a tensor.empty one of its own";
  let description = [{
    CSE makes two `tensor.empty` that are alike one, or two reshapes of one, and
    one-shot bufferization sees no conflict between what has no contents: two
    tensors that an `scf.while` carries would become one buffer. It also compares
    all uses of a tensor with each other, which takes long where there are many.
    Runs right before tensors become allocations, which are not merged any more.

    ```mlir
    // Before
    %e = tensor.empty(%n) : tensor<?xf32>
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %b = linalg.log ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    // After
    %e = tensor.empty(%n) : tensor<?xf32>
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %f = tensor.empty(%n) : tensor<?xf32>
    %b = linalg.log ins(%x : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
}

def EliminateEmptyTensors
    : Pass<"tally-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute in its place what is inserted into a tensor";
  let description = [{
    Upstream's `eliminate-empty-tensors`, which looks at each insertion with the
    analysis of one-shot bufferization. Here, its time grows with the module: the
    analysis runs only where a loop or a call hands a tensor on, and long chains
    of tensors are cut for it. Runs on a module: the analysis follows tensors into
    the functions that are called.

    ```mlir
    // Before
    %e = tensor.empty(%n) : tensor<?xf32>
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = tensor.insert_slice %a into %y[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    // After
    %s = tensor.extract_slice %y[%i] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
    %r = tensor.insert_slice %a into %y[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"
  ];
}

def Bufferize : Pass<"tally-bufferize", "::mlir::ModuleOp"> {
  let summary = "Bufferize a module in one shot";
  let description = [{
    Upstream's one-shot bufferization of a module and its functions, with the
    options of the project and in time that grows with the module. An operation
    that has no model of bufferization is an error at the operation. Runs on a
    module: a function and its calls change together.

    ```mlir
    // Before
    func.func @f(%x: tensor<?xf32>, %i: index) -> f32 {
      %e = tensor.extract %x[%i] : tensor<?xf32>
      return %e : f32
    }
    // After
    func.func @f(%x: memref<?xf32>, %i: index) -> f32 {
      %e = memref.load %x[%i] : memref<?xf32>
      return %e : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CopyStridedCasts : Pass<"tally-copy-strided-casts"> {
  let summary = "Copy slices that are cast to a buffer without strides";
  let description = [{
    Copies where bufferization has cast a slice to a buffer without strides, for
    an argument of a function, say, and allocates no buffer with strides.
    Upstream takes the strides of the latter, which its sizes tell, for unknown.
    Runs right behind bufferization: later there are casts of what is known to
    lie together. The first rows of a buffer are returned where they are, if they
    are more than half of all, and nothing else of the buffer is kept.

    ```mlir
    // Before
    %c = memref.cast %s : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
    // After
    %c = memref.alloc(%m, %n) : memref<?x?xf32>
    memref.copy %s, %c : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def ForwardCarried : Pass<"tally-forward-carried"> {
  let summary = "Have loops pass on the buffers that they carry";
  let description = [{
    Bufferization has the first region of a `scf.while` pass on copies of its
    arguments, unless the loop gives back the buffers that it gets: what the
    second region yields could be a buffer that others have. Here a region passes
    on its argument itself where nobody else has it: where the loop starts with a
    buffer that is used by nothing else from there on, and the second region yields
    one that it has made, or that it got. Runs between bufferization and
    `ownership-based-buffer-deallocation`.

    ```mlir
    // Before
    func.func @grow(%n: index, %p: i1) -> memref<?xf32> {
      %init = memref.alloc(%n) : memref<?xf32>
      %r = scf.while (%a = %init) : (memref<?xf32>) -> memref<?xf32> {
        %c = memref.alloc(%n) : memref<?xf32>
        memref.copy %a, %c : memref<?xf32> to memref<?xf32>
        scf.condition(%p) %c : memref<?xf32>
      } do {
      ^bb0(%b: memref<?xf32>):
        %next = memref.alloc(%n) : memref<?xf32>
        linalg.exp ins(%b : memref<?xf32>) outs(%next : memref<?xf32>)
        scf.yield %next : memref<?xf32>
      }
      return %r : memref<?xf32>
    }
    // After
    func.func @grow(%n: index, %p: i1) -> memref<?xf32> {
      %init = memref.alloc(%n) : memref<?xf32>
      %r = scf.while (%a = %init) : (memref<?xf32>) -> memref<?xf32> {
        scf.condition(%p) %a : memref<?xf32>
      } do {
      ^bb0(%b: memref<?xf32>):
        %next = memref.alloc(%n) : memref<?xf32>
        linalg.exp ins(%b : memref<?xf32>) outs(%next : memref<?xf32>)
        scf.yield %next : memref<?xf32>
      }
      return %r : memref<?xf32>
    }
    ```
  }];
}

def SplitBlocks : Pass<"tally-split-blocks"> {
  let summary = "End a block behind each branch or loop of a function";
  let description = [{
    Upstream makes branches of structured operations from the first one on, and
    moves all that is behind one in its block each time. Here the block of each
    ends with it. What is inside of another operation stays.

    Input:
    ```mlir
    func.func @twice(%p: i1, %x: index, %y: index) -> index {
      %a = scf.if %p -> index {
        scf.yield %x : index
      } else {
        scf.yield %y : index
      }
      %b = arith.addi %a, %a : index
      return %b : index
    }
    ```

    Output:
    ```mlir
    func.func @twice(%p: i1, %x: index, %y: index) -> index {
      %a = scf.if %p -> index {
        scf.yield %x : index
      } else {
        scf.yield %y : index
      }
      cf.br ^bb1
    ^bb1:
      %b = arith.addi %a, %a : index
      return %b : index
    }
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

#endif // TALLY_PIPELINES_PASSES
