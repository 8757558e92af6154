// RUN: tally-opt %s -split-input-file -tally-lower-data-dependent -verify-diagnostics

func.func @item(%t: tensor<i64>) -> i64 attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.item' op makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return %v : i64
}

// -----

func.func @nonzero(%p: i1, %x: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  scf.if %p {
    // expected-error @below {{'tally.nonzero' op makes symbols that are not bound; run 'tally-bind-symbols' first}}
    %r = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  }
  return
}

// -----

func.func @unique(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.unique' op makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %v, %i, %c = tally.unique %x : tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  return
}

// -----

func.func @split(%x: tensor<?xf32>, %n: index) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.split' op makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %r = tally.split %x[%n] dim 0 : tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  return
}
