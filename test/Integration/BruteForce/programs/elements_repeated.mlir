// Positions of the counts, each as often as its count says.
func.func @main(%x: tensor<?xf32>, %v: tensor<?xi64>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %at = tally.repeat_interleave %v : tensor<?xi64>
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %at[%k] : tensor<?xi64>
    %p = arith.index_cast %i : i64 to index
    %c = tensor.extract %v[%p] : tensor<?xi64>
    %f = arith.sitofp %c : i64 to f32
    %e = tensor.extract %x[%p] : tensor<?xf32>
    %s = arith.addf %f, %e : f32
    tensor.yield %s : f32
  } : tensor<?xf32>
  %t = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %at[%k] : tensor<?xi64>
    %p = arith.index_cast %i : i64 to index
    %e = tensor.extract %y[%p] : tensor<?xf32>
    tensor.yield %e : f32
  } : tensor<?xf32>
  return %r, %t : tensor<?xf32>, tensor<?xf32>
}
