// The sum is in one branch only: where it is not taken, sizes may differ.
func.func @main(%p: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %p -> tensor<?xf32> {
    %sum = arith.addf %x, %y : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
