// Arithmetic may wrap around until an assert says of what it is about that it
// does not. What follows from there is known again in the checked form.
// RUN: split-file %s %t
// RUN: tally-opt %t/split.mlir --pass-pipeline='builtin.module(tally-check-pipeline{verify})' -o /dev/null
// RUN: tally-run %t/split.mlir --input 'f32[4,1]=0,1,2,3' --input i64=1 | FileCheck %s --check-prefix=SPLIT
// RUN: tally-run %t/split.mlir --input 'f32[0,1]=' --input i64=0 | FileCheck %s --check-prefix=NOTHING
// RUN: not tally-run %t/split.mlir --input 'f32[4,1]=0,1,2,3' --input i64=3 2>&1 | FileCheck %s --check-prefix=SPLIT-BAD
// RUN: not tally-run %t/split.mlir --input 'f32[4,1]=0,1,2,3' --input i64=-9223372036854775808 2>&1 | FileCheck %s --check-prefix=WRAPPED
// RUN: tally-opt %t/half.mlir --pass-pipeline='builtin.module(tally-check-pipeline{verify})' -o /dev/null
// RUN: tally-run %t/half.mlir --input 'i1[5]=1' | FileCheck %s --check-prefix=HALF
// RUN: tally-run %t/half.mlir --input 'i1[2]=1' | FileCheck %s --check-prefix=ONE
// RUN: not tally-run %t/half.mlir --input 'i1[0]=' 2>&1 | FileCheck %s --check-prefix=HALF-BAD

//--- split.mlir
// SPLIT: out0: f32[1, 1] =
// SPLIT-NEXT: {{\[\[}}1.]]
// NOTHING: out0: f32[0, 1] =
// SPLIT-BAD: check failed: {{.*}}a part has a negative size
// WRAPPED: check failed: {{.*}}needed by tensor.extract_slice
func.func @main(%x: tensor<?x?xf32>, %n: index) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x?xf32>
  %rest = arith.subi %d, %n : index
  %part = tensor.extract_slice %x[%n, 0] [%rest, 1] [1, 1] : tensor<?x?xf32> to tensor<?x1xf32>
  %last = arith.subi %rest, %n : index
  %r:2 = tally.split %part[%n, %last] dim 0 : tensor<?x1xf32>
  return %r#0 : tensor<?x1xf32>
}
//--- half.mlir
// HALF: out0: i1[2] =
// ONE: out0: i1[1] =
// HALF-BAD: check failed: {{.*}}needed by tensor.empty
func.func @main(%x: tensor<?xi1>) -> tensor<?xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %d = tensor.dim %x, %c0 : tensor<?xi1>
  %0 = arith.subi %d, %c2 : index
  %1 = arith.divsi %0, %c2 : index
  %n = arith.addi %1, %c1 : index
  %e = tensor.empty(%n) : tensor<?xi1>
  %y = linalg.fill ins(%true : i1) outs(%e : tensor<?xi1>) -> tensor<?xi1>
  %m = tensor.dim %y, %c0 : tensor<?xi1>
  %k = arith.subi %m, %c1 : index
  %part = tensor.empty(%k) : tensor<?xi1>
  %z = linalg.fill ins(%true : i1) outs(%part : tensor<?xi1>) -> tensor<?xi1>
  %r = tensor.insert_slice %z into %y[1] [%k] [1] : tensor<?xi1> into tensor<?xi1>
  return %r : tensor<?xi1>
}
