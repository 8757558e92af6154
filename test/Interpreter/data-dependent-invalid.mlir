// Elements without a value, and counts beyond 64 bits.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} repeats --input 'i64[2]=9223372036854775807' | FileCheck %s --check-prefix=REPEATS
// RUN: %{refuse} poison --input i64=3 | FileCheck %s --check-prefix=POISON
// RUN: %{refuse} element --input 'f32[4]=1' | FileCheck %s --check-prefix=ELEMENT
// RUN: %{refuse} bins --input 'i64[2]=9223372036854775807' | FileCheck %s --check-prefix=BINS

// REPEATS: tally-run: {{.*}}data-dependent-invalid.mlir:[[#@LINE+2]]:8: the size does not fit 64 bits
func.func @repeats(%c: tensor<2xi64>) -> tensor<?xi64> {
  %r = tally.repeat_interleave %c : tensor<2xi64>
  return %r : tensor<?xi64>
}

// POISON: tally-run: {{.*}}data-dependent-invalid.mlir:[[#@LINE+3]]:8: an element that 'tally.nonzero' needs is poison
func.func @poison(%n: index) -> tensor<?x1xi64> {
  %e = tensor.empty(%n) : tensor<?xi1>
  %r = tally.nonzero %e : tensor<?xi1> -> tensor<?x1xi64>
  return %r : tensor<?x1xi64>
}

// ELEMENT: tally-run: {{.*}}data-dependent-invalid.mlir:[[#@LINE+3]]:8: an element that 'tensor.reshape' needs is poison
func.func @element(%x: tensor<4xf32>) -> tensor<?xf32> {
  %n = tensor.empty() : tensor<1xindex>
  %r = tensor.reshape %x(%n) : (tensor<4xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// BINS: tally-run: {{.*}}data-dependent-invalid.mlir:[[#@LINE+3]]:8: the size does not fit 64 bits
func.func @bins(%c: tensor<2xi64>) -> tensor<?xi64> {
  %z = arith.constant 0 : index
  %r = tally.bincount %c minlength %z : tensor<2xi64>
  return %r : tensor<?xi64>
}
