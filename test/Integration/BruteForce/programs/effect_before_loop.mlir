// A loop whose precondition is known before an effect, if it runs at all.
func.func @main(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %k = arith.index_cast %i : index to i64
    tally.custom_call @log_number(%k) : (i64) -> ()
    %u = arith.addf %t, %y : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
