func.func @f(%x: tensor<?xcomplex<f32>>, %y: tensor<?xcomplex<f32>>, %o: tensor<?xf32>) -> tensor<?xcomplex<f32>> {
  %0 = linalg.map { complex.add } ins(%x, %y : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) outs(%x : tensor<?xcomplex<f32>>)
  %1 = tensor.cast %o : tensor<?xf32> to tensor<3xf32>
  return %0 : tensor<?xcomplex<f32>>
}
func.func @vectors_inside(%x: tensor<?xvector<4xf32>>) -> tensor<?xvector<4xf32>> {
  %0 = "other.op"(%x) : (tensor<?xvector<4xf32>>) -> tensor<?xvector<4xf32>>
  return %0 : tensor<?xvector<4xf32>>
}
