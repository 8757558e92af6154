// What PyTorch's language of dimensions cannot say (the examples of its pull request
// 127129): the programs stay dynamic, and assert exactly their guards.
// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline{checks=none})' | FileCheck %s --check-prefix=NONE
// RUN: tally-run %s --compare --cases %S/Inputs/reshape_add.json --entry reshape_add
// RUN: tally-run %s --compare --cases %S/Inputs/one_row_less.json --entry one_row_less
// RUN: tally-run %s --compare --cases %S/Inputs/chain.json --entry chain

// x.reshape(-1) + y

// CHECK-LABEL: func.func @reshape_add
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <s0 * s1 == s2> {{.*}}required_by("arith.addf")
// CHECK-NOT:     tally.assert
// CHECK:         return %{{.*}} : tensor<?xf32>
// NONE-LABEL:  func.func @reshape_add
// NONE-NOT:      tally.assert
// NONE:          tally.assume <s0 * s1 == s2>
// NONE-NOT:      tally.{{assert|assume}}
func.func @reshape_add(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                       %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %sum = arith.addf %flat, %y : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// x.reshape(x.size(0) - 1, -1), with the guard that tracing it takes. The first
// assert is the declared range.

// CHECK-LABEL: func.func @one_row_less
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <2 <= s0> {{.*}}declared_by("x")
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <s0 * s1 mod (s0 - 1) == 0> {{.*}}message("the rest is a row")
// CHECK-NOT:     tally.assert
// CHECK:         return %{{.*}} : tensor<?x?xf32>
// NONE-LABEL:  func.func @one_row_less
// NONE-NOT:      tally.assert
// NONE:          tally.assume <2 <= s0>
// NONE-NOT:      tally.{{assert|assume}}
// NONE:          tally.assume <s0 * s1 mod (s0 - 1) == 0>
// NONE-NOT:      tally.{{assert|assume}}
func.func @one_row_less(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [2, inf], s1>} {
  tally.check <s0 * s1 mod (s0 - 1) == 0>, "the rest is a row"
  %rows = tally.size <s0 - 1> : index
  %columns = tally.size <s0 * s1 floordiv (s0 - 1)> : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = tensor.expand_shape %flat [[0, 1]] output_shape [%rows, %columns] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// if x.size(0) == y.size(0): ... elif x.size(0) == y.size(0) ** 3: ...
// elif x.size(0) ** 2 == y.size(0) * 3: the branch that was traced.

// CHECK-LABEL: func.func @chain
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <4 <= s0> {{.*}}declared_by("x")
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <4 <= s1> {{.*}}declared_by("y")
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <"s0 != s1">
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <"s0 != s1 ** 3">
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <s0 ** 2 == s1 * 3>
// CHECK-NOT:     tally.assert
// CHECK:         return
// NONE-LABEL:  func.func @chain
// NONE-NOT:      tally.assert
// NONE-COUNT-5:  tally.assume
// NONE-NOT:      tally.{{assert|assume}}
func.func @chain(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                 %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0 : [4, inf], s1 : [4, inf]>} {
  tally.check <"s0 != s1">
  tally.check <"s0 != s1 ** 3">
  tally.check <s0 ** 2 == s1 * 3>
  %two = arith.addf %x, %x : tensor<?xf32>
  %four = arith.addf %y, %y : tensor<?xf32>
  return %two, %four : tensor<?xf32>, tensor<?xf32>
}
