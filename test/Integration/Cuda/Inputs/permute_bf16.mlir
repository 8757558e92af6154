// Three dimensions of bf16 in another order: [0, 1, 2] becomes [1, 2, 0].
func.func @main(%x: tensor<?x?x?xbf16> {tally.name = "x", tally.shape = #tally.shape<s0, s1, s2>})
    -> (tensor<?x?x?xbf16> {tally.shape = #tally.shape<s1, s2, s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  %c = tally.size <s2> : index
  %empty = tensor.empty(%b, %c, %a) : tensor<?x?x?xbf16>
  %permuted = linalg.transpose ins(%x : tensor<?x?x?xbf16>) outs(%empty : tensor<?x?x?xbf16>) permutation = [1, 2, 0]
  return %permuted : tensor<?x?x?xbf16>
}
