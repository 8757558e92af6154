// RUN: tally-opt %s --tally-bind-symbols --split-input-file --verify-diagnostics

// expected-error @+1 {{symbol 's0' cannot be found from the arguments; x.size(0) == s0 * s1 does not determine it}}
func.func @unsolvable(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 * s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  return
}

// -----

// expected-error @+1 {{symbol 'u0' is unbacked, but no operation binds it}}
func.func @never() -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %n = tally.size <u0 + 1> : index
  return %n : index
}

// -----

func.func @twice(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-note @+1 {{first bound here}}
  %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  // expected-error @+1 {{binds symbol 'u0', which is bound already}}
  %b = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return
}

// -----

func.func @before_birth(%t: tensor<i64>) -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @+1 {{mentions symbol 'u0' where it may not have been born}}
  %n = tally.size <u0> : index
  // expected-note @+1 {{it is born here}}
  %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return %n : index
}

// -----

func.func @from_a_branch(%t: tensor<i64>, %p: i1) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  scf.if %p {
    // expected-note @+1 {{it is born here}}
    %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  }
  // expected-error @+1 {{mentions symbol 'u0' where it may not have been born}}
  tally.check <u0 <= 4>
  return
}

// -----

func.func @decimals(%f: f64 {tally.value = #tally.expr<zf0>}) -> f64
    attributes {tally.symbols = #tally.symbols<zf0 : float>} {
  // expected-error @below {{cannot compute 'round(zf0, 2)' at run time}}
  %r = tally.size <"1.0 + round(zf0, 2)"> : f64
  return %r : f64
}
