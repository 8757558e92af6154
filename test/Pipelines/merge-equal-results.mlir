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
