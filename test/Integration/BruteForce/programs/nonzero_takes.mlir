// The elements that are not zero, taken from a second vector: where it is shorter,
// an index may be too large.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %at = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
  %n = tensor.dim %at, %c0 : tensor<?x1xi64>
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %e = tensor.extract %at[%i, %c0] : tensor<?x1xi64>
    %j = arith.index_cast %e : i64 to index
    %v = tensor.extract %y[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
