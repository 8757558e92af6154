// As many rows as an argument says, which may be zero or negative.
func.func @main(%x: tensor<?xf32>, %rows: index, %columns: index) -> tensor<?x?xf32> {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%rows, %columns] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
