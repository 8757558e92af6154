// RUN: tally-opt %s --tally-propagate-shapes --split-input-file --verify-diagnostics

// A demand that can never hold is a check too; whether it runs is not known here.
func.func @never(%x: tensor<3xf32>, %y: tensor<?xf32>) {
  %c4 = arith.constant 4 : index
  %e = tensor.empty(%c4) : tensor<?xf32>
  %k = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  // expected-warning @below {{can never be right: it needs 3 == 4}}
  %r = arith.addf %k, %e : tensor<?xf32>
  return
}

// -----

// A demand on each element of a body that cannot be computed before it is told.
func.func @generated(%x: tensor<?xf32>, %at: tensor<?xindex>, %p: i1, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = scf.if %p -> index {
      %k = index.ceildivu %n, %i
      scf.yield %k : index
    } else {
      scf.yield %i : index
    }
    // expected-remark @below {{of every element, which cannot be checked yet}}
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// expected-error @below {{unknown symbol 's1' in argument 0}}
func.func @unknown(%x: tensor<?xf32> {tally.shape = #tally.shape<s1>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}
