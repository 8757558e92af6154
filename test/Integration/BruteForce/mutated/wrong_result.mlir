// add_equal, but a product.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.mulf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
