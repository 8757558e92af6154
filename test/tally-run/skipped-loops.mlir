// A check of a loop that is asserted in front of it asks whether the loop runs,
// by nothing that follows from its running: the size of the slice is -1 / 3 + 1
// where the loop does not run.

// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s --check-prefix=IR
// RUN: tally-run %s --input i64[2,2]=1,2,3,4 --input i64=0 --compare | FileCheck %s --check-prefix=SKIPPED
// RUN: tally-run %s --input i64[1,1]=1 --input i64=1 --compare | FileCheck %s --check-prefix=ONE
// RUN: not tally-run %s --input i64[1,1]=1 --input i64=0 --compare 2>&1 | FileCheck %s --check-prefix=FAILS

// IR-NOT: divui
// IR: arith.floordivsi
// IR: tally.assert %{{.*}}, <s0 == s2>
// SKIPPED{LITERAL}: [[1 2]
// SKIPPED-NEXT: [3 4]]
// ONE{LITERAL}: [[1]]
// FAILS: check failed: {{.*}}s0 == s2 does not hold: s0 = 1, s2 = 0
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<?x?xi64>, %n: index) -> tensor<?x?xi64> {
  %minus = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %slice = tally.slice %x[%minus to %c1 step 3] dim 0 : tensor<?x?xi64>
  %ones = tensor.splat %one[%n, %n] : tensor<?x?xi64>
  %end = tensor.dim %slice, %c0 : tensor<?x?xi64>
  %r = scf.for %i = %n to %end step %c1 iter_args(%a = %x) -> (tensor<?x?xi64>) {
    %e = tensor.empty(%i) : tensor<?xi64>
    %s = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%a, %ones : tensor<?x?xi64>, tensor<?x?xi64>) outs(%e : tensor<?xi64>) {
    ^bb0(%in: i64, %in_1: i64, %out: i64):
      linalg.yield %out : i64
    } -> tensor<?xi64>
    scf.yield %a : tensor<?x?xi64>
  }
  return %r : tensor<?x?xi64>
}
