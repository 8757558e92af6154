// The branches of a cond give different sizes: the join has a name of its own.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %r = tally.cond %p (%x) : (tensor<?xf32>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    %b = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tally.yield %b : tensor<?xf32>
  }
  tally.check <u0 <= 2 * s0>, "follows from both branches"
  tally.check <u0 == s1>, "as many as y"
  %sum = arith.addf %r, %y : tensor<?xf32>
  return %sum : tensor<?xf32>
}
