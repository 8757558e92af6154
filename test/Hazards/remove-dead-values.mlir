// RUN: tally-opt %s -remove-dead-values | FileCheck %s

// CHECK-LABEL: func.func @definitions(
// CHECK:       tally.nonzero {{.*}} bind #tally.bindings<u0
// CHECK:       %{{.*}}:2 = tally.cond {{.*}} bind #tally.bindings<u1 = result(1).size(0)>
// CHECK:       tally.yield %{{.*}}, %{{.*}} :
// CHECK:       tally.yield %{{.*}}, %{{.*}} :
// CHECK:       tally.size <u0 + u1>
func.func @definitions(%t: tensor<?xi64>, %p: i1) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
  %a = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %x:2 = tally.cond %p(%t) : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>) bind #tally.bindings<u1 = result(1).size(0)> {
  ^bb0(%z: tensor<?xi64>):
     tally.yield %z, %z : tensor<?xi64>, tensor<?xi64>
  } else {
  ^bb0(%z: tensor<?xi64>):
     tally.yield %z, %z : tensor<?xi64>, tensor<?xi64>
  }
  %n = tally.size <u0 + u1> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// A public function keeps the arguments that define its symbols.
// CHECK-LABEL: func.func @defines(
// CHECK-SAME:    tally.shape = #tally.shape<s0>}, %{{.*}}: tensor<?xf32> {tally.shape = #tally.shape<s1>})
func.func @defines(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %unused: tensor<?xf32> {tally.shape = #tally.shape<s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64], s1>} {
  %n = tally.size <s1> : index
  return %n : index
}

// What a subgraph gets and gives stays together: an argument and a result that
// nobody needs go on both sides of the call.
// CHECK-LABEL: func.func @call(
// CHECK:       %[[R:.*]] = tally.invoke_subgraph @sub(%{{.*}}) : (index) -> index
// CHECK:       return %[[R]]
func.func @call(%a: index, %u: tensor<?xf32>) -> index {
  %r:2 = tally.invoke_subgraph @sub(%a, %u) : (index, tensor<?xf32>) -> (index, index)
  return %r#1 : index
}
// CHECK-LABEL: func.func private @sub(
// CHECK-SAME:    %[[A:.*]]: index) -> index {
// CHECK:       return %[[A]] : index
func.func private @sub(%a: index, %u: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  return %c0, %a : index, index
}

// Bound and checked: what only a check or an assert uses is needed.
// CHECK-LABEL: func.func @asserts(
// CHECK:       tensor.dim
// CHECK:       tally.check <s0 >= 2>
// CHECK:       tally.cond
// CHECK:         tally.assert %{{.*}} message("in the branch")
// CHECK:         tally.yield %{{.*}} : index
func.func @asserts(%x: tensor<?xf32>, %p: i1, %ok: i1) -> index {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  tally.check <s0 >= 2> (s0 = %d : index) declared_by("x")
  %r = tally.cond %p(%ok, %d) : (i1, index) -> index {
  ^bb0(%a: i1, %b: index):
    tally.assert %a message("in the branch")
    %c1 = arith.constant 1 : index
    %s = arith.addi %b, %c1 : index
    tally.yield %s : index
  } else {
  ^bb0(%a: i1, %b: index):
    tally.yield %b : index
  }
  return %r : index
}
