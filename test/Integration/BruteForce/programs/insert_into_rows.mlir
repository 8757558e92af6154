// A vector becomes a row of a matrix, in a loop over rows that an argument counts.
func.func @main(%n: index, %x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %y, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?x?xf32> {
    %u = tensor.insert_slice %y into %t[%i, 0] [1, %k] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
    scf.yield %u : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
