// A subgraph that reads a number: its callers get a size that they do not know.
func.func private @front(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %t: tensor<i64>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  tally.check <u0 <= s0>, "no more than there are"
  %n = tally.size <u0> : index
  %r = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<a>}, %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<b>}, %t: tensor<i64>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<a, b, u0 : unbacked, u1 : unbacked>} {
  %p = tally.invoke_subgraph @front(%x, %t) : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  %q = tally.invoke_subgraph @front(%y, %t) : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32> bind #tally.bindings<u1 = result(0).size(0)>
  tally.check <u0 + u1 <= 9>, "nine together"
  %r = arith.addf %p, %q : tensor<?xf32>
  return %r : tensor<?xf32>
}
