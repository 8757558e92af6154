// Values and counts are of one size, and places lead to values.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %y: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %values, %places, %counts = tally.unique %x : tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  %sum = arith.addi %counts, %y : tensor<?xi64>
  %n = tally.size <s0> : index
  %again = tensor.generate %n {
  ^bb0(%i: index):
    %p = tensor.extract %places[%i] : tensor<?xi64>
    %j = arith.index_cast %p : i64 to index
    %v = tensor.extract %values[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %sum, %again : tensor<?xi64>, tensor<?xf32>
}
