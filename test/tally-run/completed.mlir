// A size of an argument of a private function has no limit but that of its type:
// the check and the size are computed in i128, so that the proof that there is a
// window is found again where the arithmetic is read.

// RUN: tally-opt %s --tally-check-pipeline | tally-opt --tally-verify-form | FileCheck %s
// CHECK-LABEL: func.func private @windows(
// CHECK: tally.assert %{{.*}}, <3 <= s0>
// CHECK: arith.addi %{{.*}} : i128
// CHECK: tensor.empty

// RUN: tally-run %s --input f32[3]=1 | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --input f32[8]=1 | FileCheck %s --check-prefix=THREE
// RUN: not tally-run %s --input f32[2]=1 2>&1 | FileCheck %s --check-prefix=SHORT
// ONE: [7.]
// THREE: [7. 7. 7.]
// SHORT: 3 <= s0 does not hold: s0 = 2

func.func private @windows(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {no_inline, tally.symbols = #tally.symbols<s0>} {
  %z = arith.constant 7.0 : f32
  tally.check <3 <= s0>
  %n = tally.size <s0 ceildiv 2 - 1> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @windows(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
