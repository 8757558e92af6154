// From anywhere to anywhere in steps of any length, which has to be positive.
func.func @main(%from: index, %to: index, %step: index, %x: tensor<9xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %forward = arith.cmpi sgt, %step, %c0 : index
  %r = scf.if %forward -> f32 {
    %s = scf.for %i = %from to %to step %step iter_args(%a = %zero) -> f32 {
      %v = tensor.extract %x[%i] : tensor<9xf32>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    scf.yield %s : f32
  } else {
    scf.yield %zero : f32
  }
  return %r : f32
}
