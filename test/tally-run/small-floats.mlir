// f16 and bf16 compute in f32 and round after every operation: 1 + 2^-8 is 1 in
// bf16, so what is left of it is 0, also where the operations are fused.
// RUN: tally-run %s --input bf16[1]=1 --input bf16[1]=0.00390625 --input f16[2]=0.5,65504 | FileCheck %s

// CHECK: out0: bf16[1] =
// CHECK-NEXT: [0.]
// CHECK: out1: f16[2] =
// CHECK-NEXT: [ 1. inf]
func.func @main(%x: tensor<?xbf16>, %y: tensor<?xbf16>, %h: tensor<?xf16>) -> (tensor<?xbf16>, tensor<?xf16>) {
  %a = linalg.map { arith.addf } ins(%x, %y : tensor<?xbf16>, tensor<?xbf16>) outs(%x : tensor<?xbf16>)
  %b = linalg.map { arith.subf } ins(%a, %x : tensor<?xbf16>, tensor<?xbf16>) outs(%x : tensor<?xbf16>)
  %d = linalg.map { arith.addf } ins(%h, %h : tensor<?xf16>, tensor<?xf16>) outs(%h : tensor<?xf16>)
  return %b, %d : tensor<?xbf16>, tensor<?xf16>
}
