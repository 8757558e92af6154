// Sorts of all types beside the interpreter: the whole order along the last dimension, a part of it along the
// first one, and the order of booleans, bytes and halves, at sizes 0 and 1 and where the runtime changes its method.
// RUN: tally-run %s --compare --entry sort_i1 --cases %S/Inputs/sort-i1.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_i8 --cases %S/Inputs/sort-i8.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_u8 --cases %S/Inputs/sort-i8.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_i16 --cases %S/Inputs/sort-i16.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_i32 --cases %S/Inputs/sort-i32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_i64 --cases %S/Inputs/sort-i64.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_f16 --cases %S/Inputs/sort-f16.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_bf16 --cases %S/Inputs/sort-bf16.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_f32 --cases %S/Inputs/sort-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry sort_f64 --cases %S/Inputs/sort-f64.json | FileCheck %s --check-prefix=SAME
// SAME-COUNT-9: PASS
// SAME-NOT: FAIL
// RUN: not tally-run %s --compare --entry sort_f32 --input f32[2,2]=1,2,3,4 --input i64=3 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: tally-run: check failed:

func.func @sort_i1(%x: tensor<?x?xi1>, %k: index) -> (tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi1>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi1>
  %n = tensor.dim %x, %c1 : tensor<?x?xi1>
  %v = tensor.empty(%m, %n) : tensor<?x?xi1>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xi1>) values(%v : tensor<?x?xi1>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xi1>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xi1>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xi1>) values(%w : tensor<?x?xi1>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xi1>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi1>, tensor<?x?xi64>
}

func.func @sort_i8(%x: tensor<?x?xi8>, %k: index) -> (tensor<?x?xi8>, tensor<?x?xi64>, tensor<?x?xi8>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %v = tensor.empty(%m, %n) : tensor<?x?xi8>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xi8>) values(%v : tensor<?x?xi8>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xi8>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xi8>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xi8>) values(%w : tensor<?x?xi8>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xi8>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xi8>, tensor<?x?xi64>, tensor<?x?xi8>, tensor<?x?xi64>
}

func.func @sort_u8(%x: tensor<?x?xi8>, %k: index) -> (tensor<?x?xi8>, tensor<?x?xi64>, tensor<?x?xi8>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %v = tensor.empty(%m, %n) : tensor<?x?xi8>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xi8>) values(%v : tensor<?x?xi8>) indices(%i : tensor<?x?xi64>) dim 1 {is_unsigned} -> tensor<?x?xi8>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xi8>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xi8>) values(%w : tensor<?x?xi8>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending, is_unsigned} -> tensor<?x?xi8>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xi8>, tensor<?x?xi64>, tensor<?x?xi8>, tensor<?x?xi64>
}

func.func @sort_i16(%x: tensor<?x?xi16>, %k: index) -> (tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi16>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi16>
  %n = tensor.dim %x, %c1 : tensor<?x?xi16>
  %v = tensor.empty(%m, %n) : tensor<?x?xi16>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xi16>) values(%v : tensor<?x?xi16>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xi16>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xi16>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xi16>) values(%w : tensor<?x?xi16>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xi16>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi16>, tensor<?x?xi64>
}

func.func @sort_i32(%x: tensor<?x?xi32>, %k: index) -> (tensor<?x?xi32>, tensor<?x?xi64>, tensor<?x?xi32>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %v = tensor.empty(%m, %n) : tensor<?x?xi32>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xi32>) values(%v : tensor<?x?xi32>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xi32>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xi32>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xi32>) values(%w : tensor<?x?xi32>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xi32>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xi32>, tensor<?x?xi64>, tensor<?x?xi32>, tensor<?x?xi64>
}

func.func @sort_i64(%x: tensor<?x?xi64>, %k: index) -> (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi64>
  %n = tensor.dim %x, %c1 : tensor<?x?xi64>
  %v = tensor.empty(%m, %n) : tensor<?x?xi64>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xi64>) values(%v : tensor<?x?xi64>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xi64>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xi64>) values(%w : tensor<?x?xi64>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xi64>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi64>
}

func.func @sort_f16(%x: tensor<?x?xf16>, %k: index) -> (tensor<?x?xf16>, tensor<?x?xi64>, tensor<?x?xf16>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %v = tensor.empty(%m, %n) : tensor<?x?xf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf16>) values(%v : tensor<?x?xf16>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xf16>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xf16>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xf16>) values(%w : tensor<?x?xf16>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xf16>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xf16>, tensor<?x?xi64>, tensor<?x?xf16>, tensor<?x?xi64>
}

func.func @sort_bf16(%x: tensor<?x?xbf16>, %k: index) -> (tensor<?x?xbf16>, tensor<?x?xi64>, tensor<?x?xbf16>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %v = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xbf16>) values(%v : tensor<?x?xbf16>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xbf16>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xbf16>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xbf16>) values(%w : tensor<?x?xbf16>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xbf16>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xbf16>, tensor<?x?xi64>, tensor<?x?xbf16>, tensor<?x?xi64>
}

func.func @sort_f32(%x: tensor<?x?xf32>, %k: index) -> (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %v = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x?xf32>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xf32>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xf32>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%w : tensor<?x?xf32>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xf32>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xi64>
}

func.func @sort_f64(%x: tensor<?x?xf64>, %k: index) -> (tensor<?x?xf64>, tensor<?x?xi64>, tensor<?x?xf64>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?xf64>
  %v = tensor.empty(%m, %n) : tensor<?x?xf64>
  %i = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf64>) values(%v : tensor<?x?xf64>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xf64>, tensor<?x?xi64>
  %rest = arith.subi %m, %k : index
  %w = tensor.empty(%rest, %n) : tensor<?x?xf64>
  %j = tensor.empty(%rest, %n) : tensor<?x?xi64>
  %s:2 = tally.sort ins(%x : tensor<?x?xf64>) values(%w : tensor<?x?xf64>) indices(%j : tensor<?x?xi64>) dim 0 from %k {descending} -> tensor<?x?xf64>, tensor<?x?xi64>
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x?xf64>, tensor<?x?xi64>, tensor<?x?xf64>, tensor<?x?xi64>
}
