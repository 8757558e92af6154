// Each column of the rows of nonzero is for one dimension: the second tensor has
// other rows and as many columns.
func.func @main(%x: tensor<?x?xf32> {tally.shape = #tally.shape<a, b>},
                %y: tensor<?x?xf32> {tally.shape = #tally.shape<c, b>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<a : [0, 4096], b : [0, 4096], c : [0, 4096]>} {
  %c0 = arith.constant 0 : index
  %at = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64>
  %n = tensor.dim %at, %c0 : tensor<?x2xi64>
  %rows = tensor.extract_slice %at[0, 0] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %columns = tensor.extract_slice %at[0, 1] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %rows[%k] : tensor<?xi64>
    %j = tensor.extract %columns[%k] : tensor<?xi64>
    %ii = arith.index_cast %i : i64 to index
    %jj = arith.index_cast %j : i64 to index
    %v = tensor.extract %x[%ii, %jj] : tensor<?x?xf32>
    %w = tensor.extract %y[%ii, %jj] : tensor<?x?xf32>
    %s = arith.addf %v, %w : f32
    tensor.yield %s : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
