// The same check in both branches, behind different ones.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %r = scf.if %p -> tensor<?xf32> {
    tally.check <s0 <= 6>, "six at most"
    %s = arith.addf %x, %y : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    %s = arith.mulf %x, %y : tensor<?xf32>
    tally.check <s1 >= 2>, "two at least"
    scf.yield %s : tensor<?xf32>
  }
  %t = arith.addf %r, %x : tensor<?xf32>
  return %t : tensor<?xf32>
}
