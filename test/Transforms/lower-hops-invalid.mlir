// RUN: tally-test-opt %s -split-input-file -tally-lower-hops -verify-diagnostics

func.func @unbound(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.cond' op makes symbols that are not bound; run 'tally-bind-symbols' first}}
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @not_a_func_func(%x: i64) -> i64 {
  // expected-error @below {{'tally.invoke_subgraph' op cannot be lowered: 'other' is not a func.func}}
  %r = tally.invoke_subgraph @other(%x) : (i64) -> i64
  return %r : i64
}
llvm.func @other(%x: i64) -> i64 {
  llvm.return %x : i64
}

// -----

func.func @unregistered(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'test_hop.opaque' op cannot be lowered: its 'lowerToControlFlow' failed or is not implemented}}
  %r = test_hop.opaque : tensor<4xf32> {
    %c = arith.constant dense<0.0> : tensor<4xf32>
    test_hop.yield %c : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
