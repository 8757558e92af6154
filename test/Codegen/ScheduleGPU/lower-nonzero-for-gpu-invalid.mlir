// RUN: tally-opt %s --tally-lower-nonzero-for-gpu --verify-diagnostics

func.func @bound(%x: tensor<?xf32>) -> tensor<?x1xi64> attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %r = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  return %r : tensor<?x1xi64>
}
