// A program in the named form is told so, not that its names are not declared.
// RUN: tally-test-opt %s --tally-cpu-pipeline --split-input-file --verify-diagnostics
// RUN: tally-test-opt %s --tally-gpu-pipeline --split-input-file --verify-diagnostics

func.func @of_a_guest(%x: tensor<?xf32>) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'test_hop.definition' op mentions 'u0' by name: the program is in the named form; run 'tally-check-pipeline' first, which gives names values}}
  %p = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0)>} : (tensor<?xf32>) -> tensor<?xi64>
  return %p : tensor<?xi64>
}

// -----

func.func @size(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.size' op mentions 's0' by name: the program is in the named form; run 'tally-check-pipeline' first, which gives names values}}
  %n = tally.size <s0> : index
  return %n : index
}
