// silu(x) * y + x in bf16, each operation rounded as PyTorch does: silu itself is
// computed in f32.
#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xbf16> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xbf16> {tally.name = "y", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xbf16> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %empty = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %silu = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xbf16>) outs(%empty : tensor<?x?xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %one = arith.constant 1.0 : f32
    %wide = arith.extf %in : bf16 to f32
    %negated = arith.negf %wide : f32
    %exp = math.exp %negated : f32
    %sum = arith.addf %exp, %one : f32
    %quotient = arith.divf %wide, %sum : f32
    %narrow = arith.truncf %quotient : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<?x?xbf16>
  %product = linalg.mul ins(%silu, %y : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%empty : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %sum = linalg.add ins(%product, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%empty : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %sum : tensor<?x?xbf16>
}
