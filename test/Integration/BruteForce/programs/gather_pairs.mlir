func.func @main(%x: tensor<?x3xf32>, %at: tensor<?x2xi64>) -> tensor<?xf32> {
  %r = tensor.gather %x[%at] gather_dims([0, 1]) : (tensor<?x3xf32>, tensor<?x2xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
