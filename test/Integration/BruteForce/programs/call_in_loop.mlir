// A private function that is called in a loop with another size in every iteration.
func.func private @first(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %r = tensor.extract %x[%c0] : tensor<?xf32>
  return %r : f32
}
func.func @main(%n: index, %x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %k = arith.subi %size, %i : index
    %t = tensor.extract_slice %x[%i] [%k] [1] : tensor<?xf32> to tensor<?xf32>
    %v = func.call @first(%t) : (tensor<?xf32>) -> f32
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  return %r : f32
}
