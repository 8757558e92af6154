// A prefix of the rows for each iteration, as long as its number.
func.func @main(%n: index, %x: tensor<?x2xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %rows = tensor.extract_slice %x[0, 0] [%i, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
    %empty = tensor.from_elements %a : tensor<f32>
    %sum = linalg.reduce ins(%rows : tensor<?x2xf32>) outs(%empty : tensor<f32>) dimensions = [0, 1]
        (%e: f32, %acc: f32) {
          %s = arith.addf %e, %acc : f32
          linalg.yield %s : f32
        }
    %v = tensor.extract %sum[] : tensor<f32>
    scf.yield %v : f32
  }
  return %r : f32
}
