// The element in the middle of the order of each row, and where it was.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>}, tensor<?xi64> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1 : [1, 9223372036854775807]>} {
  %s0 = tally.size <s0> : index
  %s1 = tally.size <s1> : index
  %two = arith.constant 2 : index
  %half = arith.divui %s1, %two : index
  %v = tensor.empty(%s0) : tensor<?x1xf32>
  %i = tensor.empty(%s0) : tensor<?x1xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x1xf32>) indices(%i : tensor<?x1xi64>) dim 1 from %half
      -> tensor<?x1xf32>, tensor<?x1xi64>
  %values = tensor.collapse_shape %r#0 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %indices = tensor.collapse_shape %r#1 [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  return %values, %indices : tensor<?xf32>, tensor<?xi64>
}
