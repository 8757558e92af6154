// RUN: tally-test-opt %s -split-input-file -tally-lift-free-symbols -verify-diagnostics

func.func @named(%p: i1, %x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %r = tally.cond %p : () -> index {
    // expected-error @below {{'tally.size' op mentions 's0' by name inside of a subgraph; run 'tally-bind-symbols' first}}
    %n = tally.size <s0 + 1> : index
    tally.yield %n : index
  } else {
    %c0 = arith.constant 0 : index
    tally.yield %c0 : index
  }
  return %r : index
}

// -----

func.func @named_check(%p: i1, %n: index)
    attributes {tally.symbols = #tally.symbols<s0>} {
  tally.cond %p : () -> () {
    // expected-error @below {{'tally.check' op mentions 's0' by name inside of a subgraph; run 'tally-bind-symbols' first}}
    tally.check <n <= s0> (n = %n : index)
    tally.yield
  } else {
    tally.yield
  }
  return
}

// -----

func.func @definition(%p: i1, %x: tensor<?xi1>) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %r = tally.cond %p : () -> index {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'tally.nonzero' op mentions 'u0' by name inside of a subgraph; run 'tally-bind-symbols' first}}
    %nz = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %d = tensor.dim %nz, %c0 : tensor<?x1xi64>
    tally.yield %d : index
  } else {
    %c0 = arith.constant 0 : index
    tally.yield %c0 : index
  }
  return %r : index
}

// -----

func.func @takes_nothing(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'test_hop.opaque' op does not pass on all that its subgraphs use from outside: 'appendCaptures' must return one argument for each value and subgraph}}
  %r = test_hop.opaque : tensor<?xf32> {
    test_hop.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
