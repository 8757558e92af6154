// What a program keeps between calls: the next call finds what the last successful one has
// written, the first call what `initial_state` returns.
// RUN: tally-run %s --input i64=5 --input f32[2]=1 | FileCheck %s --check-prefix=FIRST
// RUN: tally-run %s --input i64=5 --input f32[2]=1 --repeat 3 | FileCheck %s --check-prefix=THIRD
// RUN: tally-run %s --input i64=5 --input f32[2]=1 --repeat 3 --compare | FileCheck %s --check-prefix=THIRD
// RUN: tally-run %s --input i64=5 --input f32[2]=1 --repeat 3 --interpret=gpu | FileCheck %s --check-prefix=THIRD
// RUN: not tally-run %s --input i64=5 --input f32[2]=1 --repeat 4 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tally-run %s --input i64=5 --input f32[2]=1 --repeat 4 --interpret 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tally-run %s --input i64=5 --input f32[2]=1 --input i64=0 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: tally-run %s --entry=initial_state | FileCheck %s --check-prefix=INITIAL
// RUN: tally-compile %s -o %t.so --header %t.h
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t.h
// FIRST: out0: i64 =
// FIRST-NEXT: 12
// FIRST: out1: i64 =
// FIRST-NEXT: 1
// FIRST-NOT: sum
// THIRD: out0: i64 =
// THIRD-NEXT: 22
// RANGE: check failed: {{.*}}u0 < 25 does not hold: u0 = 27
// MORE: main takes 2 arguments, 3 given
// INITIAL: sum: i64 =
// INITIAL-NEXT: 7
// HEADER: /// main(n: i64, x: f32[s0]) -> (out0: i64, out1: i64)
// HEADER: ///   keeps sum on success
// HEADER: MAIN_NUM_ARGUMENTS 2
func.func @initial_state() -> (tensor<i64> {tally.name = "sum"}) {
  %seven = arith.constant dense<7> : tensor<i64>
  return %seven : tensor<i64>
}

func.func @main(%n: i64 {tally.name = "n"}, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %sum: tensor<i64> {tally.name = "sum", tally.state},
                %stride: index {tally.hidden = #tally.path<argument(1).stride(0)>})
    -> (i64, i64, tensor<i64> {tally.mutates = 2 : i64})
    attributes {tally.initial_state = @initial_state, tally.symbols = #tally.symbols<s0>} {
  %old = tensor.extract %sum[] : tensor<i64>
  %new = arith.addi %old, %n : i64
  %limit = arith.constant 25 : i64
  %ok = arith.cmpi slt, %new, %limit : i64
  %index = arith.index_cast %new : i64 to index
  %checked = tally.assert %ok, <u0 < 25> (u0 = %index : index) guards(%index : index)
  %next = arith.index_cast %checked : index to i64
  %kept = tensor.from_elements %next : tensor<i64>
  %s = arith.index_cast %stride : index to i64
  return %next, %s, %kept : i64, i64, tensor<i64>
}
