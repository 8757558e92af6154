// RUN: tally-opt %s --tally-verify-form=form=named --split-input-file --verify-diagnostics
// RUN: not tally-opt %s --tally-verify-form=form=final 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: tally-verify-form: form must be input, named, bound or checked, not 'final'

func.func @symbol(%n: index) {
  // expected-error @below {{belongs to the bound form: in the named form a symbol is an entry of the function's 'tally.symbols'}}
  %s0 = tally.symbol "s0" = %n : index
  return
}

// -----

func.func @bound_twice(%x: tensor<?xi1>, %t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-note @below {{first bound here}}
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

// -----

func.func @static_size(%x: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
  // expected-error @below {{binds symbol 'u1' to a size that its type knows to be 1; use the number instead of the symbol}}
  %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0), u1 = result(0).size(1)>
  return
}

// -----

func.func @outside_of_a_branch(%t: tensor<i64>, %p: i1) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  scf.if %p {
    // expected-note @below {{it is defined here}}
    %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  }
  // expected-error @below {{mentions symbol 'u0' where it may not have been defined}}
  tally.check <u0 <= 4>
  return
}

// -----

func.func @outside_of_a_loop(%t: tensor<i64>, %n: index) -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @below {{it is defined here}}
    %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  }
  // expected-error @below {{mentions symbol 'u0' where it may not have been defined}}
  %r = tally.size <u0 + 1> : index
  return %r : index
}

// -----

func.func @result(%x: tensor<?xf32>, %t: tensor<i64>, %p: i1) -> (tensor<?xf32> {tally.shape = #tally.shape<u0>})
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  scf.if %p {
    // expected-note @below {{it is defined here}}
    %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  }
  // expected-error @below {{mentions symbol 'u0' where it may not have been defined}}
  return %x : tensor<?xf32>
}

// -----

func.func @result_never_bound(%x: tensor<?xf32>) -> (tensor<?xf32> {tally.shape = #tally.shape<u0>})
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{mentions symbol 'u0', which is unbacked, but no operation binds it}}
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{in the declaration of x.size(0): symbol 'u0' is unbacked: it does not exist yet when the function is entered}}
func.func @argument(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<u0 + 1>}, %t: tensor<i64>)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return
}
