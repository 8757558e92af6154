func.func @main(%x: tensor<?x2xf32>, %at: tensor<?x1xi64>, %new: tensor<?x1x2xf32>) -> tensor<?x2xf32> {
  %r = tensor.scatter %new into %x[%at] scatter_dims([0]) unique : (tensor<?x1x2xf32>, tensor<?x2xf32>, tensor<?x1xi64>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
