// The elements of y, one after the other, where the mask is true: a number that the loops
// carry is a scan. Then indices, as often as the counts say.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %mask: tensor<?x?xi1> {tally.name = "mask", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>},
                %counts: tensor<?xi64> {tally.name = "counts", tally.shape = #tally.shape<s0>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>}, tensor<?xi64> {tally.shape = #tally.shape<u0>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, u0 : unbacked>} {
  %repeated = tally.repeat_interleave %counts : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %available = tally.size <s2> : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %m step %c1 iter_args(%a = %x, %k = %c0) -> (tensor<?x?xf32>, index) {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a, %l = %k) -> (tensor<?x?xf32>, index) {
      %flag = tensor.extract %mask[%i, %j] : tensor<?x?xi1>
      %old = tensor.extract %b[%i, %j] : tensor<?x?xf32>
      %there = arith.cmpi ult, %l, %available : index
      %both = arith.andi %flag, %there : i1
      %new = scf.if %both -> (f32) {
        %taken = tensor.extract %y[%l] : tensor<?xf32>
        scf.yield %taken : f32
      } else {
        scf.yield %old : f32
      }
      %step = arith.select %flag, %c1, %c0 : index
      %next = arith.addi %l, %step : index
      %c = tensor.insert %new into %b[%i, %j] : tensor<?x?xf32>
      scf.yield %c, %next : tensor<?x?xf32>, index
    }
    scf.yield %s#0, %s#1 : tensor<?x?xf32>, index
  }
  return %r#0, %repeated : tensor<?x?xf32>, tensor<?xi64>
}
