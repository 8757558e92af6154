// A gather of a gather by the same indices.
func.func @main(%x: tensor<?xf32>, %ids: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %a = tensor.generate %n {
  ^bb0(%i: index):
    %e = tensor.extract %ids[%i] : tensor<?xi64>
    %j = arith.index_cast %e : i64 to index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  %b = tensor.generate %n {
  ^bb0(%i: index):
    %e = tensor.extract %ids[%i] : tensor<?xi64>
    %j = arith.index_cast %e : i64 to index
    %v = tensor.extract %a[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %b : tensor<?xf32>
}
