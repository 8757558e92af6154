// A tensor is put into another one where an argument says.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %at: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %r = tensor.insert_slice %y into %x[%at] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
