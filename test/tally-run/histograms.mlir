// Counters of what elements hit (tally-count-hits), beside the interpreter: no element and no counter, one, as many as are
// left alone and one more, and many.
// RUN: tally-run %s --input f32[0]= --input f32[9]=random --compare
// RUN: tally-run %s --input f32[3]=0,0,1 --input f32[0]= --compare
// RUN: tally-run %s --input f32[1]=0 --input f32[1]=random --compare
// RUN: tally-run %s --input f32[7]=0,8,9,-1,8,7,1e9 --input f32[9]=random --compare
// RUN: tally-run %s --input f32[1037]=random --input f32[100]=random --compare | FileCheck %s
// CHECK: out0: i64[100]

func.func @main(%x: tensor<?xf32>, %like: tensor<?xf32>) -> (tensor<?xi64>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %zero_f32 = arith.constant 0.0 : f32
  %n = tensor.dim %like, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %counts = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?xf32>) outs(%f : tensor<?xi64>) {
  ^bb0(%v: f32, %sum: i64):
    %place = arith.fptosi %v : f32 to i64
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i64
    %is = arith.cmpi eq, %number, %place : i64
    %hit = arith.extui %is : i1 to i64
    %next = arith.addi %sum, %hit : i64
    linalg.yield %next : i64
  } -> tensor<?xi64>
  %e_f32 = tensor.empty(%n) : tensor<?xf32>
  %f_f32 = linalg.fill ins(%zero_f32 : f32) outs(%e_f32 : tensor<?xf32>) -> tensor<?xf32>
  %floats = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?xf32>) outs(%f_f32 : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i64
    %many = arith.constant 64.0 : f32
    %more = arith.mulf %v, %many : f32
    %place = arith.fptosi %more : f32 to i64
    %is = arith.cmpi eq, %place, %number : i64
    %hit = arith.uitofp %is : i1 to f32
    %next = arith.addf %hit, %sum : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  return %counts, %floats : tensor<?xi64>, tensor<?xf32>
}
