// The smallest element is there if there is an element.
func.func @main(%x: tensor<?xi64> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> i64
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %c0 = arith.constant 0 : index
  tally.check <1 <= s0>, "an element"
  %values, %places, %counts = tally.unique %x : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <1 <= u0>, "follows"
  %r = tensor.extract %values[%c0] : tensor<?xi64>
  return %r : i64
}
