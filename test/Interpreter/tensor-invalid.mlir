// Sizes that no tensor has.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} dim --input 'f32[2,3]=1' --input i64=2 | FileCheck %s --check-prefix=DIM
// RUN: %{refuse} collapse --input i64=4611686018427387904 | FileCheck %s --check-prefix=COLLAPSE
// RUN: %{refuse} concat --input i64=9223372036854775807 | FileCheck %s --check-prefix=CONCAT
// RUN: %{refuse} pad --input i64=9223372036854775807 | FileCheck %s --check-prefix=PAD
// RUN: %{refuse} expand --input i64=4611686018427387904 | FileCheck %s --check-prefix=EXPAND
// RUN: %{refuse} reshape --input i64=4611686018427387904 | FileCheck %s --check-prefix=RESHAPE
// RUN: %{refuse} rank --input 'f32[2]=1' | FileCheck %s --check-prefix=RANK
// RUN: %{refuse} claims --input i64=2 | FileCheck %s --check-prefix=CLAIMS
// RUN: %{refuse} many --input i64=4611686018427387904 | FileCheck %s --check-prefix=MANY
// RUN: %{refuse} many --input i64=99999999999 | FileCheck %s --check-prefix=MANY-2
// RUN: %{refuse} result --input 'f32[2]=1' | FileCheck %s --check-prefix=RESULT

// DIM: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+2]]:8: 0 <= 2 < 2 does not hold; there is no such dimension; needed by tensor.dim
func.func @dim(%x: tensor<2x3xf32>, %i: index) -> index {
  %d = tensor.dim %x, %i : tensor<2x3xf32>
  return %d : index
}

// COLLAPSE: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+4]]:8: the size is too large; needed by tensor.collapse_shape
func.func @collapse(%n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%c0, %n, %n, %n) : tensor<?x?x?x?xf32>
  %r = tensor.collapse_shape %e [[0], [1, 2, 3]] : tensor<?x?x?x?xf32> into tensor<?x?xf32>
  %s = tensor.collapse_shape %r [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %s : tensor<?xf32>
}

// CONCAT: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+4]]:8: the size is too large; needed by tensor.concat
func.func @concat(%n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n, %c0) : tensor<?x?xf32>
  %r = tensor.concat dim(0) %e, %e : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// PAD: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+5]]:8: the size is too large; needed by tensor.pad
func.func @pad(%n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %c0) : tensor<?x?xf32>
  %r = tensor.pad %e low[%n, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// EXPAND: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+4]]:8: the size is too large; needed by tensor.expand_shape
func.func @expand(%n: index) -> tensor<?x?x?x0xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?x0xf32>
  %r = tensor.expand_shape %e [[0, 1, 2], [3]] output_shape [%n, %n, %n, 0] : tensor<?x0xf32> into tensor<?x?x?x0xf32>
  return %r : tensor<?x?x?x0xf32>
}

// RESHAPE: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+4]]:8: the size is too large; needed by tensor.reshape
func.func @reshape(%n: index) -> tensor<?x?xf32> {
  %e = tensor.empty() : tensor<0xf32>
  %s = tensor.from_elements %n, %n : tensor<2xindex>
  %r = tensor.reshape %e(%s) : (tensor<0xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RANK: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+2]]:8: 1 == 2 does not hold; a tensor of rank 2, and this one has rank 1; needed by tensor.cast
func.func @rank(%x: tensor<*xf32>) -> tensor<?x?xf32> {
  %r = tensor.cast %x : tensor<*xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CLAIMS: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+3]]:8: 2 == 3 does not hold; size 0; needed by tensor.cast
func.func @claims(%n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %c = tensor.cast %e : tensor<?xf32> to tensor<3xf32>
  %r = tensor.cast %c : tensor<3xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// MANY: tally-run: {{.*}}tensor-invalid.mlir:[[#@LINE+4]]:8: a tensor has more bytes than the interpreter may make
// MANY-2: tally-run: {{.*}}tensor-invalid.mlir:[[#@LINE+3]]:8: the program makes more than 17179869184 bytes of elements
func.func @many(%n: index) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %r = tensor.splat %z[%n] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// RESULT: tally-run: check failed: {{.*}}tensor-invalid.mlir:[[#@LINE+2]]:8: 4 == 5 does not hold; a size of the result; needed by tensor.concat
func.func @result(%x: tensor<?xf32>) -> tensor<5xf32> {
  %r = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
