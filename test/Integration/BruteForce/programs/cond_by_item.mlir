// Which branch is taken is read from a tensor, and each reads a number of its own.
func.func @main(%t: tensor<i1> {tally.name = "t"}, %n: tensor<i64> {tally.name = "n"}, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
  %p = tally.item %t : tensor<i1>
  %r = tally.cond %p : () -> tensor<?xf32> bind #tally.bindings<u2 = result(0).size(0)> {
    %v = tally.item %n : tensor<i64> bind #tally.bindings<u0 = result(0)>
    tally.check <0 <= u0 and u0 <= s0>, "a prefix"
    %k = tally.size <u0> : index
    %a = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
    tally.yield %a : tensor<?xf32>
  } else {
    %v = tally.item %n : tensor<i64> bind #tally.bindings<u1 = result(0)>
    tally.check <-1 <= u1 and u1 < s0>, "a suffix"
    %k = tally.size <u1 + 1> : index
    %m = tally.size <s0 - u1 - 1> : index
    %a = tensor.extract_slice %x[%k] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    tally.yield %a : tensor<?xf32>
  }
  tally.check <u2 <= s0>, "no more than before"
  return %r : tensor<?xf32>
}
