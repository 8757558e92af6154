// How often each number occurs, and the largest place of each in x: updates are atomic.
func.func @main(%x: tensor<?xi64> {tally.name = "x", tally.shape = #tally.shape<s0>})
    -> (tensor<?xi64> {tally.shape = #tally.shape<u0>}, tensor<7xi32> {tally.shape = #tally.shape<7>})
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %least = arith.constant 0 : index
  %counts = tally.bincount %x minlength %least : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %n = tally.size <s0> : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : i32
  %e = tensor.empty() : tensor<7xi32>
  %start = linalg.fill ins(%none : i32) outs(%e : tensor<7xi32>) -> tensor<7xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%now = %start) -> (tensor<7xi32>) {
    %place = tensor.extract %x[%i] : tensor<?xi64>
    %to = arith.index_cast %place : i64 to index
    %here = arith.index_cast %i : index to i32
    %old = tensor.extract %now[%to] : tensor<7xi32>
    %new = arith.maxsi %here, %old : i32
    %inserted = tensor.insert %new into %now[%to] : tensor<7xi32>
    scf.yield %inserted : tensor<7xi32>
  }
  return %counts, %last : tensor<?xi64>, tensor<7xi32>
}
