// Offset, size and step come from outside.
func.func @main(%x: tensor<?xf32>, %at: index, %n: index, %step: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %x[%at] [%n] [%step] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
