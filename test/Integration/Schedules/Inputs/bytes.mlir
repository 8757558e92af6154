// Two of three bytes, which are read 8 at a time, and booleans.
func.func @main(%x: tensor<?xi8> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xi1> {tally.name = "y", tally.shape = #tally.shape<s0>})
    -> (tensor<?xi8> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  %e = tensor.empty(%n) : tensor<?xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xi8>, tensor<?xi1>) outs(%e : tensor<?xi8>) {
  ^bb0(%a: i8, %b: i1, %o: i8):
    %two = arith.constant 2 : i8
    %p = arith.muli %a, %two : i8
    %q = arith.select %b, %p, %a : i8
    linalg.yield %q : i8
  } -> tensor<?xi8>
  return %r : tensor<?xi8>
}
