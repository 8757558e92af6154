// A cond in a loop, by the parity of the iteration; its branches differ in what they need.
func.func @main(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %rest = arith.remsi %i, %c2 : index
    %odd = arith.cmpi eq, %rest, %c1 : index
    %u = tally.cond %odd (%t) : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>):
      %s = arith.addf %a, %y : tensor<?xf32>
      tally.yield %s : tensor<?xf32>
    } else {
    ^bb0(%a: tensor<?xf32>):
      %s = arith.mulf %a, %a : tensor<?xf32>
      tally.yield %s : tensor<?xf32>
    }
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
