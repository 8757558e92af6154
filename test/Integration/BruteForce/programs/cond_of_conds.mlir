// A cond in a cond, both of which join sizes.
func.func @main(%p: i1, %q: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked, u1 : unbacked>} {
  %r = tally.cond %p : () -> tensor<?xf32> bind #tally.bindings<u1 = result(0).size(0)> {
    %inner = tally.cond %q : () -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
      tally.yield %x : tensor<?xf32>
    } else {
      tally.check <s1 >= 1>, "one of y"
      tally.yield %y : tensor<?xf32>
    }
    tally.check <u0 <= s0 + s1>, "follows"
    %twice = tensor.concat dim(0) %inner, %inner : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tally.yield %twice : tensor<?xf32>
  } else {
    %both = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tally.yield %both : tensor<?xf32>
  }
  tally.check <u1 <= 2 * s0 + 2 * s1>, "follows again"
  tally.check <u1 <= 11>, "eleven at most"
  %n = tally.size <u1 floordiv 2> : index
  %h = tensor.extract_slice %r[%n] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %h : tensor<?xf32>
}
