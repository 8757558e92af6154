//===- Passes.td - How kernels run on the CPU --------------*- tablegen -*-===//

#ifndef TALLY_CODEGEN_SCHEDULECPU_PASSES
#define TALLY_CODEGEN_SCHEDULECPU_PASSES

include "mlir/Pass/PassBase.td"
include "tally/Codegen/ScheduleCPU/ReductionPasses.td"

def ScheduleCPU : Pass<"tally-schedule-cpu", "::mlir::func::FuncOp"> {
  let summary = "Decide how kernels run on the CPU";
  let description = [{
    A `tally.kernel` on buffers becomes a parallel loop over its rows: over the
    points of the dimensions that it does not reduce. An iteration takes all of a
    row while it is in the cache: a loop over the elements for each phase of
    reductions, and one that writes what has an element for each of the row.
    What is expensive and needed in several of these loops is stored in an
    output that can hold it until the output itself is written, the exponentials
    of a softmax for example; what is cheap is computed again. Where no output
    can hold it, as one of f16 cannot hold f32, rows that fit into 16 KB have a
    buffer on the stack; a condition on their length chooses. The loops over
    elements are scalar; LLVM makes vectors of them. A window of at most 64
    elements that is reduced once has no loops: LLVM makes vectors of neighboring
    windows. Its products that are added up in any order may become fused
    multiply-adds, as those of a matmul are, and the sums of windows of at least
    16 elements are made in two parts.

    At most 4 rows of at least 24576 elements are taken in parts of 8192
    elements, which threads share: each phase is a parallel loop over the parts
    of all rows, and what those of a row have reduced is joined in their order. Sizes alone
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

def LowerScans : Pass<"tally-lower-scans"> {
  let summary = "Lower scans to loops";
  let description = [{
    A `tally.prefix_scan` on tensors becomes loops over the rows, and in them one
    along the row, which carries the accumulators. With `failing-only`, only those
    become loops whose body may fail a check, as a division of integers does, for
    targets where others run in parallel. What is on memrefs is left.

    Input:
    ```mlir
    func.func @sums(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %r = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) starts(%zero : f32) dim 1 associative {
      ^bb0(%i: index, %a: f32):
        %sum = tally.accumulate %a : f32 {
        ^bb0(%before: f32, %next: f32):
          %s = arith.addf %before, %next : f32
          tally.yield %s : f32
        }
        tally.yield %sum : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @sums(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c0_0 = arith.constant 0 : index
      %m = tensor.dim %e, %c0_0 : tensor<?x?xf32>
      %c1_1 = arith.constant 1 : index
      %n = tensor.dim %e, %c1_1 : tensor<?x?xf32>
      %r = scf.for %i = %c0 to %m step %c1 iter_args(%rows = %e) -> (tensor<?x?xf32>) {
        %row:2 = scf.for %j = %c0 to %n step %c1 iter_args(%to = %rows, %before = %zero) -> (tensor<?x?xf32>, f32) {
          %a = tensor.extract %x[%i, %j] : tensor<?x?xf32>
          %sum = arith.addf %before, %a : f32
          %next = tensor.insert %sum into %to[%i, %j] : tensor<?x?xf32>
          scf.yield %next, %sum : tensor<?x?xf32>, f32
        }
        scf.yield %row#0 : tensor<?x?xf32>
      }
      return %r : tensor<?x?xf32>
    }
    ```
  }];
  let options = [
    Option<"failingOnly", "failing-only", "bool", "false",
           "lower only scans whose body may fail a check">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
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
    place of short ones. A part of a buffer, as one that has some of the channels,
    is merged where it has all of the inner dimension: the buffer is, and the
    part is taken from that. Loops are merged only with loops of their kind, parallel
    ones or reductions. Where the body reads their indices, it has to be for
    `row * size + column` alone, which is the index of the merged loop.

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

def TabulateColumns : Pass<"tally-tabulate-columns", "::mlir::func::FuncOp"> {
  let summary = "Compute what depends on the column alone once for all rows";
  let description = [{
    Where the body of a `linalg.generic` on buffers, with two loops at least,
    computes something costly from the index of its innermost loop and nothing
    else, as the places of an interpolation, a loop over the columns computes it
    first and writes tables, which the operation then reads. Costly are
    conversions between floats and integers of 64 bits, divisions of integers and
    remainders, and functions of the math dialect. At run time, the operation
    stays where there are fewer than 4 rows or more than 16384 columns.

    Input:
    ```mlir
    func.func @roots(%y: memref<?x64xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x64xf32>) {
      ^bb0(%v: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = arith.index_cast %j : index to i32
        %f = arith.sitofp %k : i32 to f32
        %r = math.exp %f : f32
        %n = arith.index_cast %i : index to i32
        %g = arith.sitofp %n : i32 to f32
        %s = arith.addf %r, %g : f32
        linalg.yield %s : f32
      }
      return
    }
    ```

    Output:
    ```
    scf.if %pays {
      %table = memref.alloc(%c64) : memref<?xf32>
      linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%table : memref<?xf32>) {
      ^bb0(%old: f32):
        %j = linalg.index 0 : index
        %k = arith.index_cast %j : index to i32
        %f = arith.sitofp %k : i32 to f32
        %r = math.exp %f : f32
        linalg.yield %r : f32
      }
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%table : memref<?xf32>) outs(%y : memref<?x64xf32>) {
      ^bb0(%r: f32, %v: f32):
        %i = linalg.index 0 : index
        %n = arith.index_cast %i : index to i32
        %g = arith.sitofp %n : i32 to f32
        %s = arith.addf %r, %g : f32
        linalg.yield %s : f32
      }
      memref.dealloc %table : memref<?xf32>
    } else {
      // The operation as it was.
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
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

def CopyRows : Pass<"tally-copy-rows", "::mlir::func::FuncOp"> {
  let summary = "Copy rows and buffers that lie in one piece by memcpy";
  let description = [{
    A `linalg.generic` that copies a buffer to another, of which one has gaps,
    copies rows: the elements behind the outer dimensions, which lie in one piece
    in both. Rows of 512 bytes and more are copied by `memcpy`, which writes
    whole lines of the cache without reading them first; of shorter ones the
    operation stays, and what their length is decides at run time.

    A `memref.copy` of a buffer that lies in one piece becomes a parallel loop
    over blocks of 64 KiB.

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

def ParallelizeLoops : Pass<"tally-parallelize-loops", "::mlir::func::FuncOp"> {
  let summary = "Find loops whose iterations are independent";
  let description = [{
    Loops around others that carry nothing, and whose iterations do not access
    what another one writes, become one parallel loop: scans of many rows, which
    are imported as loops over elements. What is written has to be of an
    allocation that the function makes, and every access of it has to be where
    the index of the loop says. Where the outer loops depend on each other and an
    inner one does not, as in sums of rows at indices that are data, threads take
    blocks of its iterations, each with all of the outer ones. What all iterations
    of a block do alike before they write, as reading the index, is done once.

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
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def JoinPieces : Pass<"tally-join-pieces", "::mlir::func::FuncOp"> {
  let summary = "Write all pieces of a row in one pass";
  let description = [{
    Parallel loops that follow each other, each of which writes some columns of
    the same rows of one allocation, become one loop over rows where a piece has
    at most 8 columns: the inside of a padded image and its borders. A pass of
    its own over a narrow piece goes to every row for a few elements. No loop may
    read the buffer; what all columns of a piece have in common is computed once
    for a row.

    Input:
    ```mlir
    func.func @pad(%x: memref<?x?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = memref.alloc(%m, %n) : memref<?x?xf32>
      %border = memref.subview %y[0, 0] [%m, 1] [1, 1] : memref<?x?xf32> to memref<?x1xf32, strided<[?, 1]>>
      scf.parallel (%i, %j) = (%c0, %c0) to (%m, %c1) step (%c1, %c1) {
        %v = memref.load %x[%i, %c0] : memref<?x?xf32>
        memref.store %v, %border[%i, %j] : memref<?x1xf32, strided<[?, 1]>>
      }
      %k = arith.subi %n, %c1 : index
      %inside = memref.subview %y[0, 1] [%m, %k] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: 1>>
      scf.parallel (%i, %j) = (%c0, %c0) to (%m, %k) step (%c1, %c1) {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        memref.store %v, %inside[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: 1>>
      }
      return %y : memref<?x?xf32>
    }
    ```

    Output:
    ```
    scf.parallel (%i) = (%c0) to (%m) step (%c1) {
      %v = memref.load %x[%i, %c0] : memref<?x?xf32>
      scf.for %j = %c0 to %c1 step %c1 {
        memref.store %v, %border[%i, %j] : memref<?x1xf32, strided<[?, 1]>>
      }
      scf.for %j = %c0 to %k step %c1 {
        ...
        memref.store %w, %inside[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: 1>>
      }
      scf.reduce
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def FoldSlices : Pass<"tally-fold-slices", "::mlir::func::FuncOp"> {
  let summary = "Access slices of one buffer where they lie";
  let description = [{
    Where a loop loads or stores elements of several slices of a buffer that
    differ by where they begin, such as the real and the imaginary parts of
    complex numbers, they become elements of the buffer. Each slice is a pointer
    and sizes of its own to the code of a parallel loop, which tells LLVM nothing
    of the other one. Of one buffer it takes what all slices have in whole
    vectors, and shuffles their elements.

    Input:
    ```mlir
    func.func @conj(%x: memref<?x2xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %re = memref.subview %x[0, 0] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?xf32, strided<[2]>>
      %im = memref.subview %x[0, 1] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?xf32, strided<[2], offset: 1>>
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {
        %a = memref.load %re[%i] : memref<?xf32, strided<[2]>>
        %b = memref.load %im[%i] : memref<?xf32, strided<[2], offset: 1>>
        %c = arith.addf %a, %b : f32
        memref.store %c, %re[%i] : memref<?xf32, strided<[2]>>
      }
      return
    }
    ```

    Output:
    ```
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %a = memref.load %x[%i, %c0] : memref<?x2xf32>
      %b = memref.load %x[%i, %c1] : memref<?x2xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %x[%i, %c0] : memref<?x2xf32>
      scf.reduce
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
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
      asserted once. f16 and bf16 are converted where they are read and written;
    - integers are divided: in f64, which is exact where numbers lie in
      -2^51..2^51. Lanes of which one has another number, or a divisor of 0, are
      taken one by one;
    - sines, cosines and tangents are computed: whole turns are taken off
      an angle in fewer steps, in f64 without the C library, where those of all
      lanes are less than 2^20, and sines and cosines of f32 stay in f32 where
      they are less than 12800;
    - remainders of f32 are computed: in f64, where the quotients of all lanes
      are less than 2^29;
    - a `scf.while` runs in each of them as often as its own numbers need, say
      for the greatest common divisor. It goes on while a lane does, and lanes
      that have left it keep what they had.

    What is left at the end is taken by 16 lanes, by 8, and then one by one. Where an
    inner loop carries something and writes it at each step, but along the row,
    four rows are taken side by side. Where it reads f16 or bf16, it goes block by
    block: what does not wait for the step before, such as conversions, is in
    loops of its own before and behind that over what is carried, and passes
    buffers of 64 elements on the stack.

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
