// The elements of x where y is not 0.
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xi64> {tally.name = "y", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<u0>})
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %mask = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xi64>) outs(%e : tensor<?x?xi1>) {
  ^bb0(%in: i64, %out: i1):
    %zero = arith.constant 0 : i64
    %is = arith.cmpi ne, %in, %zero : i64
    linalg.yield %is : i1
  } -> tensor<?x?xi1>
  %r = tally.masked_select %x, %mask : tensor<?x?xf32>, tensor<?x?xi1> bind #tally.bindings<u0 = result(0).size(0)>
  return %r : tensor<?xf32>
}
