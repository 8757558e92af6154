// Both coordinates of the elements that are not zero, of which one of a second
// matrix is taken.
func.func @main(%x: tensor<?x?xi1> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}, %y: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = tally.nonzero %x : tensor<?x?xi1> -> tensor<?x2xi64> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <u0 <= s0 * s1>, "follows"
  tally.check <u0 <= 2 * s1>, "not too many"
  %n = tally.size <u0> : index
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %a = tensor.extract %at[%k, %c0] : tensor<?x2xi64>
    %b = tensor.extract %at[%k, %c1] : tensor<?x2xi64>
    %i = arith.index_cast %a : i64 to index
    %j = arith.index_cast %b : i64 to index
    %v = tensor.extract %y[%i, %j] : tensor<?x?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
