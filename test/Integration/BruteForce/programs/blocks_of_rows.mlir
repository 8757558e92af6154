// Rows are split into blocks, each of which is summed up, in nested loops with a
// slice in each.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}, %k: i64 {tally.name = "k", tally.value = #tally.expr<k>}) -> f32
    attributes {tally.symbols = #tally.symbols<s0, s1, k : [-inf, inf]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tally.check <1 <= k>, "a block has rows"
  %blocks = tally.size <s0 ceildiv k> : index
  %size = tally.size <k> : index
  %rows = tally.size <s0> : index
  %columns = tally.size <s1> : index
  %r = scf.for %i = %c0 to %blocks step %c1 iter_args(%a = %zero) -> f32 {
    %at = arith.muli %i, %size : index
    %rest = arith.subi %rows, %at : index
    %n = arith.minsi %rest, %size : index
    %block = tensor.extract_slice %x[%at, 0] [%n, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> f32 {
      %v = tensor.extract %block[%j, %j] : tensor<?x?xf32>
      %t = arith.addf %b, %v : f32
      scf.yield %t : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}
