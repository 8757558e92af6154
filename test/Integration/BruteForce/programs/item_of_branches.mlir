// Two numbers that are read in two branches, joined and used to reshape.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %t: tensor<i64> {tally.name = "t"}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked>} {
  %k = scf.if %p -> index {
    %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
    tally.check <u0 >= 1>, "one row at least"
    %n = tally.size <u0> : index
    scf.yield %n : index
  } else {
    %v = tally.item %t : tensor<i64> bind #tally.bindings<u1 = result(0)>
    tally.check <"u1 <= 3 and u1 != 0">, "three rows at most"
    %n = tally.size <abs(u1)> : index
    scf.yield %n : index
  }
  %s0 = tally.size <s0> : index
  %columns = arith.floordivsi %s0, %k : index
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%k, %columns] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
