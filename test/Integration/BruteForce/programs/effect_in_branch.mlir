// An effect and a check in a branch: neither where it is not taken.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = tally.size <s0> : index
  %r = scf.if %p -> index {
    tally.custom_call @log_number(%one) : (i64) -> ()
    tally.check <s0 <= 4>, "four at most"
    scf.yield %n : index
  } else {
    tally.custom_call @log_number(%two) : (i64) -> ()
    scf.yield %n : index
  }
  return %r : index
}
