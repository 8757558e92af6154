// Elements are repeated as often as counts say; no count is negative.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %counts: tensor<?xi64> {tally.name = "counts", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %at = tally.repeat_interleave %counts : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %n = tally.size <u0> : index
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %p = tensor.extract %at[%i] : tensor<?xi64>
    %j = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
