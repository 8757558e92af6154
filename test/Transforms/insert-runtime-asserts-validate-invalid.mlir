// What validation reports, with libraries that stand in the place of Z3's.
// UNSUPPORTED: asan
// RUN: rm -rf %t && mkdir -p %t/refuting %t/empty
// RUN: %cc -w -shared -fPIC %S/Inputs/refuting_z3.c -Wl,-soname,libz3.so.4 -o %t/refuting/libz3.so.4
// RUN: echo "int tally_nothing;" > %t/empty/empty.c
// RUN: %cc -shared -fPIC %t/empty/empty.c -Wl,-soname,libz3.so.4 -o %t/empty/libz3.so.4

// RUN: env LD_LIBRARY_PATH=%t/refuting not tally-opt %s --tally-insert-runtime-asserts=validate 2>&1 | FileCheck %s --check-prefix=REFUTED
// REFUTED: validate-invalid.mlir:[[@LINE+12]]:3: error: 'tally.check' op was taken to be proven (ranges), but Z3 refutes it; this is a defect of Tally, please report it
// REFUTED: note: the query:
// REFUTED: ; $%v0 is arg0
// REFUTED: (assert (not (<= 1 $%v0)))

// The pass that states what operations require asks Z3 about what it does not state.
// RUN: env LD_LIBRARY_PATH=%t/refuting not tally-opt %s --tally-propagate-shapes="elide validate" 2>&1 | FileCheck %s --check-prefix=REQUIRED

// RUN: env LD_LIBRARY_PATH=%t/empty not tally-opt %s --tally-insert-runtime-asserts=validate 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: tally-insert-runtime-asserts: there is no Z3 to validate with: Z3 has no function Z3_mk_config
func.func @proven(%a: index) {
  tally.check <2 <= a and a <= 64> (a = %a : index)
  tally.check <1 <= a> (a = %a : index)
  return
}

// REQUIRED: validate-invalid.mlir:[[@LINE+4]]:8: error: 'tensor.extract' op was taken to be proven
func.func @required(%x: tensor<8xf32>, %a: index) -> f32 {
  %c8 = arith.constant 8 : index
  %i = arith.remui %a, %c8 : index
  %r = tensor.extract %x[%i] : tensor<8xf32>
  return %r : f32
}
