// How far apart the rows of a matrix are, which is told to be even, and where it
// begins. What is computed does not depend on it.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %pitch: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<2 * s2>},
                %start: index {tally.hidden = #tally.path<argument(0).storage_offset>, tally.value = #tally.expr<s3>}) -> (tensor<?x?xf32>, index, index)
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3 : [0, 16]>} {
  tally.check <s3 <= 2 * s2 + 3>, "begins early"
  %p = tally.size <s2> : index
  %s = tally.size <s3> : index
  %r = arith.addf %x, %x : tensor<?x?xf32>
  return %r, %p, %s : tensor<?x?xf32>, index, index
}
