// A stride and an offset of an argument are no inputs of the caller.
// RUN: tally-run %s --input f32[3,4]=1 | FileCheck %s
// CHECK: out0: i64 =
// CHECK-NEXT: 4
// CHECK: out1: i64 =
// CHECK-NEXT: 0
// RUN: not tally-run %s --input f32[3,12]=1 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: s2 <= 10 does not hold: s2 = 12 (s2 = x.stride(0)); declared by {{.*}}
// RUN: not tally-run %s --input f32[3,4]=1 --input i64=4 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: main takes 1 argument, 2 given
// RUN: tally-compile %s -o %t.so --header %t.h
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t.h
// HEADER: /// main(x: f32[s0, s1]) -> (out0: i64, out1: i64)
// HEADER: _NUM_ARGUMENTS 1
func.func @main(%x: tensor<?x?xf32> {tally.name = "x"},
                %pitch: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<s2>},
                %start: index {tally.hidden = #tally.path<argument(0).storage_offset>}) -> (index, index)
    attributes {tally.symbols = #tally.symbols<s2 : [0, 10]>} {
  return %pitch, %start : index, index
}
