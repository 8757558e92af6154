// A private function whose names mean other sizes than its caller's.
func.func private @add(%s1: tensor<?xf32> {tally.shape = #tally.shape<s1>}, %s0: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s1>})
    attributes {tally.symbols = #tally.symbols<s0 : [1, inf], s1>} {
  tally.check <s0 == s1>, "inside"
  %r = arith.addf %s1, %s0 : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %y: tensor<?xf32> {tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <s0 >= 2>, "outside"
  %both = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = func.call @add(%both, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.concat dim(0) %r, %both : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}
