// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline{verify})" | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tally-opt %s --tally-check-pipeline=checks=all | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tally-opt %s --tally-check-pipeline=checks=entry | FileCheck %s --check-prefixes=CHECK,ENTRY
// RUN: tally-opt %s --tally-check-pipeline=checks=none | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tally-opt %s --tally-check-pipeline=explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// A program with a table goes through all three forms; one without any
// annotation as well.

// CHECK-LABEL: func.func @named
// ALL:         tally.assert %{{.*}}, <s0 <= 64> {{.*}} declared_by("x")
// ENTRY:       tally.assert %{{.*}}, <s0 <= 64> {{.*}} declared_by("x")
// NONE:        tally.assume <s0 <= 64> {{.*}} declared_by("x")
// CHECK:       %[[S0:.*]] = tally.symbol "s0"
// ALL:         tally.assert %{{.*}}, <2 * s0 == s1> {{.*}} sources({s0 = "x.size(0)", s1 = "y.size(0)"}) required_by("linalg.add")
// ENTRY:       tally.assert %{{.*}}, <2 * s0 == s1> {{.*}} required_by("linalg.add")
// NONE:        tally.assume <2 * s0 == s1> {{.*}} required_by("linalg.add")
// CHECK-NOT:   tally.{{check|size}}
// CHECK:       linalg.add
// CHECK-NOT:   tally.{{check|size}}

// EXPLAIN:     remark: s0 <= 64: asserted
// EXPLAIN:     remark: 2 * s0 == s1: asserted
func.func @named(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                 %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64], s1>} {
  %two = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = tally.size <2 * s0> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.add ins(%two, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @plain
// ALL:         tally.assert %{{.*}}, <s0 == s1> {{.*}} sources({s0 = "arg0.size(0)", s1 = "arg1.size(0)"}) required_by("arith.addf")
// ENTRY:       tally.assert %{{.*}}, <s0 == s1>
// NONE:        tally.assume <s0 == s1>
func.func @plain(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// A call of a private function is checked by its caller, by what the callee
// declares; one of an external function is not.

// CHECK-LABEL: func.func @caller
// ALL:         tally.assert %{{.*}}, <s0 == s1>
// CHECK:       call @callee
// CHECK:       call @external
// CHECK-LABEL: func.func private @callee
func.func private @external(tensor<?xf32>)
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @callee(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  call @external(%r) : (tensor<?xf32>) -> ()
  return %r : tensor<?xf32>
}
func.func private @callee(%x: tensor<?xf32> {tally.shape = #tally.shape<n>},
                          %y: tensor<?xf32> {tally.shape = #tally.shape<n>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Sizes that were shared by the cleanup do not open a subgraph.

// CHECK-LABEL: func.func @closed
// CHECK:         tensor.empty() : tensor<f32>
// CHECK:         tally.cond
// CHECK:           %[[E:.*]] = tensor.empty() : tensor<f32>
// CHECK-NEXT:      linalg.fill {{.*}} outs(%[[E]] : tensor<f32>)
func.func @closed(%p: i1) -> (tensor<f32>, tensor<f32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = tally.cond %p : () -> tensor<f32> {
    %e1 = tensor.empty() : tensor<f32>
    %one = arith.constant 1.0 : f32
    %f1 = linalg.fill ins(%one : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
    tally.yield %f1 : tensor<f32>
  } else {
    %two = arith.constant 2.0 : f32
    %e1 = tensor.empty() : tensor<f32>
    %f1 = linalg.fill ins(%two : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
    tally.yield %f1 : tensor<f32>
  }
  return %f, %r : tensor<f32>, tensor<f32>
}
