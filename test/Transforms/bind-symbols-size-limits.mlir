// RUN: tally-opt %s --tally-propagate-shapes --tally-bind-symbols | FileCheck %s
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline{verify=true})' | FileCheck %s --check-prefix=CHECKED

// Only the arguments of a compiled function have a limit. What an operation
// makes, or another function passes, may be as large as an index can tell.

// CHECK-LABEL: func.func @entry
// CHECK-NOT:     tally.check
// CHECK:         arith.addi
// CHECK:         return
func.func @entry(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index attributes {tally.symbols = #tally.symbols<s0>} {
  %0 = tally.size <s0 + 1> : index
  return %0 : index
}

// CHECK-LABEL: func.func @result
// CHECK:         tally.symbol "u0"
// CHECK:         tally.check <u0 <= 9223372036854775806>
// CHECK:         arith.addi
// CHECKED-LABEL: func.func @result
// CHECKED:         tally.assert %{{.+}}, <u0 <= 9223372036854775806>
func.func @result(%x: tensor<?xi64> {tally.shape = #tally.shape<s0>}) -> index attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %0 = tally.repeat_interleave %x : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %1 = tally.size <u0 + 1> : index
  return %1 : index
}

// CHECK-LABEL: func.func private @inner
// CHECK:         tally.check <s0 <= 9223372036854775806>
// CHECK:         arith.addi
// CHECKED-LABEL: func.func private @inner
// CHECKED:         tally.assert %{{.+}}, <s0 <= 9223372036854775806>
func.func private @inner(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index attributes {tally.symbols = #tally.symbols<s0>} {
  %0 = tally.size <s0 + 1> : index
  return %0 : index
}
