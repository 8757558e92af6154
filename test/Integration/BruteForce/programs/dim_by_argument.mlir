// Which size is asked for comes from outside.
func.func @main(%x: tensor<?x?xf32>, %d: index) -> index {
  %r = tensor.dim %x, %d : tensor<?x?xf32>
  return %r : index
}
