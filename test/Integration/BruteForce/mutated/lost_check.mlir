// add_equal, but nobody checks that the sizes are equal.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %least = arith.minsi %n, %m : index
  %a = tensor.extract_slice %x[0] [%least] [1] : tensor<?xf32> to tensor<?xf32>
  %b = tensor.extract_slice %y[0] [%least] [1] : tensor<?xf32> to tensor<?xf32>
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
