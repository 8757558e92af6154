// The kernels that a GPU would run, interpreted, against the program as it stands.
// RUN: tally-run %s --interpret=gpu --entry both --input 'f32[2,3]=1,2,3,4,5,6' | FileCheck %s --check-prefix=BOTH
// BOTH: out0: f32[2] =
// BOTH: [ 6. 15.]
// BOTH: out1: f32[3, 2] =
// BOTH: {{\[\[}}1. 4.]
// RUN: tally-run %s --interpret=gpu --compare --entry both --input 'f32[33,260]=random' --seed 1
// RUN: tally-run %s --interpret=gpu --compare --entry both --input 'f32[0,3]=random'
// RUN: tally-run %s --interpret=gpu --compare --entry both --input 'f32[1,70000]=random'
// Which kernels run is decided by the sizes.
// RUN: tally-run %s --interpret=gpu --call-time --entry both --input 'f32[9,260]=1' --output-dir %t.out | FileCheck %s --check-prefix=LAUNCHES
// RUN: tally-run %s --interpret=gpu --call-time --entry both --input 'f32[1,1025]=1' --output-dir %t.out | FileCheck %s --check-prefix=LONG
// LAUNCHES: launch: both_kernel_0_warp_x4 x 3
// LONG: launch: both_kernel_0_block x 1
// What the pipeline leaves runs as it stands, too.
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{stop-after=schedule})' -o %t.mlir
// RUN: tally-run %t.mlir --interpret --entry both --input 'f32[2,3]=1,2,3,4,5,6' | FileCheck %s --check-prefix=BOTH
// RUN: tally-run %t.mlir --interpret --entry adds --input 'i64[2]=1,2' --input 'i64[2]=10,20' | FileCheck %s --check-prefix=ADDS
// RUN: not tally-run %t.mlir --interpret --entry adds --input 'i64[2]=1,2' --input f32=1 2>&1 | FileCheck %s --check-prefix=TYPE
// ADDS: x: i64[2] =
// ADDS-NEXT: [11 22]
// TYPE: adds: argument 1 ('y') has data type f32, expected i64
// What callers see is as without a GPU: mutation, sizes, hidden arguments, checks.
// RUN: tally-run %s --interpret=gpu --entry adds --input 'i64[2]=1,2' --input 'i64[2]=10,20' --expect 'i64[2]=11,22'
// RUN: not tally-run %s --interpret=gpu --entry adds --input 'i64[2]=1,2' --input 'i64[3]=1,2,3' 2>&1 | FileCheck %s --check-prefix=CHECK-FAILS
// CHECK-FAILS: tally-run: check failed: {{.*}}s0
// RUN: not tally-run %s --interpret=gpu --entry adds --input 'i64[2]=1,2' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: adds takes 2 arguments, 1 given
// RUN: not tally-run %s --interpret=gpu --compare --entry picks --input 'f32[3]=1,2,3' --input 'i64[2]=0,3' 2>&1 | FileCheck %s --check-prefix=PICKS
// PICKS: tally-run: check failed: {{.*}}interpret-gpu.mlir:[[#]]:
// RUN: tally-run %s --interpret=gpu --compare --entry picks --input 'f32[3]=1,2,3' --input 'i64[2]=0,2'
// What compiles does not go with it.
// RUN: not tally-run %s --interpret=gpu --compare --target=cuda --entry adds 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: --target, --checks, --elide and -O decide how a program is compiled: they do not go with --interpret
// A sum in another order differs; what is said of it names both.
// RUN: not tally-run %s --interpret=gpu --compare --entry both --input 'f32[1,1025]=random' --rtol 0 --atol 0 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: scheduled and interpreted differ: out0 differs in 1 of 1 elements

func.func @both(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  %t = tensor.empty(%m, %n) : tensor<?x?xf32>
  %tr = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%t : tensor<?x?xf32>) permutation = [1, 0]
  return %r, %tr : tensor<?xf32>, tensor<?x?xf32>
}

func.func @adds(%x: tensor<?xi64> {tally.shape = #tally.shape<s0>, tally.name = "x"},
                %y: tensor<?xi64> {tally.shape = #tally.shape<s0>, tally.name = "y"})
    -> (tensor<?xi64> {tally.shape = #tally.shape<s0>, tally.mutates = 0 : i64})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size #tally.expr<s0> : index
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = linalg.add ins(%x, %y : tensor<?xi64>, tensor<?xi64>) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func @picks(%x: tensor<?xf32>, %at: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %j = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
