// Elements are computed from indices that stand in another tensor, as many as an
// argument says.
func.func @main(%x: tensor<?xf32>, %at: tensor<?xi64>, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %e = tensor.extract %at[%i] : tensor<?xi64>
    %j = arith.index_cast %e : i64 to index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
