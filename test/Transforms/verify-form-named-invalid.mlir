// RUN: tally-opt %s --tally-verify-form=form=named --split-input-file --verify-diagnostics
// RUN: not tally-opt %s --tally-verify-form=form=final 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: tally-verify-form: form must be named, bound or checked, not 'final'

func.func @symbol(%n: index) {
  // expected-error @below {{belongs to the bound form: in the named form a symbol is an entry of the function's 'tally.symbols'}}
  %s0 = tally.symbol "s0" = %n : index
  return
}

// -----

func.func @bound_twice(%x: tensor<?xi1>, %t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  // expected-error @below {{binds symbol 'u0', which is bound already}}
  %b = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return
}

// -----

func.func @never_bound() -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{mentions symbol 'u0', which is unbacked, but no operation binds it}}
  %n = tally.size <u0 + 1> : index
  tally.check <u0 <= 4>
  return %n : index
}

// -----

// Every function gets its diagnostics, and a declaration none.
func.func private @declared(tensor<?xf32>)
func.func @first(%n: index) {
  // expected-error @below {{belongs to the bound form}}
  %s0 = tally.symbol "s0" = %n : index
  return
}
func.func @second(%n: index) {
  // expected-error @below {{belongs to the bound form}}
  %s0 = tally.symbol "s0" = %n : index
  return
}
