// A function whose results may be one tensor: through a cast, a branch, a loop.
// What is written to the one is not seen in the other.
// RUN: split-file %s %t
// RUN: tally-run %t/cast.mlir --compare --input f32[2]=0,1
// RUN: not tally-run %t/cast.mlir --input f32[3]=0,1,2 2>&1 | FileCheck %s
// RUN: tally-run %t/branch.mlir --compare --input f32[2]=0,1 --input i1=true
// RUN: tally-run %t/branch.mlir --compare --input f32[2]=0,1 --input i1=false
// RUN: tally-run %t/loop.mlir --compare --input f32[2]=0,1 --input i64=0
// RUN: tally-run %t/loop.mlir --compare --input f32[2]=0,1 --input i64=1
// RUN: tally-run %t/while.mlir --compare --input f32[2]=0,1 --input i64=0
// RUN: tally-run %t/while.mlir --compare --input f32[3]=0,1,2 --input i64=2

// CHECK: check failed
//--- cast.mlir
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %cst = arith.constant -2.5 : f32
  %0:2 = call @twice(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>)
  %1 = tensor.empty() : tensor<2xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
  %inserted = tensor.insert_slice %2 into %0#0[2] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %inserted, %0#1 : tensor<?xf32>, tensor<4xf32>
}
func.func private @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %concat = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %c = tensor.cast %concat : tensor<?xf32> to tensor<4xf32>
  return %concat, %c : tensor<?xf32>, tensor<4xf32>
}
//--- branch.mlir
func.func @main(%x: tensor<?xf32>, %b: i1) -> (tensor<?xf32>, tensor<?xf32>, tensor<4xf32>) {
  %cst = arith.constant -2.5 : f32
  %0:3 = call @either(%x, %b) : (tensor<?xf32>, i1) -> (tensor<?xf32>, tensor<?xf32>, tensor<4xf32>)
  %1 = tensor.empty() : tensor<2xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
  %inserted = tensor.insert_slice %2 into %0#0[2] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %inserted, %0#1, %0#2 : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
}
func.func private @either(%x: tensor<?xf32>, %b: i1) -> (tensor<?xf32>, tensor<?xf32>, tensor<4xf32>) {
  %p = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %q = tensor.concat dim(0) %x, %x, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = scf.if %b -> tensor<?xf32> {
    scf.yield %p : tensor<?xf32>
  } else {
    scf.yield %q : tensor<?xf32>
  }
  %c = tensor.cast %p : tensor<?xf32> to tensor<4xf32>
  return %r, %p, %c : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
}
//--- loop.mlir
func.func @main(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %cst = arith.constant -2.5 : f32
  %0:2 = call @some(%x, %n) : (tensor<?xf32>, index) -> (tensor<?xf32>, tensor<?xf32>)
  %1 = tensor.empty() : tensor<2xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
  %inserted = tensor.insert_slice %2 into %0#0[2] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %inserted, %0#1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @some(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %q = tensor.concat dim(0) %x, %x, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> tensor<?xf32> {
    scf.yield %q : tensor<?xf32>
  }
  return %r, %p : tensor<?xf32>, tensor<?xf32>
}
//--- while.mlir
func.func @main(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %cst = arith.constant -2.5 : f32
  %0:2 = call @some(%x, %n) : (tensor<?xf32>, index) -> (tensor<?xf32>, tensor<?xf32>)
  %1 = tensor.empty() : tensor<2xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
  %inserted = tensor.insert_slice %2 into %0#0[2] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %inserted, %0#1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @some(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %q = tensor.concat dim(0) %x, %x, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r:2 = scf.while (%i = %c0, %a = %p) : (index, tensor<?xf32>) -> (index, tensor<?xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %a : index, tensor<?xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?xf32>):
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %q : index, tensor<?xf32>
  }
  return %r#1, %p : tensor<?xf32>, tensor<?xf32>
}
