// One element, at an index that may be anything.
func.func @main(%x: tensor<?x?xf32>, %i: index, %j: index) -> f32 {
  %r = tensor.extract %x[%i, %j] : tensor<?x?xf32>
  return %r : f32
}
