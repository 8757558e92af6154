// silu(x) * y + x, as four operations: what is fused is up to the compiler.
#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sigmoid = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %negated = arith.negf %in : f32
    %exp = math.exp %negated : f32
    %sum = arith.addf %exp, %one : f32
    %quotient = arith.divf %one, %sum : f32
    linalg.yield %quotient : f32
  } -> tensor<?x?xf32>
  %silu = linalg.mul ins(%x, %sigmoid : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.mul ins(%silu, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.add ins(%product, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
