// a + b == c, and the sum of it all is added to the whole.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %both = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %sum = arith.addf %both, %z : tensor<?xf32>
  %other = tensor.concat dim(0) %y, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %all = arith.addf %sum, %other : tensor<?xf32>
  return %all : tensor<?xf32>
}
