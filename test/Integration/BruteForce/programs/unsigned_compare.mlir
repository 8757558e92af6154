// Below as an unsigned number is both: not negative, and below.
func.func @main(%n: index, %x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 100.0 : f32
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %inside = arith.cmpi ult, %n, %size : index
  %r = scf.if %inside -> f32 {
    %v = tensor.extract %x[%n] : tensor<?xf32>
    scf.yield %v : f32
  } else {
    %below = arith.cmpi slt, %n, %size : index
    %w = scf.if %below -> f32 {
      scf.yield %zero : f32
    } else {
      %v = tensor.extract %x[%c0] : tensor<?xf32>
      scf.yield %v : f32
    }
    scf.yield %w : f32
  }
  return %r : f32
}
