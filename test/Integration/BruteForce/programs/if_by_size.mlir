// What a condition says of sizes is known in its branches.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %equal = tally.size <s0 == s1> : i1
  %r = scf.if %equal -> tensor<?xf32> {
    %sum = arith.addf %x, %y : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    tally.check <s0 + s1 <= 15>, "both together at most fifteen"
    %both = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %both : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
