// A tensor grows in a loop; its size at the end has to fit another one.
func.func @main(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %grown = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %longer = tensor.concat dim(0) %t, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %longer : tensor<?xf32>
  }
  %sum = arith.addf %grown, %y : tensor<?xf32>
  return %sum : tensor<?xf32>
}
