//===- ReductionPasses.td - Reductions on the CPU ----------*- tablegen -*-===//
//
// A part of Passes.td: how loops that reduce elements are cut and ordered.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_SCHEDULECPU_REDUCTIONPASSES
#define TALLY_CODEGEN_SCHEDULECPU_REDUCTIONPASSES

include "mlir/Pass/PassBase.td"

def TileReductions : Pass<"tally-tile-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce rows of one operand with those of another in tiles";
  let description = [{
    A `linalg.generic` on buffers that reduces one loop, along which all operands
    lie that have an element for each column of the result, such as the distances
    of all rows of one tensor from all rows of another, becomes a parallel loop
    over tiles: 6 rows by a vector of 16 columns of f32, 8 of f64. Such operands
    are copied first, transposed, so that each lane accumulates one element of the
    result. Sums that may be reassociated are those of 256 elements, which are
    added up then, and their products are not rounded before they are added. Rows
    and columns behind the last ones are computed and not written. Where there are
    fewer than 6 rows or fewer columns than lanes, the operation stays.

    Input:
    ```mlir
    func.func @distances(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %d: memref<?x?xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                      iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %gap = arith.subf %a, %b : f32
        %square = arith.mulf %gap, %gap : f32
        %next = arith.addf %sum, %square fastmath<reassoc> : f32
        linalg.yield %next : f32
      }
      return
    }
    ```

    Output, shortened:
    ```
    scf.if %small {
      linalg.generic ...
    } else {
      %turned = memref.alloc(%vectors, %size) : memref<?x?x16xf32>
      ...
      scf.parallel (%j0, %i) = (%c0, %c0) to (%n, %m) step (%c256, %c6) {
        scf.for %j = %j0 to %end step %c16 {
          ...
          %sums:6 = scf.for %k0 = %c0 to %size step %c256 iter_args(...) {
            %parts:6 = scf.for %k = %k0 to %k1 step %c1 iter_args(...) {
              %columns = vector.load %turned[%vector, %k, %c0] : memref<?x?x16xf32>, vector<16xf32>
              %element = memref.load %x[%i, %k] : memref<?x?xf32>
              %row = vector.broadcast %element : f32 to vector<16xf32>
              %gap = arith.subf %row, %columns : vector<16xf32>
              ...
            }
            ...
          }
          vector.maskedstore %d[%i, %j], %mask, %sums#0 : memref<?x?xf32>, vector<16xi1>, vector<16xf32>
          ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def SplitReductions : Pass<"tally-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce all elements of a tensor, or of few long rows, in parts";
  let description = [{
    A `linalg.generic` on buffers that reduces all that it reads to one number, in
    the order of memory, becomes a parallel loop over parts of 4096 elements, and
    a loop that joins what is known of each. The parts follow from the size
    alone, so that the result does not depend on the number of threads; an error
    grows with the size of a part and the number of parts, not with their
    product. A sum of f64 of elements that are f32, which is rounded to f32
    afterwards, sums up 512 of them in f32 before it adds their sum. Memory for
    the parts is allocated, and freed after the second loop. The largest and the
    smallest float of a part are left to `tally-carry-reductions`, as reductions
    of a row each.

    The same becomes of each row, in parts of 131072 elements, where the loops that
    are reduced are the inner ones, if there are at most 32 rows of at least 524288
    elements: threads would not have a row each. Unless types tell, this is
    decided at run time.

    Where all is reduced to one number but in another order, because an operand
    has one element for each row, say, each row is reduced to an element of a
    buffer, and then these are.

    Input:
    ```mlir
    func.func @sum(%x: memref<?xf32>, %y: memref<f32>) {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
          ins(%x : memref<?xf32>) outs(%y : memref<f32>) {
      ^bb0(%v: f32, %sum: f32):
        %t = arith.addf %sum, %v : f32
        linalg.yield %t : f32
      }
      return
    }
    ```

    Output:
    ```
    %sums = memref.alloc(%parts) : memref<?xf32>
    scf.parallel (%p) = (%c0) to (%parts) step (%c1) {
      %sum = scf.for %i = %begin to %end step %c1 iter_args(%s = %zero) -> (f32) {
        %v = memref.load %px[%i] : memref<?xf32>
        %t = arith.addf %s, %v : f32
        scf.yield %t : f32
      }
      memref.store %sum, %sums[%p] : memref<?xf32>
      scf.reduce
    }
    %start = memref.load %y[] : memref<f32>
    %all = scf.for %p = %c0 to %parts step %c1 iter_args(%s = %start) -> (f32) {
      %sum = memref.load %sums[%p] : memref<?xf32>
      %t = arith.addf %s, %sum : f32
      scf.yield %t : f32
    }
    memref.store %all, %y[] : memref<f32>
    memref.dealloc %sums : memref<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def SplitColumns : Pass<"tally-split-columns", "::mlir::func::FuncOp"> {
  let summary = "Reduce the columns of many rows in parts";
  let description = [{
    A `linalg.generic` on buffers whose loops run over rows, which are reduced,
    and then over columns, in the order of memory, accumulates parts of 128 rows,
    in parallel and in tiles of columns, and then joins what is known of each.
    Sums of f32 are joined in f64. Loops over a batch may be around the rows. The
    parts follow from the sizes alone, so that the result does not depend on the
    number of threads; an error grows with 128 additions of f32, however many
    rows there are.

    Where rows have at most 32 elements, several that follow each other in
    memory are taken for one wide row, which vectors can read, and what a column
    has in each of them is joined at the end. The operation stays with at most
    128 of these rows, and with at most 256 longer ones; unless types tell, this
    is decided at run time.

    Input:
    ```mlir
    func.func @columns(%x: memref<?x?xf32>, %y: memref<?xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
          ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
      ^bb0(%v: f32, %sum: f32):
        %t = arith.addf %sum, %v : f32
        linalg.yield %t : f32
      }
      return
    }
    ```

    Output:
    ```
    %partial = memref.alloc(%s) : memref<?xf32>
    scf.parallel (%p) = (%c0) to (%parts) step (%c1) {
      scf.for %i = %first to %last step %c1 {
        scf.for %j = %begin to %end step %c1 {
          %v = memref.load %px[%at] : memref<?xf32>
          %sum = memref.load %partial[%place] : memref<?xf32>
          %t = arith.addf %sum, %v : f32
          memref.store %t, %partial[%place] : memref<?xf32>
        }
      }
      scf.reduce
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def TransposeLookups : Pass<"tally-transpose-lookups", "::mlir::func::FuncOp"> {
  let summary = "Reduce columns where places in rows are looked up";
  let description = [{
    A `linalg.generic` on tensors that reduces, for each element of each row of
    its result, elements of the same row of an operand whose places it computes
    or looks up, reads rows in no order that vectors have. It is made to reduce
    columns: of the transposed operand, to a transposed result. The places are
    the same for all columns then, which become lanes (`tally-carry-reductions`,
    `tally-vectorize-loops`), and `tally-tile-transposes` takes both transpositions.
    Resizing an image is such a reduction, along the last dimension. Fewer than 8
    rows, where types tell, stay as they are.

    Input:
    ```mlir
    func.func @windows(%x: tensor<?x?xf32>, %first: tensor<?xindex>, %window: tensor<3xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%first, %window : tensor<?xindex>, tensor<3xf32>) outs(%y : tensor<?x?xf32>) {
      ^bb0(%start: index, %weight: f32, %sum: f32):
        %i = linalg.index 0 : index
        %k = linalg.index 2 : index
        %at = arith.addi %start, %k : index
        %v = tensor.extract %x[%i, %at] : tensor<?x?xf32>
        %p = arith.mulf %v, %weight : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```

    Output, where a transposition stands for a `linalg.generic` that copies:
    ```
    %columns = transpose %x
    %init = transpose %y
    %sums = linalg.generic {indexing_maps = [affine_map<(j, i, k) -> (j)>, affine_map<(j, i, k) -> (k)>, affine_map<(j, i, k) -> (j, i)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%first, %window : tensor<?xindex>, tensor<3xf32>) outs(%init : tensor<?x?xf32>) {
    ^bb0(%start: index, %weight: f32, %sum: f32):
      %i = linalg.index 1 : index
      ...
      %v = tensor.extract %columns[%at, %i] : tensor<?x?xf32>
      ...
    } -> tensor<?x?xf32>
    %r = transpose %sums
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CarryReductions : Pass<"tally-carry-reductions", "::mlir::func::FuncOp"> {
  let summary = "Keep what is reduced in registers";
  let description = [{
    A `linalg.generic` on buffers whose inner loops are its reductions becomes a
    parallel loop over rows, and in it loops that carry the accumulators: they are
    read before and written after them, and not at each step. Where a row is
    reduced to the first of its best elements, with or without its index, as
    argmax does, and its elements are neighbors in memory, lanes choose on their
    own, 32 of f32, and the first of the best ones is chosen from these: the same
    as one after the other, NaN included. Rows of at least 4096 elements of f32,
    f16 or bf16 are taken in blocks of 1024: lanes choose only in a block whose
    largest or smallest element is better than the best one so far. The largest and the smallest of neighbors of f32, f16
    or bf16 are found in vectors of 16 lanes, from the bits of elements that have
    been widened to f32: the largest and the smallest one as signed integers, and
    the largest one as an unsigned integer, tell which float it is, which zero,
    and whether an element is NaN. Those of f64 are found in such vectors too, as
    floats; where one is NaN or infinite, the row is gone through once more, one
    element after the other.

    Reductions along columns of what the body looks up become the inner loops
    first, where columns are neighbors in memory: `tally-vectorize-loops` takes
    them by lanes. LLVM would not, as what it reads could be what it writes.

    What the body takes from `select(index < end, element, neutral)`, with an
    `end` for each row, is not gone through from there on: adaptive pools, whose
    parts differ by an element or two. Where an index is clamped, `max(min(start +
    index, last), 0)`, and none of the row is outside, it is taken as it is.

    Input:
    ```mlir
    func.func @argmax(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xi64>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                      iterator_types = ["parallel", "reduction"]}
          ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?xf32>, memref<?xi64>) {
      ^bb0(%v: f32, %best: f32, %at: i64):
        %better = arith.cmpf ogt, %v, %best : f32
        %j = linalg.index 1 : index
        %place = arith.index_cast %j : index to i64
        %r = arith.select %better, %v, %best : f32
        %s = arith.select %better, %place, %at : i64
        linalg.yield %r, %s : f32, i64
      }
      return
    }
    ```

    Output, without the choice between lanes and what is left of a row:
    ```
    scf.parallel (%i) = (%c0) to (%m) step (%c1) {
      %best = memref.load %y[%i] : memref<?xf32>
      %at = memref.load %z[%i] : memref<?xi64>
      ...
      %lanes:2 = scf.for %k = %c0 to %n step %c32 iter_args(%b = %bests, %a = %ats) -> (vector<32xf32>, vector<32xi64>) {
        %j = arith.minui %k, %last : index
        %v = vector.load %x[%i, %j] : memref<?x?xf32>, vector<32xf32>
        ...
        %better = arith.cmpf ogt, %v, %b : vector<32xf32>
        %r = arith.select %better, %v, %b : vector<32xi1>, vector<32xf32>
        %s = arith.select %better, %places, %a : vector<32xi1>, vector<32xi64>
        scf.yield %r, %s : vector<32xf32>, vector<32xi64>
      }
      ...
      memref.store %first#0, %y[%i] : memref<?xf32>
      memref.store %first#1, %z[%i] : memref<?xi64>
      scf.reduce
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CountHits : Pass<"tally-count-hits", "::mlir::func::FuncOp"> {
  let summary = "Count what elements hit by taking each of them once";
  let description = [{
    A histogram is a sum for each counter of how many elements hit it: a
    `linalg.generic` on tensors that compares the place of each element with the
    number of each counter. Here a loop over the elements adds one to the counter
    at the place of each, if there is one. It stays on one thread, and 8
    counters or fewer stay as they are.

    Input:
    ```mlir
    func.func @count(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?xi64>) outs(%y : tensor<?xi64>) {
      ^bb0(%place: i64, %sum: i64):
        %i = linalg.index 0 : index
        %number = arith.index_cast %i : index to i64
        %is = arith.cmpi eq, %number, %place : i64
        %hit = arith.extui %is : i1 to i64
        %next = arith.addi %sum, %hit : i64
        linalg.yield %next : i64
      } -> tensor<?xi64>
      return %r : tensor<?xi64>
    }
    ```

    Output:
    ```
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%counts = %y) -> (tensor<?xi64>) {
      %place = tensor.extract %x[%j] : tensor<?xi64>
      %at = arith.index_cast %place : i64 to index
      %is = arith.cmpi ult, %at, %m : index
      %next = scf.if %is -> (tensor<?xi64>) {
        %sum = tensor.extract %counts[%at] : tensor<?xi64>
        %more = arith.addi %sum, %c1_i64 : i64
        %all = tensor.insert %more into %counts[%at] : tensor<?xi64>
        scf.yield %all : tensor<?xi64>
      } else {
        scf.yield %counts : tensor<?xi64>
      }
      scf.yield %next : tensor<?xi64>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // TALLY_CODEGEN_SCHEDULECPU_REDUCTIONPASSES
