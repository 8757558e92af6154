// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-decompose-tensor-ops))' | FileCheck %s

// CHECK-LABEL: func.func @concat
// CHECK-NOT: tensor.concat
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0]
// CHECK: tensor.insert_slice %arg1 into %[[A]]
func.func @concat(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
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
