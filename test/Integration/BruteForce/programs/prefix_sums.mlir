// Lengths in a tensor, whose sum is the number of rows; each is read and sliced off.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %t: tensor<3xi64> {tally.name = "t"}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
  %t0 = tensor.extract_slice %t[0] [1] [1] : tensor<3xi64> to tensor<1xi64>
  %t1 = tensor.extract_slice %t[1] [1] [1] : tensor<3xi64> to tensor<1xi64>
  %t2 = tensor.extract_slice %t[2] [1] [1] : tensor<3xi64> to tensor<1xi64>
  %a = tally.item %t0 : tensor<1xi64> bind #tally.bindings<u0 = result(0)>
  tally.check <u0 >= 0>
  tally.check <u0 <= s0>
  %b = tally.item %t1 : tensor<1xi64> bind #tally.bindings<u1 = result(0)>
  tally.check <u1 >= 0>
  tally.check <u0 + u1 <= s0>
  %c = tally.item %t2 : tensor<1xi64> bind #tally.bindings<u2 = result(0)>
  tally.check <u2 >= 0>
  tally.check <u0 + u1 + u2 == s0>
  %n0 = tally.size <u0> : index
  %n1 = tally.size <u1> : index
  %n2 = tally.size <u2> : index
  %end = tally.size <u0 + u1> : index
  %x0 = tensor.extract_slice %x[0] [%n0] [1] : tensor<?xf32> to tensor<?xf32>
  %x1 = tensor.extract_slice %x[%n0] [%n1] [1] : tensor<?xf32> to tensor<?xf32>
  %x2 = tensor.extract_slice %x[%end] [%n2] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.concat dim(0) %x2, %x1, %x0 : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %s = arith.addf %r, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}
