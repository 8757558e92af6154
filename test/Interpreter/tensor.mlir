// Every access is checked where it is done.
// RUN: tally-run %s --interpret --entry slices --input 'i32[5]=0,1,2,3,4' --input i64=1 --input i64=2 | FileCheck %s --check-prefix=SLICES
// RUN: not tally-run %s --interpret --entry slices --input 'i32[5]=0' --input i64=3 --input i64=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tally-run %s --interpret --entry slices --input 'i32[5]=0' --input i64=0 --input i64=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tally-run %s --interpret --entry sized --input i64=-1 2>&1 | FileCheck %s --check-prefix=SIZED
// RUN: not tally-run %s --interpret --entry sized --input i64=4611686018427387904 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: tally-run %s --interpret --entry pads --input 'i32[2]=7,8' | FileCheck %s --check-prefix=PADS
// RUN: not tally-run %s --interpret --entry claims --input 'i32[2]=7,8' 2>&1 | FileCheck %s --check-prefix=CLAIMS
// RUN: not tally-run %s --interpret --entry expands --input 'i32[7]=1' --input i64=3 2>&1 | FileCheck %s --check-prefix=EXPANDS
// RUN: tally-run %s --interpret --entry gathers --input 'i32[3,2]=0,1,10,11,20,21' --input 'i64[2,1]=2,0' | FileCheck %s --check-prefix=GATHERS
// RUN: not tally-run %s --interpret --entry gathers --input 'i32[3,2]=0' --input 'i64[2,1]=2,3' 2>&1 | FileCheck %s --check-prefix=COORDINATE
// RUN: not tally-run %s --interpret --entry partly --input i64=2 2>&1 | FileCheck %s --check-prefix=PARTLY
// RUN: tally-run %s --interpret --entry resource | FileCheck %s --check-prefix=RESOURCE
// RUN: not tally-run %s --interpret --entry shorter 2>&1 | FileCheck %s --check-prefix=SHORTER
// RUN: not tally-run %s --interpret --entry absent 2>&1 | FileCheck %s --check-prefix=ABSENT

// SLICES: [1 3 9]
// OUTSIDE: tensor.mlir:[[#@LINE+3]]:{{.*}}3 + (2 - 1) * 2 < 5 does not hold: 3 + (2 - 1) * 2 = 5; the slice is not inside of the tensor
// NEGATIVE: tensor.mlir:[[#@LINE+2]]:{{.*}}0 <= -1 does not hold
func.func @slices(%x: tensor<5xi32>, %offset: index, %n: index) -> tensor<?xi32> {
  %s = tensor.extract_slice %x[%offset] [%n] [2] : tensor<5xi32> to tensor<?xi32>
  %nine = arith.constant dense<9> : tensor<1xi32>
  %r = tensor.concat dim(0) %s, %nine : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// SIZED: tensor.mlir:[[#@LINE+3]]:{{.*}}0 <= -1 does not hold; a size is negative; needed by tensor.empty
// LARGE: tensor.mlir:[[#@LINE+2]]:{{.*}}a tensor has more bytes than the interpreter may make
func.func @sized(%n: index) -> index {
  %e = tensor.empty(%n) : tensor<?xi64>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %e, %c0 : tensor<?xi64>
  return %d : index
}

// PADS: [0 7 8 3]
func.func @pads(%x: tensor<2xi32>) -> tensor<4xi32> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<2xi32> to tensor<4xi32>
  return %p : tensor<4xi32>
}

// CLAIMS: tensor.mlir:[[#@LINE+2]]:{{.*}}2 == 3 does not hold
func.func @claims(%x: tensor<?xi32>) -> tensor<3xi32> {
  %c = tensor.cast %x : tensor<?xi32> to tensor<3xi32>
  return %c : tensor<3xi32>
}

// EXPANDS: tensor.mlir:[[#@LINE+2]]:{{.*}}7 == 6 does not hold
func.func @expands(%x: tensor<?xi32>, %n: index) -> tensor<?x2xi32> {
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : tensor<?xi32> into tensor<?x2xi32>
  return %e : tensor<?x2xi32>
}

// GATHERS: {{\[}}[20 21]
// GATHERS-NEXT: [ 0 1]]
// COORDINATE: tensor.mlir:[[#@LINE+2]]:{{.*}}0 <= 3 < 3 does not hold
func.func @gathers(%x: tensor<3x2xi32>, %at: tensor<2x1xi64>) -> tensor<2x2xi32> {
  %g = tensor.gather %x[%at] gather_dims([0]) : (tensor<3x2xi32>, tensor<2x1xi64>) -> tensor<2x2xi32>
  return %g : tensor<2x2xi32>
}

// PARTLY: element 0 of result 0 is poison
func.func @partly(%n: index) -> tensor<?xi32> {
  %e = tensor.empty(%n) : tensor<?xi32>
  %c1 = arith.constant 1 : index
  %v = arith.constant 5 : i32
  %i = tensor.insert %v into %e[%c1] : tensor<?xi32>
  return %i : tensor<?xi32>
}

// Constants whose bytes are beside the program; they have to be there, all of them.

// RESOURCE: {{\[\[}} 1 -2]
// RESOURCE-NEXT: [ 3 4]]
func.func @resource() -> tensor<2x2xi16> {
  %r = arith.constant dense_resource<four> : tensor<2x2xi16>
  return %r : tensor<2x2xi16>
}

// SHORTER: tensor.mlir:[[#@LINE+2]]:{{.*}}the interpreter cannot read a constant of this kind
func.func @shorter() -> tensor<2x2xi32> {
  %r = arith.constant dense_resource<four> : tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

// ABSENT: tensor.mlir:[[#@LINE+2]]:{{.*}}the interpreter cannot read a constant of this kind
func.func @absent() -> tensor<2x2xi16> {
  %r = arith.constant dense_resource<none> : tensor<2x2xi16>
  return %r : tensor<2x2xi16>
}

{-#
  dialect_resources: {
    builtin: {
      four: "0x020000000100FEFF03000400"
    }
  }
#-}
