// Three symbols in three sums: two sizes and a number.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 + s1>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1 + s2>},
                %n: i64 {tally.name = "n", tally.value = #tally.expr<s2 + s0>}) -> (index, index, index)
    attributes {tally.symbols = #tally.symbols<s0, s1 : % 2, s2>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  %c = tally.size <s2> : index
  return %a, %b, %c : index, index, index
}
