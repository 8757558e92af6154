// RUN: tally-run %s --input f32[2,3]=1,2,3,4,5,6 --input f32[3]=10,20,30 | FileCheck %s
// RUN: tally-run %s --input f32[0,3]=random --input f32[3]=1 | FileCheck %s --check-prefix=EMPTY
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --input f32[7,9]=random --input f32[9]=random
// RUN: env TALLY_GUARD_PAGES=before tally-run %s --input f32[7,9]=random --input f32[9]=random
// RUN: not tally-run %s --input f32[2,3]=random --input f32[2]=1 2>&1 | FileCheck %s --check-prefix=CHECK-FAILED

// One program, compiled once for all sizes, with an error where sizes do not fit.

// CHECK: out0: f32[2, 3] =
// CHECK-NEXT: {{\[\[}}11. 22. 33.]
// CHECK-NEXT: [14. 25. 36.]]
// EMPTY: out0: f32[0, 3] =
// EMPTY-NEXT: []
// CHECK-FAILED: tally-run: check failed: {{.*}}add.mlir:[[@LINE+8]]:3: s1 == s2 does not hold: s1 = 3, s2 = 2 (s1 = x.size(1), s2 = y.size(0)); needed by linalg.generic
func.func @main(%x: tensor<?x?xf32> {tally.name = "x"}, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e0 = tensor.dim %y, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %d1, %e0 : index
  tally.assert %ok, <s1 == s2> (s1 = %d1, s2 = %e0 : index, index) sources({s1 = "x.size(1)", s2 = "y.size(0)"}) required_by("linalg.generic")
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
