// Symbols without a value, and constants whose file does not have them.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} undefined --input 'f32[2]=1' | FileCheck %s --check-prefix=UNDEFINED
// RUN: %{refuse} unbound --input 'f32[2]=1' | FileCheck %s --check-prefix=UNBOUND
// RUN: %{refuse} product --input 'f32[2]=1' | FileCheck %s --check-prefix=PRODUCT
// RUN: %{refuse} factor --input 'f32[0,3]=1' | FileCheck %s --check-prefix=FACTOR
// RUN: %{refuse} check --input i8=-1 | FileCheck %s --check-prefix=CHECK
// RUN: %{refuse} missing | FileCheck %s --check-prefix=MISSING
// RUN: %{refuse} short | FileCheck %s --check-prefix=SHORT
// RUN: %{refuse} range | FileCheck %s --check-prefix=RANGE

// UNDEFINED: tally-run: check failed: {{.*}}symbols-invalid.mlir:[[#@LINE+3]]:8: the number is undefined: sqrt(s0 - 4): s0 = 2; needed by tally.size
func.func @undefined(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> f64
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <sqrt(s0 - 4)> : f64
  return %n : f64
}

// UNBOUND: tally-run: {{.*}}symbols-invalid.mlir:[[#@LINE+3]]:8: symbol 'u0' has no value here
func.func @unbound(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0>} {
  %n = tally.size <s0 + u0> : index
  return %n : index
}

// PRODUCT: tally-run: {{.*}}symbols-invalid.mlir:[[#@LINE+1]]:1: the arguments do not tell every symbol: arg0.size(0) = s0 * s1
func.func @product(%x: tensor<?xf32> {tally.shape = #tally.shape<s0 * s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0 + s1> : index
  return %n : index
}

// FACTOR: tally-run: check failed: {{.*}}symbols-invalid.mlir:[[#@LINE+1]]:19: the factor of s1 in s0 * s1 != 0 does not hold: x.size(1) = 3; declared by x
func.func @factor(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s0 * s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s1> : index
  return %n : index
}

// CHECK: tally-run: {{.*}}symbols-invalid.mlir:[[#@LINE+3]]:3: 'a' of a check is poison; poison was first made at {{.*}}symbols-invalid.mlir:[[#@LINE+2]]:8 by arith.addi: an unsigned overflow (nuw)
func.func @check(%a: i8) {
  %p = arith.addi %a, %a overflow<nuw> : i8
  tally.check <a <= 3> (a = %p : i8)
  return
}

// MISSING: tally-run: {{.*}}symbols-invalid.mlir:[[#@LINE+2]]:8: '{{.*}}gone.bin' cannot be read: No such file or directory
func.func @missing() -> tensor<2xi64> {
  %c = tally.constant "gone.bin"[0] : tensor<2xi64>
  return %c : tensor<2xi64>
}

// SHORT: tally-run: {{.*}}symbols-invalid.mlir:[[#@LINE+2]]:8: '{{.*}}symbols-invalid.mlir' is too short for the constant
func.func @short() -> tensor<20000xi64> {
  %c = tally.constant "symbols-invalid.mlir"[0] : tensor<20000xi64>
  return %c : tensor<20000xi64>
}

// RANGE: tally-run: {{.*}}symbols-invalid.mlir:[[#@LINE+2]]:8: '{{.*}}symbols-invalid.mlir' has an element outside of the range of the constant
func.func @range() -> tensor<2xi64> {
  %c = tally.constant "symbols-invalid.mlir"[0] in [0, 1] : tensor<2xi64>
  return %c : tensor<2xi64>
}
