// RUN: tally-opt %s --tally-check-pipeline --split-input-file --verify-diagnostics
// RUN: not tally-opt %s --tally-check-pipeline=checks=most 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tally-opt %s --tally-check-pipeline=form=named 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// OPTION: tally-insert-runtime-asserts: checks must be all, entry or none, not 'most'
// UNKNOWN: no such option form

// Each stage reports what it cannot take.

// expected-error @below {{cannot find symbols 's0', 's1' from the arguments: arg0.size(0) = s0 * s1}}
func.func @unbound(%x: tensor<?xf32> {tally.shape = #tally.shape<"s0 * s1">}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0> : index
  return %n : index
}

// -----

// An access that nothing can check is refused, not compiled.
func.func @unchecked(%x: tensor<?xf32>, %at: tensor<?xindex>, %p: i1, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = scf.if %p -> index {
      %k = index.ceildivu %n, %i
      scf.yield %k : index
    } else {
      scf.yield %i : index
    }
    // expected-error @below {{of every element, which can neither be proven nor checked before}}
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What can never hold is told; the program is compiled, and ends with an error.
func.func @never(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %a = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %b = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
  // expected-warning @below {{can never be right: it needs 3 == 4}}
  // expected-warning @below {{this can never hold}}
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
