// RUN: tally-opt %s --tally-verify-form=form=bound --split-input-file --verify-diagnostics

func.func @size() -> index attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{mentions names: the function is not bound; run tally-bind-symbols}}
  %n = tally.size <s0> : index
  return %n : index
}

// -----

func.func @check(%a: index) attributes {tally.symbols = #tally.symbols<s0, s1>} {
  // expected-error @below {{gives no value for symbol 's1'; run tally-bind-symbols}}
  tally.check <s0 == s1> (s0 = %a : index)
  return
}

// -----

func.func @assume() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{gives no value for symbol 's0'; run tally-bind-symbols}}
  tally.assume <s0 <= 4>
  return
}

// -----

func.func @bindings(%x: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{binds names: the function is not bound; run tally-bind-symbols}}
  %r = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  return
}

// -----

// A subgraph is closed, also one in another one; a constant may be used.
func.func @open(%p: i1, %n: index) -> index {
  %c0 = arith.constant 0 : index
  // expected-note @below {{the value is made here}}
  %m = arith.addi %n, %c0 : index
  %r = tally.cond %p(%p) : (i1) -> index {
  ^bb0(%q: i1):
    %s = tally.cond %q() : () -> index {
      // expected-error @below {{uses a value from outside of the subgraph; run tally-lift-free-symbols}}
      %t = arith.addi %m, %c0 : index
      tally.yield %t : index
    } else {
      tally.yield %c0 : index
    }
    tally.yield %s : index
  } else {
  ^bb0(%q: i1):
    tally.yield %c0 : index
  }
  return %r : index
}
