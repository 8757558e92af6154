// What is declared of an argument is checked at the line of the argument, and
// `explain` tells the sizes that a type fixes, of functions that are called
// from outside.
// RUN: tally-opt %s --tally-bind-symbols --mlir-print-debuginfo | FileCheck %s
// RUN: tally-opt %s "--tally-insert-runtime-asserts=explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// CHECK-DAG:   #[[X:loc[0-9]*]] = loc("{{.*}}bind-symbols-places.mlir":[[#@LINE+12]]:17)
// CHECK-DAG:   #[[Y:loc[0-9]*]] = loc("{{.*}}bind-symbols-places.mlir":[[#@LINE+12]]:17)
// CHECK-LABEL: func.func @main
// CHECK:       tally.check <s0 <= 8> ({{.*}}) declared_by("x") loc(#[[X]])
// CHECK:       tally.check <s1 mod 4 == 0> ({{.*}}) declared_by("y") loc(#[[Y]])
// CHECK:       tally.check <s0 == y_size_1> ({{.*}}) declared_by("y") loc(#[[Y]])

// EXPLAIN-NOT: remark
// EXPLAIN:     mlir:[[#@LINE+4]]:17: remark: x.size(1) == 3: compared at entry
// EXPLAIN-NOT: remark
// EXPLAIN:     mlir:[[#@LINE+4]]:17: remark: z.size(0) == 5, z.size(1) == 6: compared at entry
// EXPLAIN-NOT: remark
func.func @main(%x: tensor<?x3xf32> {tally.name = "x", tally.shape = #tally.shape<s0, 3>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s1, s0>},
                %z: tensor<5x6xf32> {tally.name = "z"})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 8], s1 : [0, inf] % 4>} {
  return
}

func.func private @inner(%x: tensor<7xf32> {tally.name = "x"}) {
  return
}
