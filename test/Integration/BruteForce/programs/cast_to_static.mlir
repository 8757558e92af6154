// A size that is claimed to be four.
func.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %four = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %r = arith.addf %four, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}
