// Elements are added in front and behind; neither number may be negative.
func.func @main(%x: tensor<?xf32>, %front: index, %behind: index) -> tensor<?xf32> {
  %zero = arith.constant 7.0 : f32
  %r = tensor.pad %x low[%front] high[%behind] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
