// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-drop-checks{keep=all}))' | FileCheck %s --check-prefix=ALL
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-drop-checks{keep=entry}))' | FileCheck %s --check-prefix=ENTRY
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-drop-checks{keep=none}))' | FileCheck %s --check-prefix=NONE


// The first assert is decided by sizes of arguments, the second by data, the
// third stands where only some runs come.
// ALL-COUNT-3: tally.assert
// ENTRY-LABEL: func.func @three
// ENTRY: tally.assert %{{.*}}, <s0 == s1>
// ENTRY: tally.assume <u0 < s0> (u0 = %{{.*}}, s0 = %{{.*}} : index, index)
// ENTRY-NOT: tally.assert
// NONE-LABEL: func.func @three
// NONE: tally.assume <s0 == s1> (s0 = %{{.*}}, s1 = %{{.*}} : index, index)
// NONE: %[[U:.*]] = arith.index_cast
// NONE: tally.assume <u0 < s0>
// NONE: tensor.extract %{{.*}}[%[[U]]]
// NONE-NOT: tally.assert
func.func @three(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: tensor<i64>, %p: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %s0 = tensor.dim %x, %c0 : tensor<?xf32>
  %s1 = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %s0, %s1 : index
  tally.assert %same, <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
  %v = tensor.extract %i[] : tensor<i64>
  %u0 = arith.index_cast %v : i64 to index
  %in = arith.cmpi ult, %u0, %s0 : index
  %j = tally.assert %in, <u0 < s0> (u0 = %u0, s0 = %s0 : index, index) guards(%u0 : index)
  scf.if %p {
    %n = arith.cmpi ugt, %s0, %c0 : index
    tally.assert %n message("empty")
  }
  %r = tensor.extract %x[%j] : tensor<?xf32>
  return %r : f32
}
