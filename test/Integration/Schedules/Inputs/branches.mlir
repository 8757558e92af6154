// Branches of branches that numbers of the device decide. Indices are checked only where they look something up.
#row = affine_map<(i, j) -> (i)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%flag: tensor<i1> {tally.name = "flag"}, %other: tensor<i1> {tally.name = "other"},
                %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>},
                %i: tensor<?x?xi64> {tally.name = "i", tally.shape = #tally.shape<m, k>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<m, k>})
    attributes {tally.symbols = #tally.symbols<n, m, k>} {
  %m = tally.size <m> : index
  %k = tally.size <k> : index
  %all = tensor.empty(%m, %k) : tensor<?x?xf32>
  %numbers = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?x?xi64>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %f = arith.sitofp %at : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?x?xf32>
  %is_set = tally.item %flag : tensor<i1>
  %result = tally.cond %is_set (%numbers) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%a: tensor<?x?xf32>):
    %is_other_set = tally.item %other : tensor<i1>
    %inner = tally.cond %is_other_set (%a) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    ^bb0(%b: tensor<?x?xf32>):
      %v = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel"]}
          ins(%i, %b : tensor<?x?xi64>, tensor<?x?xf32>) outs(%all : tensor<?x?xf32>) {
      ^bb1(%at: i64, %number: f32, %unused: f32):
        %c = arith.index_cast %at : i64 to index
        %w = tensor.extract %x[%c] : tensor<?xf32>
        %s = arith.addf %w, %number : f32
        linalg.yield %s : f32
      } -> tensor<?x?xf32>
      tally.yield %v : tensor<?x?xf32>
    } else {
    ^bb0(%b: tensor<?x?xf32>):
      tally.yield %b : tensor<?x?xf32>
    }
    tally.yield %inner : tensor<?x?xf32>
  } else {
  ^bb0(%a: tensor<?x?xf32>):
    %one = arith.constant 1.0 : f32
    %e = tensor.empty(%m) : tensor<?xf32>
    %start = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %sums = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
    ^bb1(%in: f32, %out: f32):
      %abs = math.absf %in : f32
      %s = arith.addf %out, %abs : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
        ins(%a, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
    ^bb1(%in: f32, %sum: f32, %out: f32):
      %q = arith.divf %in, %sum : f32
      linalg.yield %q : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return %result : tensor<?x?xf32>
}
