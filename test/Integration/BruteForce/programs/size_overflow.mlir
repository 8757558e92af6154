// Products of numbers that do not fit are refused, and only where they are computed.
func.func @main(%n: i64 {tally.name = "n", tally.value = #tally.expr<n>},
                %m: i64 {tally.name = "m", tally.value = #tally.expr<m>}) -> index
    attributes {tally.symbols = #tally.symbols<n : [-inf, inf], m : [-inf, inf]>} {
  %positive = tally.size <"m > 0"> : i1
  %r = scf.if %positive -> index {
    %v = tally.size <n * m + 1> : index
    scf.yield %v : index
  } else {
    %v = tally.size <n> : index
    scf.yield %v : index
  }
  return %r : index
}
