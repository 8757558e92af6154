// Element i times element i of a table in a file.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %table = tally.constant "table.bin" [OFFSET] : tensor<512xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %part = tensor.extract_slice %table[0] [%n] [1] : tensor<512xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.mul ins(%x, %part : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
