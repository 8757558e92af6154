//===- LoweringPasses.td - From the checked form to loops --*- tablegen -*-===//
//
// A part of Passes.td: what takes the dialect's own operations to upstream's.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TRANSFORMS_LOWERINGPASSES
#define TALLY_TRANSFORMS_LOWERINGPASSES

include "mlir/Pass/PassBase.td"

def LowerHigherOrderOps : Pass<"tally-lower-hops", "::mlir::ModuleOp"> {
  let summary = "Lower higher-order operations to control flow and calls";
  let description = [{
    `tally.cond` becomes `scf.if` and `tally.invoke_subgraph` becomes
    `func.call`; an operation of another dialect that implements
    `HigherOrderOpInterface` is asked to lower itself (`lowerToControlFlow`), to
    upstream operations or to higher-order ones that are lowered in turn. One
    that cannot be lowered is an error. Runs on a module: an operation may lower
    itself to a function and its calls.

    Input:

    ```mlir
    func.func @f(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
      %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> {
      ^bb0(%a: tensor<?xf32>):
        tally.yield %a : tensor<?xf32>
      } else {
      ^bb0(%a: tensor<?xf32>):
        %b = tally.invoke_subgraph @block(%a) : (tensor<?xf32>) -> tensor<?xf32>
        tally.yield %b : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    func.func private @block(%x: tensor<?xf32>) -> tensor<?xf32>
    ```

    Output:

    ```mlir
    func.func @f(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
      %r = scf.if %p -> (tensor<?xf32>) {
        scf.yield %x : tensor<?xf32>
      } else {
        %b = func.call @block(%x) : (tensor<?xf32>) -> tensor<?xf32>
        scf.yield %b : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    func.func private @block(%x: tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"
  ];
}

def MarkAccesses : Pass<"tally-mark-accesses"> {
  let summary = "Mark accesses that data-dependent operations keep in bounds";
  let description = [{
    What `tally.nonzero`, `tally.unique` and their like return are positions of a
    dimension, so what is read there needs no check. Loops that compute them do
    not show it. Before operations are lowered to such loops, this marks each
    access in the checked form that is in bounds for this reason as
    `tally.checked`, so that `tally-verify-form` still knows. Functions without
    such operations stay as they are.

    Input:

    ```mlir
    func.func @f(%x: tensor<?xf32>, %i: index) -> f32 {
      %zero = arith.constant 0 : index
      %rows = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
      %n = tensor.dim %rows, %zero : tensor<?x1xi64>
      %is_row = arith.cmpi ult, %i, %n : index
      tally.assert %is_row, <i < n> (i = %i, n = %n : index, index)
      %row = tensor.extract %rows[%i, %zero] : tensor<?x1xi64>
      %at = arith.index_cast %row : i64 to index
      %e = tensor.extract %x[%at] : tensor<?xf32>
      return %e : f32
    }
    ```

    Output: the last access is

    ```mlir
    func.func @f(%x: tensor<?xf32>, %at: index) -> f32 {
      %e = tensor.extract %x[%at] {tally.checked} : tensor<?xf32>
      return %e : f32
    }
    ```
  }];
}

def LowerDataDependent : Pass<"tally-lower-data-dependent"> {
  let summary = "Lower operations whose results depend on data to loops";
  let description = [{
    `tally.item` becomes `tensor.extract`. `tally.nonzero` and
    `tally.masked_select` become two passes over their source: a reduction that
    counts, then, into a tensor of that many rows, a loop that writes. A row is
    written for each element until one is kept, as a branch on what is kept
    would be predicted wrong. Bufferization finds each write in place: there is
    one allocation and no copy. `tensor.dim` of the result folds to the count.
    `tally.repeat_interleave` and `tally.bincount` are counted and filled alike;
    with `reduce`, the largest value of a `tally.bincount` is a structured
    reduction, which threads of a GPU share.
    `tally.unique` sorts its source by a `tally.sort`, and counts and writes the
    runs of equal elements. `tally.slice`, `tally.select` and `tally.split`
    become `tensor.extract_slice`.

    Nothing is read or written out of bounds, whatever happens to the memory of
    a source between two passes over it.

    Input:

    ```mlir
    func.func @f(%x: tensor<?xi1>) -> tensor<?x1xi64> {
      %r = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64>
      return %r : tensor<?x1xi64>
    }
    ```

    Output:

    ```mlir
    func.func @f(%x: tensor<?xi1>) -> tensor<?x1xi64> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i64
      %none = tensor.empty() : tensor<i64>
      %start = linalg.fill ins(%zero : i64) outs(%none : tensor<i64>) -> tensor<i64>
      %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
          iterator_types = ["reduction"]} ins(%x : tensor<?xi1>) outs(%start : tensor<i64>) {
      ^bb0(%kept: i1, %before: i64):
        %one = arith.extui %kept : i1 to i64
        %n = arith.addi %before, %one : i64
        linalg.yield %n : i64
      } -> tensor<i64>
      %total = tensor.extract %sum[] : tensor<i64>
      %rows = arith.index_cast %total : i64 to index
      %natural = arith.maxsi %rows, %c0 : index
      %d0 = tensor.dim %x, %c0 : tensor<?xi1>
      %count = arith.minsi %natural, %d0 : index
      %empty = tensor.empty(%count) : tensor<?x1xi64>
      %filled:2 = scf.for %i = %c0 to %d0 step %c1
          iter_args(%t = %empty, %n = %c0) -> (tensor<?x1xi64>, index) {
        %inside = arith.cmpi ult, %n, %count : index
        %next:2 = scf.if %inside -> (tensor<?x1xi64>, index) {
          %v = arith.index_cast %i : index to i64
          %t1 = tensor.insert %v into %t[%n, %c0] : tensor<?x1xi64>
          %e = tensor.extract %x[%i] : tensor<?xi1>
          %one = arith.select %e, %c1, %c0 : index
          %n1 = arith.addi %n, %one : index
          scf.yield %t1, %n1 : tensor<?x1xi64>, index
        } else {
          scf.yield %t, %n : tensor<?x1xi64>, index
        }
        scf.yield %next#0, %next#1 : tensor<?x1xi64>, index
      }
      %r = tensor.extract_slice %filled#0[0, 0] [%count, 1] [1, 1]
          : tensor<?x1xi64> to tensor<?x1xi64>
      return %r : tensor<?x1xi64>
    }
    ```
  }];
  let options = [Option<"reduce", "reduce", "bool", /*default=*/"false",
                        "Find sizes by reductions">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerAttention : Pass<"tally-lower-attention"> {
  let summary = "Lower attention to structured operations";
  let description = [{
    A `tally.attention` on tensors becomes a product that makes the scores of all
    queries and keys, a softmax of them, and a product with the values. This is
    for targets that have no kernel for the whole, and says what it means. Keys
    and values of grouped heads are repeated. Weights are rounded to the type of
    the values, so that a library multiplies f16 and bf16 as they are. Where there
    may be more scores than `most-scores`, and there are, the same is done for
    blocks of queries with at most so many, one block after the other. What is a
    memref is left.

    Where keys are f16 or bf16 and `key-multiple` is more than 1, matmuls run over
    a multiple of keys: zeros are appended to keys, values and weights, if there
    are 64 queries at least. Libraries for tensor cores multiply rows of 16 bytes'
    multiples several times as fast as others.

    ```mlir
    // Before
    %r = tally.attention ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)
        maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
              affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
        score {
        ^bb0(%i: index, %j: index, %product: f32):
          tally.yield %product : f32
        } -> tensor<?x?xf32>
    // After (as `linalg.generic`; the softmax is four of them, and gives zeros where all scores are minus infinity)
    %scores = linalg.matmul indexing_maps = [affine_map<(i, j, e) -> (i, e)>, affine_map<(i, j, e) -> (j, e)>, affine_map<(i, j, e) -> (i, j)>]
        ins(%q, %k : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
    %weights = linalg.softmax dimension(1) ins(%scores : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = linalg.matmul ins(%weights, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%none : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
  }];
  let options = [
    Option<"mostScores", "most-scores", "int64_t", "1 << 28",
           "how many scores there may be at a time, if a block of one query has "
           "no more">,
    Option<"keyMultiple", "key-multiple", "int64_t", "1",
           "the multiple of keys of half precision that matmuls run over">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def DecomposeUnique : Pass<"tally-decompose-unique"> {
  let summary = "Find distinct elements in parallel";
  let description = [{
    A `tally.unique` becomes a `tally.sort`, a `tally.nonzero` that finds the first
    of each run of equal elements, and structured operations that look up what is
    there. The inverse sorts the places, which tells where each element has gone,
    and looks for the run. Runs in place of the loops that
    `tally-lower-data-dependent` would make; rows that are sorted have less than
    2^32 elements.

    ```mlir
    // Before
    %values, %inverse, %counts = tally.unique %x : tensor<?xf32>
    // After
    %sorted:2 = tally.sort ins(%x : tensor<?xf32>) values(%e : tensor<?xf32>) indices(%p : tensor<?xi64>) dim 0
        -> tensor<?xf32>, tensor<?xi64>
    // %starts: which elements differ from the one before
    %first = tally.nonzero %starts : tensor<?xi1> -> tensor<?x1xi64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerSort : Pass<"tally-lower-sort"> {
  let summary = "Lower sorting to loops";
  let description = [{
    A `tally.sort` on tensors becomes a merge sort from the bottom up, which does
    O(n log n) comparisons in two copies of the rows and keeps the order of what
    is equal; a part of the order is cut out of all of it. This is for targets
    where nobody else sorts. With `unknown-types-only` it leaves what the runtime
    sorts, see `tally-lower-host-sort`, and what kernels do, see
    `tally-schedule-sort`, and lowers sorts of other element types.
    What is a memref is left.

    ```mlir
    // Before
    %v = tally.sort ins(%x : tensor<?xf32>) values(%e : tensor<?xf32>) dim 0 -> tensor<?xf32>
    // After
    %r:3 = scf.while (%from = %x, %to = %x, %width = %c1)
        : (tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32>, tensor<?xf32>, index) {
      %goes_on = arith.cmpi slt, %width, %n : index
      scf.condition(%goes_on) %from, %to, %width : tensor<?xf32>, tensor<?xf32>, index
    } do {
    ^bb0(%from: tensor<?xf32>, %to: tensor<?xf32>, %width: index):
      // Two passes, there and back, each of which merges blocks of %width elements.
      scf.yield %back, %there, %next : tensor<?xf32>, tensor<?xf32>, index
    }
    ```
  }];
  let options = [
    Option<"unknownTypesOnly", "unknown-types-only", "bool", "false",
           "leave sorts of element types that the runtime knows">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TensorifyScalars : Pass<"tally-tensorify-scalars"> {
  let summary = "Compute floats that only feed tensors in tensors";
  let description = [{
    A float that is read out of a tensor of one element, and goes through float
    arithmetic back into tensors only (it fills one, or is an operand of a
    `linalg.generic`), is computed as a tensor of rank 0. On a GPU nobody waits
    for it then. One that anything else uses, such as a check, a branch, or a
    return, stays a scalar, as does what is computed from scalars alone.

    Input:

    ```mlir
    func.func @f(%t: tensor<f32>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %v = tally.item %t : tensor<f32>
      %e = math.exp %v : f32
      %r = linalg.fill ins(%e : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:

    ```mlir
    func.func @f(%t: tensor<f32>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %e = math.exp %t : tensor<f32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins(%e : tensor<f32>) outs(%x : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // TALLY_TRANSFORMS_LOWERINGPASSES
