// Slices that begin where their buffer does, as arguments of functions, and
// what is inserted where an assert says that there is room.
// RUN: split-file %s %t
// RUN: tally-run %t/call.mlir --cases %t/call.json | FileCheck %s --check-prefix=CALL
// RUN: tally-run %t/insert.mlir --cases %t/insert.json | FileCheck %s --check-prefix=INSERT
// RUN: tally-run %t/expand.mlir --input i1[2,2]=1,0,1,1 | FileCheck %s --check-prefix=EXPAND

// CALL: PASS columns
// CALL: PASS all columns
// CALL: PASS none
// INSERT: PASS fits
// INSERT: PASS too long
//--- call.mlir
func.func @main(%x: tensor<?x?xi64>, %n: index) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x?xi64>
  %s = tensor.extract_slice %x[0, 0] [%d, %n] [1, 1] : tensor<?x?xi64> to tensor<?x?xi64>
  %r = call @same(%s) : (tensor<?x?xi64>) -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}
func.func private @same(%x: tensor<?x?xi64>) -> tensor<?x?xi64> {
  return %x : tensor<?x?xi64>
}
//--- call.json
[
 {"name": "columns", "inputs": ["i64[2,3]=1,2,3,4,5,6", "i64=2"], "expect": ["i64[2,2]=1,2,4,5"]},
 {"name": "all columns", "inputs": ["i64[2,3]=1,2,3,4,5,6", "i64=3"], "expect": ["i64[2,3]=1,2,3,4,5,6"]},
 {"name": "none", "inputs": ["i64[2,3]=1,2,3,4,5,6", "i64=0"], "expect": ["i64[2,0]="]}
]
//--- insert.mlir
func.func @main(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %n = tensor.extract %y[%c0] : tensor<?xi64>
  %k = arith.index_cast %n : i64 to index
  %e = tensor.empty(%k) : tensor<?xi64>
  %f = linalg.fill ins(%one : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %m = tally.nonzero %y : tensor<?xi64> -> tensor<?x1xi64>
  %d = tensor.dim %m, %c0 : tensor<?x1xi64>
  %t = tensor.empty(%d) : tensor<?xi64>
  %u = linalg.fill ins(%n : i64) outs(%t : tensor<?xi64>) -> tensor<?xi64>
  %r = tensor.insert_slice %f into %u[0] [%k] [1] : tensor<?xi64> into tensor<?xi64>
  return %r : tensor<?xi64>
}
//--- insert.json
[
 {"name": "fits", "inputs": ["i64[0]=", "i64[3]=2,1,1"], "expect": ["i64[3]=1,1,2"]},
 {"name": "too long", "inputs": ["i64[0]=", "i64[3]=100000,1,1"], "raises": "does not hold"}
]
//--- expand.mlir
// EXPAND: out0: i1[1, 2, 2] =
// EXPAND: out1: i1[4] =
func.func @main(%x: tensor<?x?xi1>) -> (tensor<?x?x?xi1>, tensor<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xi1>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xi1>
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, %d0, %d1] : tensor<?x?xi1> into tensor<1x?x?xi1>
  %small = arith.cmpi slt, %d0, %c2 : index
  %r = scf.if %small -> tensor<?x?x?xi1> {
    %a = tensor.cast %e : tensor<1x?x?xi1> to tensor<?x?x?xi1>
    scf.yield %a : tensor<?x?x?xi1>
  } else {
    %b = tensor.cast %e : tensor<1x?x?xi1> to tensor<?x?x?xi1>
    scf.yield %b : tensor<?x?x?xi1>
  }
  %flat = tensor.collapse_shape %e [[0, 1, 2]] : tensor<1x?x?xi1> into tensor<?xi1>
  return %r, %flat : tensor<?x?x?xi1>, tensor<?xi1>
}
