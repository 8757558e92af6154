// Rows of f16, whose exponentials are kept on the stack (tally-schedule-cpu), beside the interpreter: of nothing, of one element,
// of as many as fit and one more, of parts; threads have rows of their own. Without parallel loops, a call has one.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --rtol 2e-3 --atol 1e-7 --cases %S/Inputs/kept-rows.json | FileCheck %s
// CHECK-COUNT-9: PASS
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-cpu-pipeline{parallel=false})' | FileCheck %s --check-prefix=ONCE
// ONCE: llvm.func {{.*}}@main
// ONCE-NOT: ^bb
// ONCE: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
// ONCE: ^bb
// ONCE-NOT: llvm.alloca %{{.*}} x f32

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

func.func @main(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %h = tensor.empty(%m, %n) : tensor<?x?xf16>
  %exps = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf16>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f16, %unused: f32):
    %s = arith.extf %a : f16 to f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exps : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%h : tensor<?x?xf16>) {
  ^bb0(%a: f32, %b: f32, %unused: f16):
    %t = arith.divf %a, %b : f32
    %w = arith.truncf %t : f32 to f16
    linalg.yield %w : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
