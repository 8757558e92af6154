func.func @main(%x: tensor<?xf32>, %i: index, %v: f32) -> tensor<?xf32> {
  %r = tensor.insert %v into %x[%i] : tensor<?xf32>
  return %r : tensor<?xf32>
}
