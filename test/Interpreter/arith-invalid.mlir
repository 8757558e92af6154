// Poison, and what the interpreter does not know of arithmetic.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} nuw --input i8=-1 | FileCheck %s --check-prefix=NUW
// RUN: %{refuse} exact_division --input i8=3 --input i8=2 | FileCheck %s --check-prefix=EXACT-DIVISION
// RUN: %{refuse} exact_shift --input i8=3 --input i8=1 | FileCheck %s --check-prefix=EXACT-SHIFT
// RUN: %{refuse} poison | FileCheck %s --check-prefix=POISON
// RUN: %{refuse} poison_tensor | FileCheck %s --check-prefix=POISON-TENSOR
// RUN: %{refuse} extended --input 'i32[2]=1' | FileCheck %s --check-prefix=EXTENDED
// RUN: %{refuse} sparse | FileCheck %s --check-prefix=SPARSE
// RUN: %{refuse} wide --input f64=1 | FileCheck %s --check-prefix=WIDE
// RUN: %{refuse} sincos --input 'f32[2]=1' | FileCheck %s --check-prefix=SINCOS
// RUN: %{refuse} ipowi --input i32=0 --input i32=-1 | FileCheck %s --check-prefix=IPOWI
// RUN: %{refuse} floordiv --input i64=1 --input i64=0 | FileCheck %s --check-prefix=FLOORDIV
// RUN: %{refuse} far --input i64=9223372036854775807 --input i64=1 | FileCheck %s --check-prefix=FAR
// RUN: %{refuse} none | FileCheck %s --check-prefix=NONE

// NUW: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+1]]:1: result 0 is poison; poison was first made at {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8 by arith.addi: an unsigned overflow (nuw)
func.func @nuw(%a: i8) -> i8 {
  %r = arith.addi %a, %a overflow<nuw> : i8
  return %r : i8
}

// EXACT-DIVISION: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+1]]:1: result 0 is poison; poison was first made at {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8 by arith.divui: the division is not exact
func.func @exact_division(%a: i8, %b: i8) -> i8 {
  %r = arith.divui %a, %b exact : i8
  return %r : i8
}

// EXACT-SHIFT: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+1]]:1: result 0 is poison; poison was first made at {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8 by arith.shrui: the shift is not exact
func.func @exact_shift(%a: i8, %b: i8) -> i8 {
  %r = arith.shrui %a, %b exact : i8
  return %r : i8
}

// POISON: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+1]]:1: result 0 is poison; poison was first made at {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8 by ub.poison: it is poison
func.func @poison() -> i8 {
  %r = ub.poison : i8
  return %r : i8
}

// POISON-TENSOR: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8: a tensor of no known shape
func.func @poison_tensor() -> tensor<?xi8> {
  %r = ub.poison : tensor<?xi8>
  return %r : tensor<?xi8>
}

// EXTENDED: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+2]]:12: the interpreter knows 'arith.mulsi_extended' of scalars only
func.func @extended(%x: tensor<2xi32>) -> tensor<2xi32> {
  %a, %b = arith.mulsi_extended %x, %x : tensor<2xi32>
  return %a : tensor<2xi32>
}

// SPARSE: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8: the interpreter cannot read a constant of this kind
func.func @sparse() -> tensor<4xi32> {
  %r = arith.constant sparse<[[0]], [1]> : tensor<4xi32>
  return %r : tensor<4xi32>
}

// WIDE: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+3]]:8: the interpreter has no functions of floats wider than f64
func.func @wide(%x: f64) -> f64 {
  %e = arith.extf %x : f64 to f128
  %m = math.exp %e : f128
  %r = arith.truncf %m : f128 to f64
  return %r : f64
}

// SINCOS: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+2]]:12: the interpreter knows 'math.sincos' of scalars only
func.func @sincos(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a, %b = math.sincos %x : tensor<2xf32>
  return %a : tensor<2xf32>
}

// IPOWI: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+1]]:1: result 0 is poison; poison was first made at {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8 by math.ipowi: a negative power of 0
func.func @ipowi(%a: i32, %b: i32) -> i32 {
  %r = math.ipowi %a, %b : i32
  return %r : i32
}

// FLOORDIV: tally-run: check failed: {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8: a division by what is not positive; needed by affine.apply
func.func @floordiv(%a: index, %b: index) -> index {
  %r = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%a)[%b]
  return %r : index
}

// FAR: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+1]]:1: result 0 is poison; poison was first made at {{.*}}arith-invalid.mlir:[[#@LINE+2]]:8 by affine.apply: the index does not fit 64 bits
func.func @far(%a: index, %b: index) -> index {
  %r = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%a)[%b]
  return %r : index
}

// NONE: tally-run: {{.*}}arith-invalid.mlir:[[#@LINE+3]]:8: the interpreter has no elements of type complex<f32>
func.func @none() -> index {
  %c0 = arith.constant 0 : index
  %x = tensor.empty() : tensor<2xcomplex<f32>>
  %d = tensor.dim %x, %c0 : tensor<2xcomplex<f32>>
  return %d : index
}
