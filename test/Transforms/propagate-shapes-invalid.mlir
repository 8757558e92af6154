// RUN: tally-opt %s --tally-propagate-shapes --split-input-file --verify-diagnostics

// A precondition that can never hold is a check too; whether it runs is not known here.
func.func @never(%x: tensor<3xf32>, %y: tensor<?xf32>) {
  %c4 = arith.constant 4 : index
  %e = tensor.empty(%c4) : tensor<?xf32>
  %k = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  // expected-warning @below {{can never be right: it needs 3 == 4}}
  %r = arith.addf %k, %e : tensor<?xf32>
  return
}

// -----

// expected-error @below {{unknown symbol 's1' in argument 0; declared are 's0'}}
func.func @unknown(%x: tensor<?xf32> {tally.shape = #tally.shape<s1>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}
