// Counts that have to sum up to a size.
func.func @main(%counts: tensor<?xi64> {tally.name = "counts", tally.shape = #tally.shape<s0>},
                %y: tensor<?xi64> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %at = tally.repeat_interleave %counts : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <u0 == s1>, "the counts are of y"
  %r = arith.addi %at, %y : tensor<?xi64>
  return %r : tensor<?xi64>
}
