// RUN: tally-opt %s --tally-merge-equal-results | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]]:2 = call @twice
// CHECK: return %[[R]]#0, %[[R]]#0
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r:2 = call @twice(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = math.exp %x : tensor<?xf32>
  return %y, %y : tensor<?xf32>, tensor<?xf32>
}

// What may be another result is copied: a caller that writes to the one would write
// to the other. What is another result in any case stays.
// CHECK-LABEL: func.func @choices
// CHECK: %[[Y:.*]] = math.exp
// CHECK: %[[SELECTED:.*]] = arith.select
// CHECK: %[[BRANCH:.*]] = scf.if
// CHECK: %[[CASE:.*]] = scf.index_switch
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[SELECTED]]) : tensor<4xf32>
// CHECK: %[[COPY2:.*]] = bufferization.alloc_tensor() copy(%[[BRANCH]]) : tensor<4xf32>
// CHECK: %[[COPY3:.*]] = bufferization.alloc_tensor() copy(%[[CASE]]) : tensor<4xf32>
// CHECK: return %[[Y]], %[[COPY]], %[[COPY2]], %[[COPY3]], %[[Y]]
func.func @choices(%x: tensor<4xf32>, %p: i1, %n: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %z = math.absf %x : tensor<4xf32>
  %s = arith.select %p, %z, %y : tensor<4xf32>
  %i = scf.if %p -> (tensor<4xf32>) {
    %c = math.ceil %x : tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  %c = scf.index_switch %n -> tensor<4xf32>
  case 0 {
    scf.yield %y : tensor<4xf32>
  }
  default {
    %f = math.floor %x : tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  }
  return %y, %s, %i, %c, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Loops, whose second argument and result may be what the first started with.
// CHECK-LABEL: func.func @loops
// CHECK: %[[Y:.*]] = math.exp
// CHECK: %[[FOR:.*]]:2 = scf.for
// CHECK: %[[WHILE:.*]]:2 = scf.while
// CHECK-DAG: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[FOR]]#1) : tensor<4xf32>
// CHECK-DAG: %[[COPY2:.*]] = bufferization.alloc_tensor() copy(%[[WHILE]]#1) : tensor<4xf32>
// CHECK: return %[[Y]], %[[COPY]], %[[COPY2]]
func.func @loops(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = math.exp %x : tensor<4xf32>
  %z = math.absf %x : tensor<4xf32>
  %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y, %b = %z) -> (tensor<4xf32>, tensor<4xf32>) {
    %c = math.ceil %b : tensor<4xf32>
    scf.yield %c, %a : tensor<4xf32>, tensor<4xf32>
  }
  %w:2 = scf.while (%a = %y, %b = %z) : (tensor<4xf32>, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %go = arith.cmpi ult, %n, %c1 : index
    scf.condition(%go) %n, %b : index, tensor<4xf32>
  } do {
  ^bb0(%k: index, %b: tensor<4xf32>):
    %c = math.floor %b : tensor<4xf32>
    scf.yield %c, %y : tensor<4xf32>, tensor<4xf32>
  }
  return %y, %f#1, %w#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What has nothing in common with what comes before is left alone, behind a cast too.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: return
func.func @apart(%x: tensor<4xf32>, %p: i1) -> (tensor<4xf32>, tensor<?xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %z = math.absf %x : tensor<4xf32>
  %w = math.ceil %x : tensor<4xf32>
  %s = arith.select %p, %z, %w : tensor<4xf32>
  %cast = tensor.cast %s : tensor<4xf32> to tensor<?xf32>
  return %y, %cast : tensor<4xf32>, tensor<?xf32>
}
