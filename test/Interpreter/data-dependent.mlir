// RUN: tally-run %s --interpret --entry nonzero --input 'i32[2,2]=0,1,2,0' | FileCheck %s --check-prefix=NONZERO
// RUN: tally-run %s --interpret --entry unique --input 'f32[6]=0.0,nan,2,-0.0,nan,-1' | FileCheck %s --check-prefix=UNIQUE
// RUN: tally-run %s --interpret --entry repeat --input 'i64[3]=2,0,1' | FileCheck %s --check-prefix=REPEAT
// RUN: not tally-run %s --interpret --entry repeat --input 'i64[2]=2,-1' 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: tally-run %s --interpret --entry bincount --input 'i64[3]=2,0,2' --input 'f32[3]=1,2,4' | FileCheck %s --check-prefix=BINCOUNT
// RUN: tally-run %s --interpret --entry parts --input 'i32[5]=0,1,2,3,4' --input i64=-4 --input i64=9 | FileCheck %s --check-prefix=PARTS
// RUN: not tally-run %s --interpret --entry parts --input 'i32[1]=0' --input i64=0 --input i64=9 2>&1 | FileCheck %s --check-prefix=SELECT
// RUN: not tally-run %s --interpret --entry splits --input 'i32[5]=0' --input i64=2 2>&1 | FileCheck %s --check-prefix=SPLITS
// RUN: tally-run %s --interpret --entry masked --input 'i32[3]=1,2,3' --input 'i1[3]=true,false,true' | FileCheck %s --check-prefix=MASKED
// RUN: not tally-run %s --interpret --entry custom --input 'i32[3]=1' 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: tally-run %s --interpret --entry branches --input i1=true --input 'i32[2]=1' | FileCheck %s --check-prefix=TAKEN
// RUN: tally-run %s --interpret --entry branches --input i1=false --input 'i32[2]=1' | FileCheck %s --check-prefix=OTHER

// NONZERO: {{\[}}[0 1]
// NONZERO-NEXT: [1 0]]
func.func @nonzero(%x: tensor<2x2xi32>) -> tensor<?x2xi64> {
  %r = tally.nonzero %x : tensor<2x2xi32> -> tensor<?x2xi64>
  return %r : tensor<?x2xi64>
}

// NaN equals nothing; the first of two zeros is kept.
// UNIQUE: [-1.  0.  2. nan nan]
// UNIQUE: [1 3 2 1 4 0]
// UNIQUE: [1 2 1 1 1]
func.func @unique(%x: tensor<6xf32>) -> (tensor<?xf32>, tensor<6xi64>, tensor<?xi64>) {
  %v, %i, %c = tally.unique %x : tensor<6xf32>
  return %v, %i, %c : tensor<?xf32>, tensor<6xi64>, tensor<?xi64>
}

// REPEAT: [0 0 2]
// BACK: 0 <= -1 does not hold; a negative number of repetitions; needed by tally.repeat_interleave
func.func @repeat(%x: tensor<?xi64>) -> tensor<?xi64> {
  %r = tally.repeat_interleave %x : tensor<?xi64>
  return %r : tensor<?xi64>
}

// BINCOUNT: [2. 0. 5. 0.]
func.func @bincount(%x: tensor<3xi64>, %w: tensor<3xf32>) -> tensor<?xf32> {
  %c4 = arith.constant 4 : index
  %r = tally.bincount %x minlength %c4 weights %w : tensor<3xi64>, tensor<3xf32>
  return %r : tensor<?xf32>
}

// PARTS: [1 3]
// PARTS: 3
// SELECT: -1 <= -2 < 1 does not hold; the index is out of range; needed by tally.select
func.func @parts(%x: tensor<?xi32>, %a: index, %b: index) -> (tensor<?xi32>, tensor<i32>) {
  %s = tally.slice %x[%a to %b step 2] dim 0 : tensor<?xi32>
  %m = arith.constant -2 : index
  %e = tally.select %x[%m] dim 0 : tensor<?xi32>
  return %s, %e : tensor<?xi32>, tensor<i32>
}

// SPLITS: 4 == 5 does not hold; needed by tally.split
func.func @splits(%x: tensor<?xi32>, %n: index) -> (tensor<?xi32>, tensor<?xi32>) {
  %a, %b = tally.split %x[%n, %n] dim 0 : tensor<?xi32>
  return %a, %b : tensor<?xi32>, tensor<?xi32>
}

// MASKED: [1 3]
func.func @masked(%x: tensor<3xi32>, %m: tensor<3xi1>) -> tensor<?xi32> {
  %r = tally.masked_select %x, %m : tensor<3xi32>, tensor<3xi1>
  return %r : tensor<?xi32>
}

// FOREIGN: nothing brings the function 'nobody_has_it'
func.func @custom(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c3 = arith.constant 3 : index
  %r = tally.custom_call @nobody_has_it(%x) bounds(%c3) : (tensor<?xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// TAKEN: i32[2]
// OTHER: i32[4]
func.func @branches(%p: i1, %x: tensor<?xi32>) -> tensor<?xi32> {
  %r = tally.cond %p (%x) : (tensor<?xi32>) -> tensor<?xi32> {
  ^bb0(%a: tensor<?xi32>):
    tally.yield %a : tensor<?xi32>
  } else {
  ^bb0(%a: tensor<?xi32>):
    %b = tensor.concat dim(0) %a, %a : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    tally.yield %b : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}
