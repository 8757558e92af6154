// RUN: tally-opt %s --tally-lower-custom-calls --verify-diagnostics

func.func @unbound() attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %n = tally.custom_call @f() : () -> i64 bind #tally.bindings<u0 = result(0)>
  return
}
