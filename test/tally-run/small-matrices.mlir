// Batches of small matrices beside the interpreter, which calls LAPACK: at each level of processors, with guard pages behind
// buffers and before them, and with sizes at which LAPACK takes over. The 17 matrices are the lanes of some vectors and one more.
// RUN: env TALLY_GUARD_PAGES=1 TALLY_RT_CPU=baseline tally-run %s --compare --rtol 1e-3 --atol 1e-3 --entry equations --input f32[17,5,5]=random --input f32[17,5,3]=random --input f32[17,5,1]=random
// RUN: env TALLY_GUARD_PAGES=before TALLY_RT_CPU=baseline tally-run %s --compare --rtol 1e-3 --atol 1e-3 --entry equations --input f32[17,5,5]=random --input f32[17,5,3]=random --input f32[17,5,20]=random
// RUN: env TALLY_GUARD_PAGES=1 TALLY_RT_CPU=x86-64-v3 tally-run %s --compare --rtol 1e-3 --atol 1e-3 --entry equations --input f32[17,5,5]=random --input f32[17,5,3]=random --input f32[17,5,20]=random
// RUN: env TALLY_GUARD_PAGES=before tally-run %s --compare --rtol 1e-3 --atol 1e-3 --entry equations --input f32[17,64,64]=random --input f32[17,64,1]=random --input f32[17,64,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --rtol 1e-3 --atol 1e-3 --entry equations --input f32[2,65,65]=random --input f32[2,65,1]=random --input f32[2,65,2]=random
// RUN: tally-run %s --compare --entry equations --input f32[0,3,3]=random --input f32[0,3,2]=random --input f32[0,3,1]=random
// RUN: tally-run %s --compare --entry equations --input f32[3,0,0]=random --input f32[3,0,2]=random --input f32[3,0,0]=random
// Of a batch, the number of each singular matrix is told.
// RUN: tally-run %s --compare --entry numbers --input f64[3,2,2]=1,2,3,4,0,0,0,0,1,2,2,4 | FileCheck %s
// CHECK: {{\[}}0 1 2]
// Factors of the transpose, of a matrix that is larger than kernels take, too.
// RUN: tally-run %s --compare --entry transposed --input f64[2,3]=1,2,4,3,1,8 | FileCheck %s --check-prefix=TURNED
// TURNED:      4. 8.
// TURNED-NEXT: 0.5 -3.
// TURNED-NEXT: 0.25 -0.33333333
// RUN: tally-run %s --compare --entry transposed --input f64[35,40]=random
// RUN: tally-run %s --compare --rtol 1e-9 --atol 1e-9 --entry transposed --input f64[31,7]=random

func.func @transposed(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf64>
  %m = tensor.dim %a, %c1 : tensor<?x?xf64>
  %k = arith.minsi %m, %n : index
  %f = tensor.empty(%m, %n) : tensor<?x?xf64>
  %p = tensor.empty(%k) : tensor<?xi32>
  %o = tensor.empty() : tensor<i32>
  %lu:3 = tally.linear_algebra lu ins(%a : tensor<?x?xf64>) outs(%f, %p, %o : tensor<?x?xf64>, tensor<?xi32>, tensor<i32>) {transposed} -> tensor<?x?xf64>, tensor<?xi32>, tensor<i32>
  return %lu#0 : tensor<?x?xf64>
}

// X of A X = B and of A^T X = C, where the diagonal of A has been made large.
func.func @equations(%x: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %large = arith.constant 70.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %r = tensor.dim %b, %c2 : tensor<?x?x?xf32>
  %s = tensor.dim %c, %c2 : tensor<?x?x?xf32>
  %a = tensor.generate %batch, %n, %n {
  ^bb0(%i: index, %j: index, %k: index):
    %e = tensor.extract %x[%i, %j, %k] : tensor<?x?x?xf32>
    %more = arith.addf %e, %large : f32
    %isDiagonal = arith.cmpi eq, %j, %k : index
    %made = arith.select %isDiagonal, %more, %e : f32
    tensor.yield %made : f32
  } : tensor<?x?x?xf32>
  %f = tensor.empty(%batch, %n, %n) : tensor<?x?x?xf32>
  %p = tensor.empty(%batch, %n) : tensor<?x?xi32>
  %o = tensor.empty(%batch) : tensor<?xi32>
  %lu:3 = tally.linear_algebra lu ins(%a : tensor<?x?x?xf32>) outs(%f, %p, %o : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>
  %u = tensor.empty(%batch, %n, %r) : tensor<?x?x?xf32>
  %own = tally.linear_algebra solve_lu ins(%lu#0, %lu#1, %b : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x?xf32>) outs(%u : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v = tensor.empty(%batch, %n, %s) : tensor<?x?x?xf32>
  %other = tally.linear_algebra solve_lu ins(%lu#0, %lu#1, %c : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x?xf32>) outs(%v : tensor<?x?x?xf32>) {transposed} -> tensor<?x?x?xf32>
  return %own, %other : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}

func.func @numbers(%a: tensor<?x?x?xf64>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %a, %c0 : tensor<?x?x?xf64>
  %n = tensor.dim %a, %c1 : tensor<?x?x?xf64>
  %f = tensor.empty(%batch, %n, %n) : tensor<?x?x?xf64>
  %p = tensor.empty(%batch, %n) : tensor<?x?xi32>
  %o = tensor.empty(%batch) : tensor<?xi32>
  %lu:3 = tally.linear_algebra lu ins(%a : tensor<?x?x?xf64>) outs(%f, %p, %o : tensor<?x?x?xf64>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x?x?xf64>, tensor<?x?xi32>, tensor<?xi32>
  return %lu#2 : tensor<?xi32>
}
