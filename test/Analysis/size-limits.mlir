// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s

// A size has a limit, 2 ** 48, and so has a symbol that is a part of it; a factor of a
// product has none, as another one may be 0.

// CHECK-LABEL: func.func @products(
// CHECK-NOT:     <s2 <=
// CHECK:         tally.assert %{{.*}}, <s2 <= 140737488355327>
// CHECK-NEXT:    arith.cmpi
// CHECK:         tally.assert %{{.*}}, <s0 <= 140737488355328>
// CHECK:         tally.assert %{{.*}}, <s1 <= 140737488355328>
func.func @products(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<2 * s0 * s1>}, %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<2 * s2>},
                    %n: index {tally.value = #tally.expr<s0>}, %m: index {tally.value = #tally.expr<s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  tally.check <s2 <= 140737488355328>
  tally.check <s2 <= 140737488355327>
  tally.check <s0 <= 140737488355328>
  tally.check <s1 <= 140737488355328>
  return
}

// Another expression of a number and a symbol is no multiple of it.

// CHECK-LABEL: func.func @others(
// CHECK:         tally.assert %{{.*}}, <s0 <= 70368744177664>
// CHECK:         tally.assert %{{.*}}, <s1 <= 70368744177664>
// CHECK:         tally.assert %{{.*}}, <s2 <= 70368744177664>
// CHECK:         tally.assert %{{.*}}, <s3 <= 70368744177664>
func.func @others(%x: tensor<?xf32> {tally.shape = #tally.shape<max(4, s0)>}, %y: tensor<?xf32> {tally.shape = #tally.shape<min(4, s1)>},
                  %z: tensor<?xf32> {tally.shape = #tally.shape<s2 + 4>},
                  %w: tensor<?xf32> {tally.shape = #tally.shape<100 floordiv s3>},
                  %n: index {tally.value = #tally.expr<s0>}, %m: index {tally.value = #tally.expr<s1>}, %k: index {tally.value = #tally.expr<s3>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3 : [1, inf]>} {
  tally.check <s0 <= 70368744177664>
  tally.check <s1 <= 70368744177664>
  tally.check <s2 <= 70368744177664>
  tally.check <s3 <= 70368744177664>
  return
}
