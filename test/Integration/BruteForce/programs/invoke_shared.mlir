// One subgraph, called twice with different sizes; its declarations are checked at
// each call.
func.func private @halve(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<2 * s0>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0 : [1, 64]>} {
  %n = tally.size <s0> : index
  %r = tensor.extract_slice %x[%n] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = tally.invoke_subgraph @halve(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %b = tally.invoke_subgraph @halve(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
