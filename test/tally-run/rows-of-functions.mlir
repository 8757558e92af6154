// Functions of a row that all rows of another operand are combined with.
// RUN: tally-run %s --compare --cases %S/Inputs/rows-of-functions.json --rtol 1e-6 --atol 1e-6 | FileCheck %s
// CHECK-COUNT-6: PASS
// CHECK-NOT: FAIL
func.func @main(%x: tensor<?x?x?xf32> {tally.shape = #tally.shape<s0, s1, s2>}, %rows: tensor<?x?xf32> {tally.shape = #tally.shape<s1, s2>})
    -> tensor<?x?x?xf32> attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %ofRows = tensor.empty(%b, %c) : tensor<?x?xf32>
  %empty = tensor.empty(%a, %b, %c) : tensor<?x?x?xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<?x?xf32>) outs(%ofRows : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.cos %in : f32
    linalg.yield %f : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %cos : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %f: f32, %out: f32):
    %p = arith.mulf %e, %f : f32
    linalg.yield %p : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
