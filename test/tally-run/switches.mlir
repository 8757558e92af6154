// What a case yields, and is used later or belongs to the caller, is not written
// to in place.
// RUN: split-file %s %t
// RUN: tally-run %t/switch.mlir --cases %t/cases.json | FileCheck %s
// RUN: tally-run %t/blocks.mlir --cases %t/cases.json | FileCheck %s

// CHECK: PASS zero
// CHECK: PASS one
// CHECK: PASS two
// CHECK: PASS minus one
//--- switch.mlir
func.func @main(%x: tensor<?xi64>, %y: tensor<?xi64>, %i: i64) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %part = tensor.extract_slice %x[0] [%n] [1] : tensor<?xi64> to tensor<?xi64>
  %k = arith.index_cast %i : i64 to index
  %r = scf.index_switch %k -> tensor<?xi64>
  case 0 {
    scf.yield %x : tensor<?xi64>
  }
  case 1 {
    scf.yield %part : tensor<?xi64>
  }
  default {
    %s = arith.addi %y, %y : tensor<?xi64>
    scf.yield %s : tensor<?xi64>
  }
  %w = tensor.insert %nine into %r[%c0] : tensor<?xi64>
  return %w, %r : tensor<?xi64>, tensor<?xi64>
}
//--- blocks.mlir
func.func @main(%x: tensor<?xi64>, %y: tensor<?xi64>, %i: i64) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %part = tensor.extract_slice %x[0] [%n] [1] : tensor<?xi64> to tensor<?xi64>
  cf.switch %i : i64, [
    default: ^other,
    0: ^join(%x : tensor<?xi64>),
    1: ^join(%part : tensor<?xi64>)
  ]
^other:
  %s = arith.addi %y, %y : tensor<?xi64>
  cf.br ^join(%s : tensor<?xi64>)
^join(%r: tensor<?xi64>):
  %w = tensor.insert %nine into %r[%c0] : tensor<?xi64>
  return %w, %r : tensor<?xi64>, tensor<?xi64>
}
//--- cases.json
[
 {"name": "zero", "inputs": ["i64[2]=1,2", "i64[3]=4,5,6", "i64=0"], "expect": ["i64[2]=9,2", "i64[2]=1,2"]},
 {"name": "one", "inputs": ["i64[1]=1", "i64[0]=", "i64=1"], "expect": ["i64[1]=9", "i64[1]=1"]},
 {"name": "two", "inputs": ["i64[2]=1,2", "i64[3]=4,5,6", "i64=2"], "expect": ["i64[3]=9,10,12", "i64[3]=8,10,12"]},
 {"name": "minus one", "inputs": ["i64[0]=", "i64[1]=4", "i64=-1"], "expect": ["i64[1]=9", "i64[1]=8"]}
]
