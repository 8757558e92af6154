// Batches, the second operand transposed.
func.func @main(%x: tensor<?x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1, s3>},
                %y: tensor<?x?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s0, s2, s3>})
    -> (tensor<?x?x?xf32> {tally.shape = #tally.shape<s0, s1, s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3>} {
  %b = tally.size <s0> : index
  %m = tally.size <s1> : index
  %n = tally.size <s2> : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %s = arith.addf %o, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
