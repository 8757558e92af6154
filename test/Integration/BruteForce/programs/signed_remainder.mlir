// A remainder with a sign, and one without.
func.func @main(%n: index, %m: index, %x: tensor<4xf32>) -> f32 {
  %c4 = arith.constant 4 : index
  %a = arith.remsi %n, %c4 : index
  %positive = tensor.extract %x[%a] : tensor<4xf32>
  %b = arith.floordivsi %m, %c4 : index
  %c = arith.muli %b, %c4 : index
  %d = arith.subi %m, %c : index
  %other = tensor.extract %x[%d] : tensor<4xf32>
  %r = arith.addf %positive, %other : f32
  return %r : f32
}
