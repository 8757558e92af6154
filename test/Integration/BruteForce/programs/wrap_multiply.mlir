// Nor is a product.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c4 = arith.constant 4 : index
  %k = arith.muli %n, %c4 : index
  tally.check <k == 8>, "eight of them" (k = %k : index)
  tally.check <"n == 2 or n >= 0 or n <= -1">, "always" (n = %n : index)
  %r = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  %two = tensor.extract_slice %r[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %q = tensor.cast %two : tensor<2xf32> to tensor<?xf32>
  return %q : tensor<?xf32>
}
