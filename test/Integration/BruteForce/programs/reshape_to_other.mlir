// A matrix gets the sizes of another one.
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %y, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %y, %c1 : tensor<?x?xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = tensor.expand_shape %flat [[0, 1]] output_shape [%rows, %columns] : tensor<?xf32> into tensor<?x?xf32>
  %sum = arith.addf %r, %y : tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
