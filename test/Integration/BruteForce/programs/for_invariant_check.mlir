// A check that does not depend on the iteration, and one that does.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> index {
    tally.check <s0 mod 3 == 1>, "one more than threes"
    tally.check <i <= s0>, "no iteration behind the end" (i = %i : index)
    %u = arith.addi %t, %i : index
    scf.yield %u : index
  }
  return %r : index
}
