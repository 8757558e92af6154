// A shape without dimensions stands for sizes of 1, also where these are not
// known before the program runs.

// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s --check-prefix=IR
// RUN: tally-run %s --entry=collapse --input f32[1,1]=3 --compare | FileCheck %s --check-prefix=SCALAR
// RUN: not tally-run %s --entry=collapse --input f32[1,2]=3 --compare 2>&1 | FileCheck %s --check-prefix=COLLAPSE
// RUN: not tally-run %s --entry=collapse --input f32[0,1]=3 --compare 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tally-run %s --entry=expand --input f32=3 --input i64=1 --compare | FileCheck %s --check-prefix=ONE
// RUN: not tally-run %s --entry=expand --input f32=3 --input i64=2 --compare 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: tally-run %s --entry=both --input f32[1]=3 --compare | FileCheck %s --check-prefix=ONE
// RUN: not tally-run %s --entry=both --input f32[2]=3 --compare 2>&1 | FileCheck %s --check-prefix=BOTH

// IR-LABEL: @collapse
// IR: tally.check <s0 == 1> required_by("tensor.collapse_shape")
// IR: tally.check <s1 == 1> required_by("tensor.collapse_shape")
// SCALAR: out0: f32 =
// SCALAR-NEXT: 3.
// COLLAPSE: s1 == 1 does not hold: s1 = 2 (s1 = arg0.size(1)); needed by tensor.collapse_shape
// NONE: s0 == 1 does not hold: s0 = 0
func.func @collapse(%x: tensor<?x?xf32>) -> tensor<f32> {
  %c = tensor.collapse_shape %x [] : tensor<?x?xf32> into tensor<f32>
  return %c : tensor<f32>
}

// ONE: out0: f32[1] =
// ONE-NEXT: [3.]
// EXPAND: s0 == 1 does not hold: s0 = 2 (s0 = arg1); needed by tensor.expand_shape
func.func @expand(%x: tensor<f32>, %n: index) -> tensor<?xf32> {
  %e = tensor.expand_shape %x [] output_shape [%n] : tensor<f32> into tensor<?xf32>
  return %e : tensor<?xf32>
}

// BOTH: s0 == 1 does not hold: s0 = 2
func.func @both(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c = tensor.collapse_shape %x [] : tensor<?xf32> into tensor<f32>
  %e = tensor.expand_shape %c [] output_shape [%n] : tensor<f32> into tensor<?xf32>
  return %e : tensor<?xf32>
}
