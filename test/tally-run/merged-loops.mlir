// Loops that become one (tally-merge-loops), and rows that are taken in turn by a thread (tally-outline-parallel), beside the
// interpreter: of nothing, of one element, of odd sizes, of several chunks.
// RUN: tally-run %s --compare --entry channels --rtol 0 --cases %S/Inputs/merged-loops.json | FileCheck %s
// RUN: tally-run %s --compare --entry apart --rtol 0 --cases %S/Inputs/merged-loops.json | FileCheck %s
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry halves --rtol 0 --cases %S/Inputs/merged-loops.json | FileCheck %s
// RUN: tally-run %s --compare --entry sums --rtol 1e-5 --cases %S/Inputs/merged-loops.json | FileCheck %s
// CHECK-COUNT-9: PASS

#bcij = affine_map<(b, c, i, j) -> (b, c, i, j)>
#c = affine_map<(b, c, i, j) -> (c)>
#bc = affine_map<(b, c, i, j) -> (b, c)>

// The two last loops are one.
func.func @channels(%x: tensor<?x?x?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %k = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %e = tensor.empty(%b, %n, %h, %k) : tensor<?x?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#bcij, #c, #bcij], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?x?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %unused: f32):
    %t = arith.mulf %v, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// None are: there are three outer ones, whose indices are carried along.
func.func @apart(%x: tensor<?x?x?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %k = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %e = tensor.empty(%h, %n, %b, %k) : tensor<?x?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, c, b, j) -> (b, c, i, j)>, affine_map<(i, c, b, j) -> (c)>, affine_map<(i, c, b, j) -> (i, c, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?x?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %unused: f32):
    %t = arith.addf %v, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func @sums(%x: tensor<?x?x?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %e = tensor.empty(%b, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#bcij, #c, #bc], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%v: f32, %k: f32, %s: f32):
    %a = math.absf %v : f32
    %p = arith.addf %a, %k : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Some of the channels, with all rows and columns, are one dimension of what is read; of what is written, rows and columns of
// a part that is behind other channels are.
func.func @halves(%x: tensor<?x?x?x?xf32>, %w: tensor<?xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %k = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %half = arith.divui %n, %c2 : index
  %rest = arith.subi %n, %half : index
  %part = tensor.extract_slice %x[0, %half, 0, 0] [%b, %rest, %h, %k] [1, 1, 1, 1] : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %e = tensor.empty(%b, %rest, %h, %k) : tensor<?x?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#bcij, #bcij], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%part : tensor<?x?x?x?xf32>) outs(%e : tensor<?x?x?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.addf %v, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x?xf32>
  %all = tensor.insert_slice %r into %x[0, %half, 0, 0] [%b, %rest, %h, %k] [1, 1, 1, 1] : tensor<?x?x?x?xf32> into tensor<?x?x?x?xf32>
  return %r, %all : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
