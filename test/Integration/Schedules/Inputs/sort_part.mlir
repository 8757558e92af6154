// Some of the smallest elements of each row, from one of them on.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %from: index {tally.name = "from", tally.value = #tally.expr<s2>},
                %size: index {tally.name = "size", tally.value = #tally.expr<s3>})
    -> (tensor<?x?xi32> {tally.shape = #tally.shape<s0, s3>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s3>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2 : [0, 9223372036854775807], s3 : [0, 9223372036854775807]>} {
  %s0 = tally.size <s0> : index
  %v = tensor.empty(%s0, %size) : tensor<?x?xf32>
  %i = tensor.empty(%s0, %size) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x?xf32>) indices(%i : tensor<?x?xi64>) dim 1 from %from
      -> tensor<?x?xf32>, tensor<?x?xi64>
  %bits = arith.bitcast %r#0 : tensor<?x?xf32> to tensor<?x?xi32>
  return %bits, %r#1 : tensor<?x?xi32>, tensor<?x?xi64>
}
