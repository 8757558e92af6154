// A number that is cut to 32 bits says nothing about the whole one.
func.func @main(%n: i64, %x: tensor<?xf32>) -> (tensor<?xf32>, i64) {
  %low = arith.trunci %n : i64 to i32
  %k = arith.index_cast %low : i32 to index
  %r = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  tally.check <"n <= 9 or n > 1000">, "small or large" (n = %n : i64)
  return %r, %n : tensor<?xf32>, i64
}
