// Numbers of three types, declared and checked.
func.func @main(%n: i64 {tally.name = "n", tally.value = #tally.expr<n>},
                %b: i1 {tally.name = "b", tally.value = #tally.expr<b>},
                %f: f64 {tally.name = "f", tally.value = #tally.expr<f>}) -> i64
    attributes {tally.symbols = #tally.symbols<n : [-2, 6] % 2, b : bool, f : float>} {
  tally.check <b or n <= f>, "true, or small enough"
  tally.check <f <= 10>, "ten at most"
  %r = tally.size <n + 2> : i64
  return %r : i64
}
