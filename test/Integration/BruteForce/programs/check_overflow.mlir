// A check of numbers whose product does not fit is about the numbers, not about
// what fits.
func.func @main(%n: i64 {tally.name = "n", tally.value = #tally.expr<n>},
                %m: i64 {tally.name = "m", tally.value = #tally.expr<m>}) -> i64
    attributes {tally.symbols = #tally.symbols<n : [-inf, inf], m : [-inf, inf]>} {
  tally.check <n + m == m + n>, "always"
  tally.check <n <= m + 5>, "not much more"
  return %n : i64
}
