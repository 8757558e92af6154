// A loop that runs in one block of a GPU where it is small: no round, one, and
// some; nothing, an element, as many points as there may be, and one more.
// DEFINE: %{run} = tally-run %s --interpret=gpu --call-time
// RUN: %{run} --input 'f32[5]=1' --input f32=100 --input i64=9 --expect 'f32[5]=1' --expect i64=0 | FileCheck %s
// RUN: %{run} --input 'f32[5]=1' --input f32=2 --input i64=9 --expect 'f32[5]=0.5' --expect i64=1 | FileCheck %s
// RUN: %{run} --input 'f32[5]=1' --input f32=0.001 --input i64=99 --seed 3 --expect 'f32[5]=0.0078125' --expect i64=7 | FileCheck %s
// RUN: %{run} --input 'f32[0]=' --input f32=-1 --input i64=9 --expect 'f32[0]=' --expect i64=9 | FileCheck %s
// RUN: %{run} --input 'f32[1]=8' --input f32=1 --input i64=9 --expect 'f32[1]=1' --expect i64=3 | FileCheck %s
// RUN: %{run} --input 'f32[16383]=1' --input f32=5000 --input i64=9 --expect 'f32[16383]=0.5' --expect i64=1 | FileCheck %s
// RUN: %{run} --input 'f32[16384]=1' --input f32=5000 --input i64=9 --expect 'f32[16384]=0.5' --expect i64=1 | FileCheck %s --check-prefix=LARGE

// CHECK: launch: main_while x 1
// LARGE-NOT: main_while

#scalar = affine_map<() -> ()>
#id = affine_map<(i) -> (i)>
#sum = affine_map<(i) -> ()>
func.func @main(%x: tensor<?xf32>, %limit: tensor<f32>, %most: tensor<i64>) -> (tensor<?xf32>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %none = arith.constant dense<0> : tensor<i64>
  %r:2 = scf.while (%a = %x, %i = %none) : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<i64>) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %sum = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
        ins(%a : tensor<?xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%e: f32, %s: f32):
      %square = arith.mulf %e, %e : f32
      %t = arith.addf %s, %square : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    %s = tensor.extract %sum[] : tensor<f32>
    %l = tensor.extract %limit[] : tensor<f32>
    %isAbove = arith.cmpf ogt, %s, %l : f32
    %count = tensor.extract %i[] : tensor<i64>
    %m = tensor.extract %most[] : tensor<i64>
    %isBelow = arith.cmpi slt, %count, %m : i64
    %p = arith.andi %isAbove, %isBelow : i1
    scf.condition(%p) %a, %i : tensor<?xf32>, tensor<i64>
  } do {
  ^bb0(%a: tensor<?xf32>, %i: tensor<i64>):
    %e = tensor.empty(%n) : tensor<?xf32>
    %half = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %unused: f32):
      %c = arith.constant 0.5 : f32
      %h = arith.mulf %v, %c : f32
      linalg.yield %h : f32
    } -> tensor<?xf32>
    %f = tensor.empty() : tensor<i64>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%i : tensor<i64>) outs(%f : tensor<i64>) {
    ^bb0(%v: i64, %unused: i64):
      %one = arith.constant 1 : i64
      %w = arith.addi %v, %one : i64
      linalg.yield %w : i64
    } -> tensor<i64>
    scf.yield %half, %next : tensor<?xf32>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<i64>
}
