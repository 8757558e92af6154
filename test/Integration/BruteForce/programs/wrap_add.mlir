// A sum that wraps is no sum: that it is not negative does not follow.
func.func @main(%n: index, %m: index, %x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  tally.check <0 <= n and 0 <= m>, "not negative" (n = %n, m = %m : index, index)
  %k = arith.addi %n, %m : index
  %at = arith.minsi %k, %c0 : index
  %r = tensor.extract %x[%at] : tensor<?xf32>
  return %r : f32
}
