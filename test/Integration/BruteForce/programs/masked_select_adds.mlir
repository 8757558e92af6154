// The elements of a mask, as many as another vector has.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %m: tensor<?xi1> {tally.name = "m", tally.shape = #tally.shape<s1>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, u0 : unbacked>} {
  %r = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi1> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <u0 <= s0 and u0 <= s1>, "follows"
  tally.check <"u0 >= 1">, "one at least"
  %sum = arith.addf %r, %y : tensor<?xf32>
  return %sum : tensor<?xf32>
}
