// A filter of one pole: each step needs the one before.
func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%state = %zero) -> f32 {
    %e = tensor.extract %x[%i] : tensor<?xf32>
    %scaled = arith.mulf %state, %half : f32
    %next = arith.addf %scaled, %e : f32
    scf.yield %next : f32
  }
  %result = tensor.from_elements %last : tensor<f32>
  return %result : tensor<f32>
}
