// The same without any annotation, and on tensors as wholes: a chain of two sums
// that needs two equalities.
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sum = arith.addf %x, %y : tensor<?x?xf32>
  %twice = arith.addf %sum, %y : tensor<?x?xf32>
  return %twice : tensor<?x?xf32>
}
