// Two numbers that are read have to add up to the size.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %t: tensor<i64> {tally.name = "t"}, %u: tensor<i64> {tally.name = "u"}) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %w = tally.item %u : tensor<i64> bind #tally.bindings<u1 = result(0)>
  tally.check <u0 >= 0>, "the first part"
  tally.check <u1 >= 0>, "the second part"
  tally.check <u0 + u1 == s0>, "both parts are the whole"
  %n = tally.size <u0> : index
  %m = tally.size <u1> : index
  %a = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x[%n] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
