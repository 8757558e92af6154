// Two branches of different sizes, joined, then sliced by the smaller one.
func.func @main(%p: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %either = scf.if %p -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %least = arith.minsi %a, %b : index
  %front = tensor.extract_slice %either[0] [%least] [1] : tensor<?xf32> to tensor<?xf32>
  %sum = arith.addf %front, %x : tensor<?xf32>
  return %sum : tensor<?xf32>
}
