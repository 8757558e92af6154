// x plus the transpose of y.
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s33, s50>}, %arg1: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s50, s33>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s33, s50>}) attributes {tally.symbols = #tally.symbols<s33, s50>} {
    %0 = tally.size <s33> : index
    %1 = tally.size <s50> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) permutation = [1, 0] 
    %3 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %4 = linalg.add ins(%arg0, %transposed : tensor<?x?xf32>, tensor<?x?xf32>) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %4 : tensor<?x?xf32>
  }
}
