// Nobody makes a tensor of a negative size.
func.func @main(%n: index, %m: index) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
