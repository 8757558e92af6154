// Checks under two conditions, which decide some of them.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>},
                %n: i64 {tally.name = "n", tally.value = #tally.expr<n>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1, n : [-inf, inf]>} {
  %some = tally.size <"n > 0"> : i1
  %r = scf.if %some -> index {
    %below = tally.size <n < s0> : i1
    %inner = scf.if %below -> index {
      tally.check <0 <= n and n <= s0>, "follows from both conditions"
      tally.check <n <= s1>, "not more than y"
      %v = tally.size <s0 + s1 - n> : index
      scf.yield %v : index
    } else {
      tally.check <s0 <= n>, "follows from the inner condition"
      tally.check <s0 == s1>, "as many in both"
      %v = tally.size <2 * s0> : index
      scf.yield %v : index
    }
    scf.yield %inner : index
  } else {
    tally.check <n >= -2>, "not too negative"
    %v = tally.size <s1 - n> : index
    scf.yield %v : index
  }
  return %r : index
}
