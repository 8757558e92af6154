// RUN: tally-opt %s -cse -canonicalize -loop-invariant-code-motion -sccp -int-range-optimizations -symbol-dce | FileCheck %s
// RUN: tally-opt %s -inline -cse | FileCheck %s --check-prefixes=CHECK,INLINE
// RUN: tally-opt %s -loop-invariant-code-motion -loop-invariant-subset-hoisting | FileCheck %s
// RUN: tally-opt %s -control-flow-sink | FileCheck %s

// Names live in the table of a function. What mentions one reads a resource,
// what makes one writes it: nothing is merged, moved across or removed.

// Inlined, "s0" of the callee would become "s0" of the caller, and the callee's
// declarations would be lost.
func.func private @callee(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index
    attributes {no_inline, tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  %n = tally.size <s0> : index
  return %n : index
}
func.func private @declares(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {no_inline, tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  return %x : tensor<?xf32>
}
// Even without the attribute that tally-propagate-shapes sets, a body that
// mentions names stays.
func.func private @mentions(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  tally.check <s0 <= 8>
  return %x : tensor<?xf32>
}
// INLINE-LABEL: func.func @calls(
// INLINE-DAG: tally.size <s0>
// INLINE-DAG: call @callee
// INLINE-DAG: tally.invoke_subgraph @callee
// INLINE-DAG: tally.invoke_subgraph @declares
// INLINE-DAG: call @declares
// INLINE-DAG: tally.invoke_subgraph @mentions
// INLINE-DAG: call @mentions
// INLINE: return
func.func @calls(%a: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %b: tensor<?xf32> {tally.shape = #tally.shape<s1>})
    -> (index, index, index, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1>} {
  %0 = tally.size <s0> : index
  %1 = func.call @callee(%a) : (tensor<?xf32>) -> index
  %2 = tally.invoke_subgraph @callee(%b) : (tensor<?xf32>) -> index
  %3 = tally.invoke_subgraph @declares(%b) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = func.call @declares(%b) : (tensor<?xf32>) -> tensor<?xf32>
  %5 = tally.invoke_subgraph @mentions(%b) : (tensor<?xf32>) -> tensor<?xf32>
  %6 = func.call @mentions(%b) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6 : index, index, index, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A size of u0 does not leave the loop that makes u0, and neither does the
// definition, although its operand does not change.
// CHECK-LABEL: func.func @loop(
// CHECK:       scf.for
// CHECK-NEXT:    tally.nonzero
// CHECK-NEXT:    tally.size <u0 + 1>
// CHECK-NEXT:    arith.addi
func.func @loop(%t: tensor<?xi64>, %n: index) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    %nz = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %u = tally.size <u0 + 1> : index
    %acc2 = arith.addi %acc, %u : index
    scf.yield %acc2 : index
  }
  return %r : index
}

// Nothing is shared between the branches.
// CHECK-LABEL: func.func @branches(
// CHECK:       scf.if
// CHECK-NEXT:    tally.nonzero {{.*}} bind #tally.bindings<u0
// CHECK-NEXT:    tally.size <u0>
// CHECK:       } else {
// CHECK-NEXT:    tally.nonzero {{.*}} bind #tally.bindings<u1
// CHECK-NEXT:    tally.size <u1>
func.func @branches(%t: tensor<?xi64>, %p: i1) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
  %r = scf.if %p -> index {
    %nz = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %u = tally.size <u0> : index
    scf.yield %u : index
  } else {
    %nz = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
    %u = tally.size <u1> : index
    scf.yield %u : index
  }
  return %r : index
}

// Two definitions from one operand are two symbols.
// CHECK-LABEL: func.func @two_definitions(
// CHECK:       tally.nonzero {{.*}} bind #tally.bindings<u0
// CHECK:       tally.nonzero {{.*}} bind #tally.bindings<u1
// CHECK:       tally.item {{.*}} bind #tally.bindings<u2
// CHECK:       tally.item {{.*}} bind #tally.bindings<u3
// CHECK-DAG:   tally.size <u0>
// CHECK-DAG:   tally.size <u1>
// CHECK-DAG:   tally.size <u2>
// CHECK-DAG:   tally.size <u3>
func.func @two_definitions(%t: tensor<?xi64>, %s: tensor<i64>) -> (index, index, index, index)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked>} {
  %a = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %b = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
  %c = tally.item %s : tensor<i64> bind #tally.bindings<u2 = result(0)>
  %d = tally.item %s : tensor<i64> bind #tally.bindings<u3 = result(0)>
  %u0 = tally.size <u0> : index
  %u1 = tally.size <u1> : index
  %u2 = tally.size <u2> : index
  %u3 = tally.size <u3> : index
  return %u0, %u1, %u2, %u3 : index, index, index, index
}

// Definitions whose results nobody uses: the names do.
// CHECK-LABEL: func.func @dead_looking(
// CHECK:       tally.nonzero {{.*}} bind #tally.bindings<u0
// CHECK:       %{{.*}}:2 = tally.cond {{.*}} bind #tally.bindings<u1 = result(1).size(0)>
// CHECK:       %{{.*}}:2 = tally.invoke_subgraph {{.*}} bind #tally.bindings<u2 = result(1).size(0)>
// CHECK:       tally.size <u0 + u1 + u2>
func.func @dead_looking(%t: tensor<?xi64>, %p: i1) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
  %a = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %x:2 = tally.cond %p(%t) : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>) bind #tally.bindings<u1 = result(1).size(0)> {
  ^bb0(%z: tensor<?xi64>):
     tally.yield %z, %z : tensor<?xi64>, tensor<?xi64>
  } else {
  ^bb0(%z: tensor<?xi64>):
     tally.yield %z, %z : tensor<?xi64>, tensor<?xi64>
  }
  %y:2 = tally.invoke_subgraph @twice(%t) : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>) bind #tally.bindings<u2 = result(1).size(0)>
  %n = tally.size <u0 + u1 + u2> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
func.func private @twice(%t: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>) attributes {no_inline} {
  return %t, %t : tensor<?xi64>, tensor<?xi64>
}

// A check that says the same twice may be merged, an assumption as well; one
// that is only said may not go.
// CHECK-LABEL: func.func @statements(
// CHECK:       tally.check <s0 <= 8>, "a"
// CHECK:       tally.assume <s0 mod 4 == 0>
func.func @statements(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) attributes {tally.symbols = #tally.symbols<s0>} {
  tally.check <s0 <= 8>, "a"
  tally.assume <s0 mod 4 == 0>
  return
}
