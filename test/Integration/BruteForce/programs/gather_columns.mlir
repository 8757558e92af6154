func.func @main(%x: tensor<?x?xf32>, %at: tensor<?x1xi64>) -> tensor<?x?xf32> {
  %r = tensor.gather %x[%at] gather_dims([1]) : (tensor<?x?xf32>, tensor<?x1xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
