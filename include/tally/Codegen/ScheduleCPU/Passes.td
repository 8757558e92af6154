//===- Passes.td - How kernels run on the CPU --------------*- tablegen -*-===//

#ifndef TALLY_CODEGEN_SCHEDULECPU_PASSES
#define TALLY_CODEGEN_SCHEDULECPU_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleCPU : Pass<"tally-schedule-cpu", "::mlir::func::FuncOp"> {
  let summary = "Decide how kernels run on the CPU";
  let description = [{
    A `tally.kernel` on buffers becomes a parallel loop over its rows: over the
    points of the dimensions that it does not reduce. An iteration takes all of a
    row while it is in the cache: a loop over the elements for each phase of
    reductions, and one that writes what has an element for each of the row.
    What is expensive and needed in several of these loops is stored in an
    output that can hold it until the output itself is written, the exponentials
    of a softmax for example; what is cheap is computed again. The loops over
    elements are scalar; LLVM makes vectors of them. A window of at most 64
    elements that is reduced once has no loops: LLVM makes vectors of neighboring
    windows.

    At most 8 rows of at least 24576 elements are taken one after the other, in
    parts of 8192 elements, which threads share: each phase is a parallel loop
    over parts, and what parts have reduced is joined in their order. Sizes alone
    decide this, at run time unless types tell, so that results do not depend on
    the number of threads.

    Input:
    ```mlir
    func.func @normalize(%x: memref<8x?xf32>, %y: memref<8x?xf32>, %m: index, %n: index) {
      tally.kernel(%m, %n) reduces [1] ins(%x : memref<8x?xf32>) outs(%y : memref<8x?xf32>) {
      ^bb0(%a: tensor<8x?xf32>, %o: tensor<8x?xf32>):
        %zeros = arith.constant dense<0.0> : tensor<8xf32>
        %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
            ins(%a : tensor<8x?xf32>) outs(%zeros : tensor<8xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
        ^bb0(%v: f32, %sum: f32):
          %t = arith.addf %sum, %v : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
        %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            ins(%a, %sums : tensor<8x?xf32>, tensor<8xf32>) outs(%o : tensor<8x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
        ^bb0(%v: f32, %sum: f32, %unused: f32):
          %t = arith.divf %v, %sum : f32
          linalg.yield %t : f32
        } -> tensor<8x?xf32>
        tally.yield %r : tensor<8x?xf32>
      }
      return
    }
    ```

    Output, where `%px` and `%py` are the buffers as rows of elements and
    `%at` stands for the place of an element:
    ```
    scf.parallel (%i) = (%c0) to (%m) step (%c1) {
      %sum = scf.for %j = %c0 to %n step %c1 iter_args(%part = %zero) -> (f32) {
        %v = memref.load %px[%at] : memref<?xf32>
        %t = arith.addf %part, %v : f32
        scf.yield %t : f32
      }
      scf.for %j = %c0 to %n step %c1 {
        %v = memref.load %px[%at] : memref<?xf32>
        %t = arith.divf %v, %sum : f32
        memref.store %t, %py[%at] : memref<?xf32>
      }
      scf.reduce
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def StraightenLoads : Pass<"tally-straighten-loads", "::mlir::func::FuncOp"> {
  let summary = "Make operands of what is read backwards";
  let description = [{
    A load in the body of a `linalg.generic` on buffers that goes along a loop in
    each of its dimensions, backwards along some of them, becomes an operand of
    a negative stride: what is known of operands, such as how to transpose and
    to copy them, is of use for it. Where the last dimension is read backwards,
    the loop along it goes the other way, if it is parallel and neither the
    result nor another operand lies along it: the result is written backwards,
    row by row. Else the load stays.

    Input, a quarter turn:
    ```mlir
    func.func @turn(%x: memref<?x?xf32>, %last: index, %y: memref<?x?xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%y : memref<?x?xf32>) {
      ^bb0(%unused: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = arith.subi %last, %i : index
        %v = memref.load %x[%j, %k] : memref<?x?xf32>
        linalg.yield %v : f32
      }
      return
    }
    ```

    Output, where `%end` is the place of the last row of `%y`, and `%back` is
    minus the stride of its rows:
    ```
    %from = memref.reinterpret_cast %x to offset: [%start], sizes: [%n, %m], strides: [%stride, 1] : ...
    %to = memref.reinterpret_cast %y to offset: [%end], sizes: [%m, %n], strides: [%back, 1] : ...
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%from : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%to : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
    ^bb0(%v: f32, %unused: f32):
      linalg.yield %v : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def MergeLoops : Pass<"tally-merge-loops", "::mlir::func::FuncOp"> {
  let summary = "Run over neighboring dimensions in one loop";
  let description = [{
    Two neighboring loops of a `linalg.generic` on buffers become one where they
    run over neighboring dimensions of each operand, which lie in memory like one,
    or over none: rows and columns of an image, say, of which an operand has one
    element for each channel. A loop that is long enough for vectors takes the
    place of short ones. Loops are merged only with loops of their kind, parallel
    ones or reductions, and not where the body reads indices.

    Input:
    ```mlir
    func.func @scale(%x: memref<?x8x?x?xf32>, %w: memref<8xf32>, %y: memref<?x8x?x?xf32>) {
      linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>, affine_map<(b, c, i, j) -> (c)>,
                                       affine_map<(b, c, i, j) -> (b, c, i, j)>],
                      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%x, %w : memref<?x8x?x?xf32>, memref<8xf32>) outs(%y : memref<?x8x?x?xf32>) {
      ^bb0(%v: f32, %s: f32, %unused: f32):
        %t = arith.mulf %v, %s : f32
        linalg.yield %t : f32
      }
      return
    }
    ```

    Output:
    ```
    %0 = memref.collapse_shape %x [[0], [1], [2, 3]] : memref<?x8x?x?xf32> into memref<?x8x?xf32>
    %1 = memref.collapse_shape %y [[0], [1], [2, 3]] : memref<?x8x?x?xf32> into memref<?x8x?xf32>
    linalg.generic {indexing_maps = [affine_map<(b, c, i) -> (b, c, i)>, affine_map<(b, c, i) -> (c)>,
                                     affine_map<(b, c, i) -> (b, c, i)>], ...}
        ins(%0, %w : memref<?x8x?xf32>, memref<8xf32>) outs(%1 : memref<?x8x?xf32>) {
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

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

def TileTransposes : Pass<"tally-tile-transposes", "::mlir::func::FuncOp"> {
  let summary = "Take what lies along another dimension in tiles";
  let description = [{
    A `linalg.generic` on buffers without reductions that reads an operand whose
    neighbors in memory lie along another loop than those of its result becomes
    a parallel loop over tiles of 64 by 128 points, whose lines stay in the cache.
    Arithmetic on elements of 8 to 64 bits that are no booleans and no halves, and
    moves of these and of halves, are done by vectors: of what lies along the other loop as many are read as they
    have lanes, and transposed; then each row of the block is computed and
    written. Where several operands lie so, it is what is computed from them that
    is transposed. What is left at the ends of the dimensions, and everything else, is
    taken point by point.

    Input:
    ```mlir
    func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
      ^bb0(%v: f32, %unused: f32):
        linalg.yield %v : f32
      }
      return
    }
    ```

    Output, without what is left at the ends:
    ```
    scf.parallel (%i0, %j0) = (%c0, %c0) to (%m, %n) step (%c64, %c128) {
      scf.for %i = %i0 to %i_full step %c8 {
        scf.for %j = %j0 to %j_full step %c8 {
          %0 = vector.load %x[%j, %i] : memref<?x?xf32>, vector<8xf32>
          ...
          %8 = vector.shuffle %0, %4 [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xf32>, vector<8xf32>
          ...
          vector.store %24, %y[%i, %j] : memref<?x?xf32>, vector<8xf32>
          ...
        }
      }
      scf.reduce
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def InterleaveChecks : Pass<"tally-interleave-checks", "::mlir::func::FuncOp"> {
  let summary = "Check indices next to where they are used";
  let description = [{
    Indices that are read from memory are checked, all of them, before an
    operation looks up elements by them: they would be read twice. Where a
    `linalg.generic` on buffers is such a check, and the next operation behind its
    assert uses what was checked, element for element, both become one parallel loop
    over parts of 4096 elements. An index that is not right looks up the first
    element; where the rows of a part have fewer than 16 elements, all its indices are
    checked first, and it is left out if one is not right. Each part says whether
    its indices are right, and the assert follows when all are done. What is written
    before it lies in an allocation of this function, which nobody sees if the call
    ends with an error; an operation that writes
    anything else stays behind its check.

    Input:
    ```mlir
    func.func @take(%x: memref<?xf32>, %i: memref<?xindex>, %n: index, %m: index) -> memref<?xf32> {
      %true = arith.constant true
      %y = memref.alloc(%m) : memref<?xf32>
      %flag = memref.alloc() : memref<i1>
      memref.store %true, %flag[] : memref<i1>
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
          ins(%i : memref<?xindex>) outs(%flag : memref<i1>) {
      ^bb0(%at: index, %all: i1):
        %is = arith.cmpi ult, %at, %n : index
        %t = arith.andi %all, %is : i1
        linalg.yield %t : i1
      }
      %ok = memref.load %flag[] : memref<i1>
      tally.assert %ok message("an index is out of bounds")
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%i : memref<?xindex>) outs(%y : memref<?xf32>) {
      ^bb0(%at: index, %unused: f32):
        %v = memref.load %x[%at] : memref<?xf32>
        linalg.yield %v : f32
      }
      return %y : memref<?xf32>
    }
    ```

    Output, where `%from` and `%to` say which elements a part has:
    ```
    scf.parallel (%part) = (%c0) to (%parts) step (%c1) {
      %right = scf.for %k = %from to %to step %c1 iter_args(%all = %true) -> (i1) {
        %at = memref.load %i[%k] : memref<?xindex>
        %is = arith.cmpi ult, %at, %n : index
        %safe = arith.select %is, %at, %c0 : index
        %v = memref.load %x[%safe] : memref<?xf32>
        memref.store %v, %y[%k] : memref<?xf32>
        %t = arith.andi %all, %is : i1
        scf.yield %t : i1
      }
      memref.store %right, %flags[%part] : memref<?xi1>
      scf.reduce
    }
    ...
    tally.assert %ok message("an index is out of bounds")
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
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

    Where rows have at most 256 elements, several that follow each other in
    memory are taken for one wide row, which vectors can read, and what a column
    has in each of them is joined at the end. The operation stays with at most
    128 of these rows, with at most 256 longer ones, and where longer rows are
    not summed up as floats; unless types tell, this is decided at run time.

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

def CopyRows : Pass<"tally-copy-rows", "::mlir::func::FuncOp"> {
  let summary = "Copy rows that lie in one piece by memcpy";
  let description = [{
    A `linalg.generic` that copies a buffer to another, of which one has gaps,
    copies rows: the elements behind the outer dimensions, which lie in one piece
    in both. Rows of 512 bytes and more are copied by `memcpy`, which writes
    whole lines of the cache without reading them first; of shorter ones the
    operation stays, and what their length is decides at run time.

    Input:
    ```mlir
    func.func @copy(%x: memref<?x?xf32>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      ^bb0(%v: f32, %unused: f32):
        linalg.yield %v : f32
      }
      return
    }
    ```

    Output:
    ```
    scf.if %is_long {
      ...
      scf.parallel (%i) = (%c0) to (%m) step (%c1) {
        ...
        "llvm.intr.memcpy"(%to, %from, %length) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
        scf.reduce
      } {tally.points = 128 : index}
    } else {
      linalg.generic ... ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32, strided<[?, 1], offset: ?>>) { ... }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
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

def ParallelizeLoops : Pass<"tally-parallelize-loops", "::mlir::func::FuncOp"> {
  let summary = "Find loops whose iterations are independent";
  let description = [{
    Loops around others that carry nothing, and whose iterations do not access
    what another one writes, become one parallel loop: scans of many rows, which
    are imported as loops over elements. What is written has to be of an
    allocation that the function makes, and every access of it has to be where
    the index of the loop says.

    Input:
    ```mlir
    func.func @scan(%x: memref<?x?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %y = memref.alloc(%m, %n) : memref<?x?xf32>
      scf.for %j = %c0 to %n step %c1 {
        %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
          %v = memref.load %x[%i, %j] : memref<?x?xf32>
          %t = arith.addf %sum, %v : f32
          memref.store %t, %y[%i, %j] : memref<?x?xf32>
          scf.yield %t : f32
        }
      }
      return %y : memref<?x?xf32>
    }
    ```

    Output:
    ```
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
        ...
      }
      scf.reduce
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def VectorizeLoops : Pass<"tally-vectorize-loops", "::mlir::func::FuncOp"> {
  let summary = "Compute several iterations of a parallel loop at once";
  let description = [{
    LLVM makes vectors of inner loops, and not where these divide integers. Here,
    neighboring iterations of the last of parallel loops are the lanes of a
    vector where

    - inner loops carry something that differs between them: scans and bags of
      rows, whose elements lie next to each other in memory. What is the same in
      all lanes, such as the bounds of inner loops, is computed once, and
      asserted once;
    - integers are divided: in f64, which is exact where numbers lie in
      -2^51..2^51. Lanes of which one has another number, or a divisor of 0, are
      taken one by one;
    - sines, cosines, and tangents of f32, are computed: whole turns are taken off
      an angle in fewer steps, in f64 without the C library, where those of all
      lanes are less than 2^20;
    - remainders of f32 are computed: in f64, where the quotients of all lanes
      are less than 2^29.

    What is left at the end is taken by 16 lanes, by 8, and then one by one. Where an
    inner loop carries something and writes it at each step, but along the row,
    four rows are taken side by side.

    Input:
    ```mlir
    func.func @scan(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      scf.parallel (%j) = (%c0) to (%n) step (%c1) {
        %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
          %v = memref.load %x[%i, %j] : memref<?x?xf32>
          %t = arith.addf %sum, %v : f32
          memref.store %t, %y[%i, %j] : memref<?x?xf32>
          scf.yield %t : f32
        }
        scf.reduce
      }
      return
    }
    ```

    Output, without what is left at the end:
    ```
    scf.parallel (%begin) = (%c0) to (%n) step (%c64) {
      ...
      scf.for %j = %begin to %whole step %c64 {
        %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zeros) -> (vector<64xf32>) {
          %v = vector.load %x[%i, %j] : memref<?x?xf32>, vector<64xf32>
          %t = arith.addf %sum, %v : vector<64xf32>
          vector.store %t, %y[%i, %j] : memref<?x?xf32>, vector<64xf32>
          scf.yield %t : vector<64xf32>
        }
      }
      ...
      scf.reduce
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // TALLY_CODEGEN_SCHEDULECPU_PASSES
