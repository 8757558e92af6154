// A remainder by a number that a branch has compared with zero.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %n: i64 {tally.name = "n", tally.value = #tally.expr<n>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, n : [-inf, inf]>} {
  %some = tally.size <"n != 0"> : i1
  %r = scf.if %some -> index {
    tally.check <s0 mod n == 0>, "whole ones"
    %v = tally.size <s0 floordiv n> : index
    scf.yield %v : index
  } else {
    tally.check <s0 ceildiv n <= 3>, "nobody divides by zero"
    %v = tally.size <s0> : index
    scf.yield %v : index
  }
  return %r : index
}
