// RUN: tally-opt %s --tally-check-pipeline | tally-opt --tally-check-pipeline | FileCheck %s
// RUN: tally-opt %s --tally-check-pipeline | tally-opt --tally-check-pipeline=verify=true | FileCheck %s
// RUN: tally-opt %s --tally-check-pipeline -o %t.mlir && tally-run %t.mlir --input i1[4]=true,false,true,true | FileCheck %s --check-prefix=OUTPUT

// A checked program is a program. The name of a size that nobody reads has been
// cleaned away; in the signature it is but a word.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> (tensor<?x1xi64> {tally.shape = #tally.shape<u0, 1>})
// CHECK:         tally.nonzero
// CHECK-NOT:     tally.assert
// CHECK:         return
// OUTPUT: out0: i64[3, 1]
func.func @main(%x: tensor<?xi1> {tally.shape = #tally.shape<s0>}) -> tensor<?x1xi64>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  return %a : tensor<?x1xi64>
}
