// RUN: tally-opt %s --tally-bind-symbols --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot find symbols 's0', 's1' from the arguments: x.size(0) = s0 * s1; let a size, or the 'tally.value' of an argument, be one of them alone}}
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

func.func @before_definition(%t: tensor<i64>) -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @+1 {{mentions symbol 'u0' where it may not have been defined}}
  %n = tally.size <u0> : index
  // expected-note @+1 {{it is defined here}}
  %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return %n : index
}

// -----

func.func @from_a_branch(%t: tensor<i64>, %p: i1) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  scf.if %p {
    // expected-note @+1 {{it is defined here}}
    %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  }
  // expected-error @+1 {{mentions symbol 'u0' where it may not have been defined}}
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

// -----

// expected-error @+1 {{cannot find symbol 's0' from the arguments: x.size(0) = s0 ** 2, y.size(0) = s0 mod 3; let a size, or the 'tally.value' of an argument, be it alone}}
func.func @one_symbol(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 ** 2>},
                      %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s0 mod 3>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}

// -----

// Systems that share no symbol are reported one by one.

// expected-error @+2 {{cannot find symbols 's0', 's1' from the arguments: arg0.size(0) = s0 + s1;}}
// expected-error @+1 {{cannot find symbol 'zf0' from the arguments: scale = zf0 * 2.0;}}
func.func @two_systems(%x: tensor<?xf32> {tally.shape = #tally.shape<s0 + s1>},
                       %f: f64 {tally.name = "scale", tally.value = #tally.expr<zf0 * 2.0>})
    attributes {tally.symbols = #tally.symbols<s0, s1, zf0 : float>} {
  return
}

// -----

// expected-error @+1 {{symbol 's1' is mentioned, but no argument tells it; let it be a size, or the 'tally.value' of an argument, or declare it as 'unbacked' and bind it where it is defined}}
func.func @untold(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <s0 <= s1>
  return
}

// -----

// expected-error @+1 {{no arguments fit what is declared of them: x.size(0) = 2 * s0 + 2 * s1, x.size(1) = s0 - s1}}
func.func @impossible(%x: tensor<5x?xf32> {tally.name = "x", tally.shape = #tally.shape<2 * s0 + 2 * s1, s0 - s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  return
}

// -----

// expected-error @+1 {{in the declaration of x.size(0): symbol 'u0' is unbacked: it does not exist yet when the function is entered}}
func.func @unbacked_size(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<u0>}, %t: tensor<i64>)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  return
}

// -----

// expected-error @+1 {{in the declaration of f.item(): cannot compute 'round(zf0, 2)' at run time}}
func.func @decimals_of_argument(%f: tensor<f64> {tally.name = "f", tally.value = #tally.expr<"round(zf0, 2)">})
    attributes {tally.symbols = #tally.symbols<zf0 : float>} {
  return
}

// -----

// Whoever forgets the pass before is told.
// expected-warning @below {{tally-bind-symbols has nothing to do: no size has a symbol yet; run tally-propagate-shapes first, or tally-check-pipeline}}
func.func @plain(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
