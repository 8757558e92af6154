// Integer arithmetic and a comparison: (x * 3 - y) in i64, and where x < y.
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xi64> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xi64> {tally.name = "y", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>}, tensor<?x?xi1> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %numbers = tensor.empty(%m, %n) : tensor<?x?xi64>
  %truths = tensor.empty(%m, %n) : tensor<?x?xi1>
  %combined = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xi64>, tensor<?x?xi64>) outs(%numbers : tensor<?x?xi64>) {
  ^bb0(%a: i64, %b: i64, %out: i64):
    %three = arith.constant 3 : i64
    %product = arith.muli %a, %three : i64
    %difference = arith.subi %product, %b : i64
    linalg.yield %difference : i64
  } -> tensor<?x?xi64>
  %less = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xi64>, tensor<?x?xi64>) outs(%truths : tensor<?x?xi1>) {
  ^bb0(%a: i64, %b: i64, %out: i1):
    %smaller = arith.cmpi slt, %a, %b : i64
    linalg.yield %smaller : i1
  } -> tensor<?x?xi1>
  return %combined, %less : tensor<?x?xi64>, tensor<?x?xi1>
}
