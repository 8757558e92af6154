// Two numbers that are declared to be expressions of one name.
func.func @main(%n: i64 {tally.name = "n", tally.value = #tally.expr<2 * k>},
                %m: i64 {tally.name = "m", tally.value = #tally.expr<k + 1>}) -> i64
    attributes {tally.symbols = #tally.symbols<k : [0, 3]>} {
  %r = tally.size <k * k> : i64
  return %r : i64
}
