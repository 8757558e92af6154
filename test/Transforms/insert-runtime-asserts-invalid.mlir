// RUN: tally-opt %s --tally-insert-runtime-asserts --split-input-file --verify-diagnostics
// RUN: not tally-opt %s --tally-insert-runtime-asserts=checks=some 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: tally-insert-runtime-asserts: checks must be all, entry or none, not 'some'

// A name of the table is no value yet.
func.func @named(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{mentions a symbol that has no value: the function is not in the bound form, run tally-bind-symbols first}}
  tally.check <s0 <= 4>
  return
}

// -----

// What can never hold is reported where every call gets to it, and asserted.
func.func @never(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<4xf32>
  // expected-warning @below {{this can never hold: d == 5, which linalg.add needs; every call will end with this error}}
  tally.check <d == 5> (d = %d : index) required_by("linalg.add")
  return
}

// -----

func.func @declared_never(%n: index) {
  %s0 = tally.symbol "s0" = %n in [0, 8] : index
  // expected-warning @below {{this can never hold: s0 >= 9; every call will end with this error}}
  tally.check <"s0 >= 9"> (s0 = %s0 : index)
  return
}

// -----

// In a branch, or behind a check that can never hold, it may be right.
func.func @never_in_branch(%c: i1, %x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<4xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tally.check <d == 5> (d = %d : index)
  cf.br ^bb2
^bb2:
  return
}

// -----

// Every function gets its diagnostics.
func.func @first() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{mentions a symbol that has no value}}
  tally.check <s0 <= 4>
  return
}
func.func @second() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{mentions a symbol that has no value}}
  tally.check <s0 <= 4>
  // expected-error @below {{mentions a symbol that has no value}}
  tally.check <s0 <= 5>
  return
}

// -----

// An operation whose precondition nobody could state, and nobody can prove.
func.func @unchecked(%x: tensor<?xf32>, %at: tensor<?xindex> {tally.name = "at"}, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = tensor.extract %at[%i] : tensor<?xindex>
    // expected-error @below {{needs 0 <= at[...] < arg0.size(0) of every element, which can neither be proven nor checked before; compute the elements in a 'linalg.generic', or state it as a tally.assume}}
    %v = tensor.extract %x[%j] {tally.unchecked} : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Whoever forgets the pass before is told.
// expected-warning @below {{tally-insert-runtime-asserts has nothing to do: no size has a symbol yet; run tally-propagate-shapes first, or tally-check-pipeline}}
func.func @plain(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
