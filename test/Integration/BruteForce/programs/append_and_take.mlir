// What an item says is appended and taken from, in the branch where that is right.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %t: tensor<2xi64> {tally.name = "t"}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked [-3, 9]>} {
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract_slice %t[0] [1] [1] : tensor<2xi64> to tensor<1xi64>
  %second = tensor.extract_slice %t[1] [1] [1] : tensor<2xi64> to tensor<1xi64>
  %v = tally.item %first : tensor<1xi64> bind #tally.bindings<u0 = result(0)>
  %w = tally.item %second : tensor<1xi64> bind #tally.bindings<u1 = result(0)>
  %more = tally.size <0 <= u0 and u0 <= 5> : i1
  %r = scf.if %more -> tensor<?xf32> {
    %n = tally.size <u0> : index
    %p = tensor.pad %x low[%n] high[0] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    tally.check <u1 <= s0 + u0>, "no further than what is there"
    %m = tally.size <u1> : index
    %q = tensor.extract_slice %p[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  } else {
    tally.check <u1 == s0>, "as many as there are"
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
