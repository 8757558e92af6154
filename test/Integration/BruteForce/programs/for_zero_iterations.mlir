// A sum in a loop: no iteration, no precondition.
func.func @main(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %sum = arith.addf %t, %y : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
