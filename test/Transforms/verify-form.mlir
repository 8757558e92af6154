// RUN: tally-opt %s --tally-verify-form=form=named --split-input-file | FileCheck %s --check-prefix=NAMED
// RUN: tally-opt %s --tally-propagate-shapes --tally-bind-symbols --tally-lift-free-symbols --tally-verify-form=form=bound --split-input-file | FileCheck %s --check-prefix=BOUND
// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline,tally-verify-form{form=checked})" --split-input-file | FileCheck %s --check-prefix=CHECKED
// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline,tally-verify-form)" --split-input-file | FileCheck %s --check-prefix=CHECKED

// The pass accepts each form where it belongs, and changes nothing.

// NAMED-LABEL: func.func @forms
// NAMED:         tally.nonzero {{.*}} bind #tally.bindings<u0 = result(0).size(0)>
// NAMED:         tally.check <s0 == u0>
// BOUND-LABEL: func.func @forms
// BOUND:         tally.check <s0 == u0> (s0 = %s0, u0 = %u0 : index, index)
// BOUND:         tally.cond %{{.*}}(%{{.*}})
// CHECKED-LABEL: func.func @forms
// CHECKED:       tally.assert %{{.*}}, <s0 == u0>
func.func @forms(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %m: tensor<?xi1> {tally.shape = #tally.shape<s0>}, %p: i1) -> index
    attributes {no_inline, tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %rows = tally.nonzero %m : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <s0 == u0>
  %n = tally.size <u0 + 1> : index
  %r = tally.cond %p : () -> index {
    %c0 = arith.constant 0 : index
    tally.yield %c0 : index
  } else {
    %d = arith.addi %n, %n : index
    tally.yield %d : index
  }
  return %r : index
}

// -----

// What a precondition follows from: ranges of symbols, asserts before, conditions of
// branches, bounds of loops; and a precondition that the operation meets by itself.

// CHECKED-LABEL: func.func @preconditions
func.func @preconditions(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %k = %c0 to %d step %c1 iter_args(%t = %y) -> tensor<?xf32> {
    %e = tensor.extract %x[%k] : tensor<?xf32>
    %below = arith.cmpi slt, %i, %c0 : index
    %u = scf.if %below -> tensor<?xf32> {
      scf.yield %t : tensor<?xf32>
    } else {
      %s = tensor.insert %e into %t[%i] : tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    }
    scf.yield %u : tensor<?xf32>
  }
  %sum = arith.addf %x, %r : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// Nothing to say about declarations and empty functions.

// NAMED-LABEL: func.func private @declared
func.func private @declared(tensor<?xf32>)
func.func @empty() {
  return
}
