// Integer division of vectors: by zero it is refused.
func.func @main(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %r = arith.floordivsi %x, %y : tensor<?xi64>
  return %r : tensor<?xi64>
}
