// What attention requires: sizes along a loop are the same, and heads of queries
// can be grouped.
// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    tally.check <g == g2> required_by("tally.attention")
// CHECK-NEXT:    tally.check <g * (h floordiv max(g, 1)) == h>, "heads of queries cannot be grouped for heads of keys" required_by("tally.attention")
// CHECK-NEXT:    tally.check <n == n2> required_by("tally.attention")
// CHECK-NEXT:    tally.check <m == m2> required_by("tally.attention")
// CHECK-NEXT:    tally.check <m == m3> required_by("tally.attention")
// CHECK-NEXT:    tally.check <d == d2> required_by("tally.attention")
// CHECK-NEXT:    tally.attention
func.func @f(%q: tensor<?x?x?xf32> {tally.shape = #tally.shape<h, n, d>}, %k: tensor<?x?x?xf32> {tally.shape = #tally.shape<g, m, d2>}, %v: tensor<?x?x?xf32> {tally.shape = #tally.shape<g2, m2, c>}, %x: tensor<?x?xf32> {tally.shape = #tally.shape<n2, m3>}, %e: tensor<?x?x?xf32> {tally.shape = #tally.shape<h, n, c>}) -> tensor<?x?x?xf32>
    attributes {tally.symbols = #tally.symbols<h, n, d, g, m, d2, g2, m2, c, n2, m3>} {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [affine_map<(h, i, j, e, c) -> (h, i, e)>, affine_map<(h, i, j, e, c) -> (h, j, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (i, j)>,
            affine_map<(h, i, j, e, c) -> (h, i, c)>] grouped
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
