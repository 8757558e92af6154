// The sizes of the result are in a tensor.
func.func @main(%x: tensor<?xf32>, %rows: i64, %columns: i64) -> tensor<?x?xf32> {
  %shape = tensor.from_elements %rows, %columns : tensor<2xi64>
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
