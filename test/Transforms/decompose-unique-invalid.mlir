// RUN: tally-opt %s --tally-decompose-unique --verify-diagnostics

func.func @unique(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.unique' op makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %v, %i, %c = tally.unique %x : tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  return
}
