// A tensor whose element is declared to be three times a symbol, and a boolean that
// is declared to be a condition.
func.func @main(%t: tensor<i64> {tally.name = "t", tally.value = #tally.expr<3 * s0>},
                %p: i1 {tally.name = "p", tally.value = #tally.expr<"s0 > 1">}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  return %n : index
}
