// A vector is added to every row of a matrix.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x"}, %y: tensor<?xf32> {tally.name = "y"}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %wide = linalg.broadcast ins(%y : tensor<?xf32>) outs(%init : tensor<?x?xf32>) dimensions = [0]
  %sum = linalg.add ins(%x, %wide : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
