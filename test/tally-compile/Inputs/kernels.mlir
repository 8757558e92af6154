// A kernel of two operations, and one that cannot be part of it.
func.func @main(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %r = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.add ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %exp = linalg.exp ins(%sum : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %last = tensor.extract_slice %exp[0, 63] [%n, 1] [1, 1] : tensor<?x64xf32> to tensor<?xf32>
  %log = linalg.log ins(%last : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %log : tensor<?xf32>
}
