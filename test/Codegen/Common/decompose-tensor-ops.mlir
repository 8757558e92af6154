// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-decompose-tensor-ops))' | FileCheck %s

// CHECK-DAG: #[[TWO:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 + s2 + 1)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 + s2 * 2 + 1)>

// CHECK-LABEL: func.func @concat
// CHECK-NOT: tensor.concat
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0]
// CHECK: tensor.insert_slice %arg1 into %[[A]]
func.func @concat(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// What is concatenated again is inserted where it ends up, also where its size
// is read.

// CHECK-LABEL: func.func @nested
// CHECK-NOT: tensor.concat
// CHECK: tensor.dim %inserted_slice
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into
// CHECK: %[[B:.*]] = tensor.insert_slice %arg1 into %[[A]]
// CHECK: tensor.insert_slice %arg2 into %[[B]]
func.func @nested(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %i = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %i, %c0 : tensor<?xf32>
  %r = tensor.concat dim(0) %i, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r, %n : tensor<?xf32>, index
}

// A size that is a sum is added term by term, and what is in it twice is counted.

// CHECK-LABEL: func.func @sums
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[AT:.*]] = affine.apply #[[TWO]]()[%[[N]], %arg1, %arg2]
// CHECK-DAG: %[[SIZE:.*]] = affine.apply #[[ALL]]()[%[[N]], %arg1, %arg2]
// CHECK: tensor.empty(%[[SIZE]])
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[AT]]] [%arg2] [1]
func.func @sums(%x: tensor<?xf32>, %n: index, %m: index, %f: f32) -> tensor<?xf32> {
  %k = affine.apply affine_map<()[s0, s1] -> (s0 + s1 + 1)>()[%n, %m]
  %e = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %g = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%f : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.concat dim(0) %x, %y, %z : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Not along another dimension, and not what is used for itself.

// CHECK-LABEL: func.func @grid
// CHECK: %[[A:.*]] = tensor.insert_slice %arg1 into
// CHECK: tensor.insert_slice %[[A]] into
func.func @grid(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %i = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = tensor.concat dim(1) %i, %i : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @used
// CHECK: %[[A:.*]] = tensor.insert_slice %arg1 into
// CHECK: tensor.insert_slice %[[A]] into
// CHECK: return %[[A]]
func.func @used(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %i = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.concat dim(0) %i, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %i, %r : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf
func.func @softmax(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: arith.addf %{{.*}} : tensor
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?xf32>, tensor<?xf32>)
func.func @elementwise(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// One of two tensors, whose sizes may differ; elements are chosen one by one.

// CHECK-LABEL: func.func @either
// CHECK-NOT: linalg.generic
// CHECK: %[[R:.*]] = scf.if %arg0 -> (tensor<?xf32>) {
// CHECK-NEXT: scf.yield %arg1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg2
// CHECK: return %[[R]]
func.func @either(%p: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.select %p, %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @either_element
// CHECK-NOT: scf.if
// CHECK: linalg.generic
func.func @either_element(%p: tensor<?xi1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.select %p, %x, %y : tensor<?xi1>, tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?xf32>, %[[AT:.*]]: tensor<?x?x2xi32>
// CHECK-NOT: tensor.gather
// CHECK: linalg.generic
// CHECK: %[[B0:.*]] = linalg.index 0
// CHECK: %[[B1:.*]] = linalg.index 1
// CHECK: %[[J:.*]] = linalg.index 3
// CHECK: %[[E0:.*]] = tensor.extract %[[AT]][%[[B0]], %[[B1]], %c0]
// CHECK: %[[I:.*]] = arith.index_cast %[[E0]]
// CHECK: %[[E1:.*]] = tensor.extract %[[AT]][%[[B0]], %[[B1]], %c1]
// CHECK: %[[K:.*]] = arith.index_cast %[[E1]]
// CHECK: tensor.extract %[[X]][%[[I]], %[[J]], %[[K]]]
func.func @gather(%x: tensor<?x?x?xf32>, %at: tensor<?x?x2xi32>) -> tensor<?x?x1x?x1xf32> {
  %r = tensor.gather %x[%at] gather_dims([0, 2]) : (tensor<?x?x?xf32>, tensor<?x?x2xi32>) -> tensor<?x?x1x?x1xf32>
  return %r : tensor<?x?x1x?x1xf32>
}

// Slices that lack the gathered dimensions.

// CHECK-LABEL: func.func @gather_reduced
// CHECK: linalg.generic
// CHECK-DAG: %[[B:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = linalg.index 1
// CHECK: %[[I:.*]] = tensor.extract %arg1[%[[B]], %c0]
// CHECK: tensor.extract %arg0[%[[J]], %[[I]]]
func.func @gather_reduced(%x: tensor<4x?xf32>, %at: tensor<?x1xindex>) -> tensor<?x4xf32> {
  %r = tensor.gather %x[%at] gather_dims([1]) : (tensor<4x?xf32>, tensor<?x1xindex>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @scatter
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?xf32>, %[[AT:.*]]: tensor<?x1xindex>, %[[NEW:.*]]: tensor<?x?x1x?xf32>
// CHECK-NOT: tensor.scatter
// CHECK: scf.for %[[B:.*]] = %{{.*}} iter_args(%[[INTO:.*]] = %[[X]])
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[NEW]][%[[B]], 0, 0, 0] [1, %[[D0:.*]], 1, %[[D2:.*]]] [1, 1, 1, 1] : tensor<?x?x1x?xf32> to tensor<?x1x?xf32>
// CHECK: %[[I:.*]] = tensor.extract %[[AT]][%[[B]], %c0]
// CHECK: tensor.insert_slice %[[SLICE]] into %[[INTO]][0, %[[I]], 0] [%[[D0]], 1, %[[D2]]] [1, 1, 1]
func.func @scatter(%x: tensor<?x?x?xf32>, %at: tensor<?x1xindex>, %new: tensor<?x?x1x?xf32>) -> tensor<?x?x?xf32> {
  %r = tensor.scatter %new into %x[%at] scatter_dims([1]) unique : (tensor<?x?x1x?xf32>, tensor<?x?x?xf32>, tensor<?x1xindex>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Bufferization does not know that the result of a switch is what a case yields.

// CHECK-LABEL: func.func @switch
// CHECK-NOT: scf.index_switch
// CHECK: %[[IS2:.*]] = arith.cmpi eq, %arg2, %{{.*}} : index
// CHECK: %[[R:.*]] = scf.if %[[IS2]] -> (tensor<?xf32>) {
// CHECK:   scf.yield %arg0
// CHECK: } else {
// CHECK:   %[[IS5:.*]] = arith.cmpi eq, %arg2, %{{.*}} : index
// CHECK:   %[[OTHER:.*]] = scf.if %[[IS5]] -> (tensor<?xf32>) {
// CHECK:     scf.yield %arg1
// CHECK:   } else {
// CHECK:     scf.yield %arg0
// CHECK:   }
// CHECK:   scf.yield %[[OTHER]]
// CHECK: }
// CHECK: return %[[R]]
func.func @switch(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %r = scf.index_switch %i -> tensor<?xf32>
  case 2 {
    scf.yield %x : tensor<?xf32>
  }
  case 5 {
    scf.yield %y : tensor<?xf32>
  }
  default {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// One of numbers stays.
// CHECK-LABEL: func.func @switch_of_numbers
// CHECK: scf.index_switch
func.func @switch_of_numbers(%x: f32, %y: f32, %i: index) -> f32 {
  %r = scf.index_switch %i -> f32
  case 2 {
    scf.yield %x : f32
  }
  default {
    scf.yield %y : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @blocks
// CHECK-NOT: cf.switch
// CHECK: %[[IS1:.*]] = arith.cmpi eq, %arg2, %{{.*}} : i32
// CHECK: cf.cond_br %[[IS1]], ^[[JOIN:.*]](%arg1 : tensor<?xf32>), ^[[REST:.*]]
// CHECK: ^[[REST]]:
// CHECK: cf.br ^[[JOIN]](%arg0 : tensor<?xf32>)
func.func @blocks(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: i32) -> tensor<?xf32> {
  cf.switch %i : i32, [
    default: ^join(%x : tensor<?xf32>),
    1: ^join(%y : tensor<?xf32>)
  ]
^join(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}
