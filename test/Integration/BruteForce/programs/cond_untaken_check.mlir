// A cond that uses values from outside; the check of the other branch would fail.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %p = tally.size <s0 < s1> : i1
  %r = tally.cond %p : () -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
    tally.check <s0 + 2 <= s1>, "two less"
    %h = tally.size <s0> : index
    %b = tensor.extract_slice %y[2] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    tally.yield %b : tensor<?xf32>
  } else {
    tally.check <s0 mod 2 == 0>, "even"
    %h = tally.size <s0 floordiv 2> : index
    %b = tensor.extract_slice %x[%h] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    tally.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
