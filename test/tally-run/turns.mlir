// What is read backwards (tally-straighten-loads), beside the interpreter: at sizes 0, 1, of a block of a transpose, and
// around them.
// RUN: tally-run %s --compare --entry quarter --rtol 0 --cases %S/Inputs/transposes-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry half --rtol 0 --cases %S/Inputs/transposes-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry three_quarters --rtol 0 --cases %S/Inputs/transposes-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry upside_down --rtol 0 --cases %S/Inputs/transposes-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry mirrored --rtol 0 --cases %S/Inputs/transposes-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry mirrored_turn --rtol 0 --cases %S/Inputs/transposes-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry images --rtol 0 --cases %S/Inputs/transposes-images.json | FileCheck %s --check-prefix=IMAGES
// CHECK-COUNT-9: PASS
// IMAGES-COUNT-4: PASS

func.func @quarter(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lastRow = arith.subi %m, %c1 : index
  %lastColumn = arith.subi %n, %c1 : index
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = arith.subi %lastColumn, %i : index
    %v = tensor.extract %x[%j, %l] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @half(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lastRow = arith.subi %m, %c1 : index
  %lastColumn = arith.subi %n, %c1 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %lastRow, %i : index
    %l = arith.subi %lastColumn, %j : index
    %v = tensor.extract %x[%k, %l] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @three_quarters(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lastRow = arith.subi %m, %c1 : index
  %lastColumn = arith.subi %n, %c1 : index
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %lastRow, %j : index
    %v = tensor.extract %x[%k, %i] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @upside_down(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lastRow = arith.subi %m, %c1 : index
  %lastColumn = arith.subi %n, %c1 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %lastRow, %i : index
    %v = tensor.extract %x[%k, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @mirrored(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lastRow = arith.subi %m, %c1 : index
  %lastColumn = arith.subi %n, %c1 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = arith.subi %lastColumn, %j : index
    %v = tensor.extract %x[%i, %l] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Along the other diagonal.
func.func @mirrored_turn(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lastRow = arith.subi %m, %c1 : index
  %lastColumn = arith.subi %n, %c1 : index
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %lastRow, %j : index
    %l = arith.subi %lastColumn, %i : index
    %v = tensor.extract %x[%k, %l] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Both are read along the loop that goes the other way, of which the body has the index.
func.func @images(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %k = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %lastRow = arith.subi %n, %c1 : index
  %lastColumn = arith.subi %k, %c1 : index
  %e = tensor.empty(%m, %k, %n) : tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = linalg.index 2 : index
    %l = arith.subi %lastColumn, %j : index
    %p = arith.subi %lastRow, %c : index
    %v = tensor.extract %x[%i, %p, %l] : tensor<?x?x?xf32>
    %w = tensor.extract %x[%i, %c, %l] : tensor<?x?x?xf32>
    %number = arith.index_cast %j : index to i64
    %float = arith.sitofp %number : i64 to f32
    %t = arith.mulf %v, %float : f32
    %s = arith.subf %t, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
