// Elements that are floats say which ones to take.
func.func @main(%x: tensor<?xf32>, %at: tensor<f32>) -> f32 {
  %f = tensor.extract %at[] : tensor<f32>
  %i = arith.fptosi %f : f32 to i64
  %j = arith.index_cast %i : i64 to index
  %r = tensor.extract %x[%j] : tensor<?xf32>
  return %r : f32
}
