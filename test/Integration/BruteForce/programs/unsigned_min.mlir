// The smaller of two as unsigned numbers is an index, whatever the first is.
func.func @main(%n: index, %x: tensor<?xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %size, %c1 : index
  %a = arith.minui %n, %last : index
  %v = tensor.extract %x[%a] : tensor<?xf32>
  %b = arith.maxui %n, %c0 : index
  %c = arith.remui %b, %size : index
  %w = tensor.extract %x[%c] : tensor<?xf32>
  return %v, %w : f32, f32
}
