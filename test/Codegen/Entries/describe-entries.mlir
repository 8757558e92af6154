// RUN: tally-opt %s --tally-describe-entries | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<?x3xi8> {bufferization.writable = false}
// CHECK-SAME: i64)
// CHECK-SAME: -> (tensor<?x3xi8>, i64)
// CHECK-SAME: tally.entry = {arguments = [
// CHECK-SAME: {name = "x", shape = ["s0", "3"], type = tensor<?x3xi8>, unsigned}
// CHECK-SAME: {name = "arg1", shape = [], type = i64, value = "s0 * 2"}
// CHECK-SAME: results = [{mutates = 0 : i64, name = "out0", shape = ["?", "3"], type = tensor<?x3xi8>}
// CHECK-SAME: {name = "n", shape = [], type = i64}
// CHECK-SAME: symbols = #tally.symbols<s0 : [0, 64] from "x.size(0)">
// CHECK-NOT: tally.symbols = #
func.func @main(%x: tensor<?x3xi8> {tally.name = "x", tally.shape = #tally.shape<s0, 3>, tally.unsigned},
                %n: i64 {tally.value = #tally.expr<s0 * 2>})
    -> (tensor<?x3xi8> {tally.mutates = 0 : i64}, i64 {tally.name = "n"})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  return %x, %n : tensor<?x3xi8>, i64
}

// What cannot be called from outside has no entry, and may write in place.
// CHECK-LABEL: func.func private @helper(
// CHECK-SAME: %{{.*}}: tensor<?xf32>)
// CHECK-NOT: tally.
func.func private @helper(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}

// Strides and offsets of arguments, which callers do not pass.
// CHECK-LABEL: func.func @hidden(
// CHECK-SAME: {name = "x", shape = ["?", "?"], type = tensor<?x?xf32>}
// CHECK-SAME: {hidden = array<i64: 0, 1>, name = "arg1", shape = [], type = index, value = "s0"}
// CHECK-SAME: {hidden = array<i64: 0, -1>, name = "arg2", shape = [], type = index}
func.func @hidden(%x: tensor<?x?xf32> {tally.name = "x"},
                  %stride: index {tally.hidden = #tally.path<argument(0).stride(1)>, tally.value = #tally.expr<s0>},
                  %offset: index {tally.hidden = #tally.path<argument(0).storage_offset>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}

// A scalar is where its symbol comes from.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: symbols = #tally.symbols<s0 : from "n">
func.func @scalar(%n: index {tally.name = "n", tally.value = #tally.expr<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}

// A symbol that is defined inside comes from where its operation says, even where an
// argument has it as well; the first that says so counts.
// CHECK-LABEL: func.func @origins(
// CHECK-SAME: symbols = #tally.symbols<u0 : [0, 9] from "nonzero(x).size(0)", s0 : from "x.size(0)", s1>
func.func @origins(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, u0>}, %n: index, %m: index)
    attributes {tally.symbols = #tally.symbols<u0 : [0, 9], s0, s1>} {
  %u = tally.symbol "u0" = %n from "nonzero(x).size(0)" in [0, 9] : index
  %v = tally.symbol "u0" = %m from "elsewhere" in [0, 9] : index
  return
}
