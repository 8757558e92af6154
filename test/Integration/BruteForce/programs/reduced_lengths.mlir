// The sum of lengths in a tensor is a size.
func.func @main(%t: tensor<?xi64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %none = arith.constant dense<0> : tensor<i64>
  %sum = linalg.reduce ins(%t : tensor<?xi64>) outs(%none : tensor<i64>) dimensions = [0]
      (%e: i64, %acc: i64) {
        %s = arith.addi %e, %acc : i64
        linalg.yield %s : i64
      }
  %v = tensor.extract %sum[] : tensor<i64>
  %n = arith.index_cast %v : i64 to index
  %r = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
