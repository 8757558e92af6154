// Indices that are checked where they are used (tally-interleave-checks), beside the interpreter: none, one, short and long
// rows, several parts; a wrong one at the start, inside and at the end; nothing to look up in.
// RUN: tally-run %s --compare --entry rows --rtol 0 --cases %S/Inputs/checked-lookups-rows.json | FileCheck %s --check-prefix=ROWS
// RUN: tally-run %s --compare --entry flat --rtol 0 --cases %S/Inputs/checked-lookups-flat.json | FileCheck %s --check-prefix=FLAT
// RUN: tally-run %s --compare --entry images --rtol 0 --cases %S/Inputs/checked-lookups-images.json | FileCheck %s --check-prefix=IMAGES
// ROWS-COUNT-13: PASS
// FLAT-COUNT-8: PASS
// IMAGES-COUNT-5: PASS
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-cpu-pipeline)' --mlir-print-ir-after=tally-interleave-checks -o /dev/null 2>&1 \
// RUN:   | grep -c 'scf.parallel' | FileCheck %s --check-prefix=INTERLEAVED
// INTERLEAVED: 3
// The kernels of a GPU check them as well; each program is one kernel there.
// RUN: tally-run %s --interpret=gpu --compare --entry rows --rtol 0 --cases %S/Inputs/checked-lookups-rows.json | FileCheck %s --check-prefix=ROWS
// RUN: tally-run %s --interpret=gpu --compare --entry flat --rtol 0 --cases %S/Inputs/checked-lookups-flat.json | FileCheck %s --check-prefix=FLAT
// RUN: tally-run %s --interpret=gpu --compare --entry images --rtol 0 --cases %S/Inputs/checked-lookups-images.json | FileCheck %s --check-prefix=IMAGES
// RUN: tally-run %s --interpret=gpu --call-time --entry flat --input f32[7]=random --input i64[5]=0,-7,6,3,3 --output-dir %t.out | grep -c launch: | FileCheck %s --check-prefix=ONE
// ONE: {{^}}1{{$}}

func.func @rows(%x: tensor<?x?xf32> {tally.shape = #tally.shape<m, n>}, %i: tensor<?x?xi64> {tally.shape = #tally.shape<m, k>}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %m = tally.size <m> : index
  %k = tally.size <k> : index
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?x?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %r = linalg.index 0 : index
    %c = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%r, %c] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Negative indices count from the end; what is looked up is used at once.
func.func @flat(%x: tensor<?xf32> {tally.shape = #tally.shape<n>}, %i: tensor<?xi64> {tally.shape = #tally.shape<k>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n, k>} {
  %c0 = arith.constant 0 : index
  %n = tally.size <n> : index
  %k = tally.size <k> : index
  %e = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %a = arith.index_cast %at : i64 to index
    %is = arith.cmpi slt, %a, %c0 : index
    %b = arith.addi %a, %n : index
    %c = arith.select %is, %b, %a : index
    %v = tensor.extract %x[%c] : tensor<?xf32>
    %t = arith.addf %v, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Three loops, of which two are one loop over rows.
func.func @images(%x: tensor<?x?x?xf32> {tally.shape = #tally.shape<a, b, n>}, %i: tensor<?x?x?xi64> {tally.shape = #tally.shape<a, b, k>}) -> tensor<?x?x?xf32>
    attributes {tally.symbols = #tally.symbols<a, b, n, k>} {
  %a = tally.size <a> : index
  %b = tally.size <b> : index
  %k = tally.size <k> : index
  %e = tensor.empty(%a, %b, %k) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%i : tensor<?x?x?xi64>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %p = linalg.index 0 : index
    %q = linalg.index 1 : index
    %c = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%p, %q, %c] : tensor<?x?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
