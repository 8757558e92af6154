// Two loops: the inner one runs as often as the outer index says.
func.func @main(%n: index, %x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %s = scf.for %j = %c0 to %i step %c2 iter_args(%b = %a) -> f32 {
      %at = arith.addi %i, %j : index
      %v = tensor.extract %x[%at] : tensor<?xf32>
      %t = arith.addf %b, %v : f32
      scf.yield %t : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}
