// What is left of a row after whole vectors where four rows of results are taken side by side, and one by one at the end.
// RUN: tally-run %s --compare --cases %S/Inputs/masked-tails-windows.json | FileCheck %s
// CHECK-COUNT-10: PASS

func.func @windows(%x: tensor<?x?x?xf32>, %w: tensor<?x3x5xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %channels = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %padded_height = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %padded_width = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %height = arith.subi %padded_height, %c2 : index
  %width = arith.subi %padded_width, %c4 : index
  %e = tensor.empty(%channels, %height, %width) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(c, i, j, k, l) -> (c, i + k, j + l)>, affine_map<(c, i, j, k, l) -> (c, k, l)>, affine_map<(c, i, j, k, l) -> (c, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x3x5xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %sum, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
