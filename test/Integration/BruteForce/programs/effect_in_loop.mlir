// In every iteration an effect, behind which the iteration is checked.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %k = arith.index_cast %i : index to i64
    tally.custom_call @log_number(%k) : (i64) -> ()
    tally.check <i <= s0>, "no further" (i = %i : index)
    %next = arith.addi %sum, %i : index
    scf.yield %next : index
  }
  return %r : index
}
