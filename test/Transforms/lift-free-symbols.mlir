// RUN: tally-opt %s -split-input-file -tally-lift-free-symbols | FileCheck %s
// RUN: tally-opt %s -split-input-file -tally-lift-free-symbols -tally-lift-free-symbols | FileCheck %s

// A tensor, a symbol and a size that is computed from it are passed; a constant
// is cloned; the symbol stays a symbol.
// CHECK-LABEL: func.func @captures(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: tensor<?xf32>, %[[D:.*]]: index)
func.func @captures(%p: i1, %x: tensor<?xf32>, %d: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  // CHECK: %s0 = tally.symbol "s0" = %[[D]] from "x.size(0)" in [0, 64] divisible_by 2 : index
  %s0 = tally.symbol "s0" = %d from "x.size(0)" in [0, 64] divisible_by 2 : index
  // CHECK: %[[N:.*]] = arith.addi %s0
  %n = arith.addi %s0, %c1 : index
  // CHECK: tally.cond %[[P]](%[[X]], %s0, %[[N]]) : (tensor<?xf32>, index, index) -> tensor<?xf32> {
  %r = tally.cond %p : () -> tensor<?xf32> {
    // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?xf32>, %{{.*}}: index, %{{.*}}: index):
    // CHECK-NEXT:   tally.yield %[[A]]
    tally.yield %x : tensor<?xf32>
  } else {
    // CHECK-NEXT: } else {
    // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32>, %[[S:.*]]: index, %[[M:.*]]: index):
    // CHECK-DAG:    %[[S0:.*]] = tally.symbol "s0" = %[[S]] from "x.size(0)" in [0, 64] divisible_by 2 : index
    // CHECK-DAG:    %[[C1:.*]] = arith.constant 1 : index
    // CHECK:        arith.muli %[[S0]], %[[M]]
    // CHECK-NEXT:   arith.addi %{{.*}}, %[[C1]]
    %k = arith.muli %s0, %n : index
    %l = arith.addi %k, %c1 : index
    %e = tensor.empty(%l) : tensor<?xf32>
    tally.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// What is passed already is not passed again.
// CHECK-LABEL: func.func @passed_already(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: tensor<?xf32>)
func.func @passed_already(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: tally.cond %[[P]](%[[X]]) : (tensor<?xf32>) -> tensor<?xf32> {
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    // CHECK: ^bb0(%[[A:.*]]: tensor<?xf32>):
    // CHECK: linalg.add ins(%[[A]], %[[A]] : {{.*}}) outs(%[[A]] :
    %b = linalg.add ins(%a, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %b : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// From the inside out: the outer regions get what the inner ones use, each
// level names the symbol anew. A check sees the value of its level.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[P:.*]]: i1, %[[Q:.*]]: i1, %[[X:.*]]: tensor<?xf32>, %[[D:.*]]: index)
func.func @nested(%p: i1, %q: i1, %x: tensor<?xf32>, %d: index) -> index {
  %u0 = tally.symbol "u0" = %d in [0, inf] : index
  // CHECK: tally.cond %[[P]](%[[Q]], %u0) : (i1, index) -> index {
  %r = tally.cond %p : () -> index {
    // CHECK: ^bb0(%[[Q1:.*]]: i1, %[[U1:.*]]: index):
    // CHECK:   %[[S1:.*]] = tally.symbol "u0" = %[[U1]] in [0, inf] : index
    // CHECK:   tally.cond %[[Q1]](%[[S1]]) : (index) -> index {
    %i = tally.cond %q : () -> index {
      // CHECK: ^bb0(%[[U2:.*]]: index):
      // CHECK:   %[[S2:.*]] = tally.symbol "u0" = %[[U2]] in [0, inf] : index
      // CHECK:   tally.check <u0 <= 8> (u0 = %[[S2]] : index)
      tally.check <u0 <= 8> (u0 = %u0 : index)
      // CHECK:   tally.yield %[[S2]]
      tally.yield %u0 : index
    } else {
      // CHECK: } else {
      // CHECK-NEXT: ^bb0(%{{.*}}: index):
      // CHECK-NEXT: %[[C:.*]] = arith.constant 3 : index
      // CHECK-NEXT: tally.yield %[[C]]
      %c3 = arith.constant 3 : index
      tally.yield %c3 : index
    }
    tally.yield %i : index
  } else {
    tally.yield %u0 : index
  }
  return %r : index
}

// -----

// A tensor of unbacked size and the value of tally.item, closed over by a region
// inside of a loop: values between the operation and the loop count as outside.
// CHECK-LABEL: func.func @in_loop(
func.func @in_loop(%t: tensor<?xi64>, %v: tensor<i64>, %n: index, %p: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[I:.*]] = tally.item
  %i = tally.item %v : tensor<i64>
  // CHECK: %[[NZ:.*]] = tally.nonzero
  %nz = tally.nonzero %t : tensor<?xi64> -> tensor<?x1xi64>
  // CHECK: scf.for %[[K:.*]] = %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    // CHECK: tally.cond %{{.*}}(%[[NZ]], %[[I]], %[[K]], %[[ACC]]) : (tensor<?x1xi64>, i64, index, index) -> index {
    %s = tally.cond %p : () -> index {
      %d = tensor.dim %nz, %c0 : tensor<?x1xi64>
      %j = arith.index_cast %i : i64 to index
      %a = arith.addi %d, %j : index
      tally.yield %a : index
    } else {
      %a = arith.addi %k, %acc : index
      tally.yield %a : index
    }
    scf.yield %s : index
  }
  return %r : index
}

// -----

// A big constant in a file is constant-like as well.
// CHECK-LABEL: func.func @data_file(
func.func @data_file(%p: i1) -> tensor<4xf32> {
  // CHECK: tally.cond %{{.*}} : () -> tensor<4xf32> {
  // CHECK-NEXT: %[[W:.*]] = tally.constant "w.bin"[64] : tensor<4xf32>
  // CHECK-NEXT: tally.yield %[[W]]
  %w = tally.constant "w.bin"[64] : tensor<4xf32>
  %r = tally.cond %p : () -> tensor<4xf32> {
    tally.yield %w : tensor<4xf32>
  } else {
    %z = arith.constant dense<0.0> : tensor<4xf32>
    tally.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What is made of nothing is made again, and not passed.
// CHECK-LABEL: func.func @made_of_nothing(
func.func @made_of_nothing(%p: i1, %v: f32) -> tensor<f32> {
  // CHECK: tally.cond %{{.*}}(%{{.*}}) : (f32) -> tensor<f32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<f32>
  // CHECK: linalg.fill {{.*}} outs(%[[E]] :
  %e = tensor.empty() : tensor<f32>
  %r = tally.cond %p : () -> tensor<f32> {
    %f = linalg.fill ins(%v : f32) outs(%e : tensor<f32>) -> tensor<f32>
    tally.yield %f : tensor<f32>
  } else {
    tally.yield %e : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A callee is a function: closed as it is, and only called.
// CHECK-LABEL: func.func @invoke(
func.func @invoke(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: tally.invoke_subgraph @block(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32>
  %r = tally.invoke_subgraph @block(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @block(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
