// Symbols of the named form, and the same programs in the other forms.
// RUN: tally-run %s --interpret --entry sizes --input 'f32[2,8]=1' | FileCheck %s --check-prefix=SIZES
// RUN: tally-run %s --interpret=named --entry sizes --input 'f32[2,8]=1' | FileCheck %s --check-prefix=SIZES
// RUN: tally-run %s --interpret=bound --entry sizes --input 'f32[2,8]=1' | FileCheck %s --check-prefix=SIZES
// RUN: tally-run %s --interpret=checked --entry sizes --input 'f32[2,8]=1' | FileCheck %s --check-prefix=SIZES
// RUN: not tally-run %s --interpret --entry sizes --input 'f32[5,8]=1' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tally-run %s --interpret=bound --entry sizes --input 'f32[5,8]=1' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tally-run %s --interpret=checked --entry sizes --input 'f32[5,8]=1' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tally-run %s --interpret --entry sizes --input 'f32[2,4]=1' 2>&1 | FileCheck %s --check-prefix=DIVISOR
// RUN: tally-run %s --interpret --entry solved --input 'f32[6,5]=1' | FileCheck %s --check-prefix=SOLVED
// RUN: not tally-run %s --interpret --entry solved --input 'f32[7,5]=1' 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tally-run %s --interpret --entry together --input 'f32[7,3]=1' | FileCheck %s --check-prefix=TOGETHER
// RUN: not tally-run %s --interpret --entry together --input 'f32[6,3]=1' 2>&1 | FileCheck %s --check-prefix=PARITY
// RUN: not tally-run %s --interpret --entry overflows --input i64=4611686018427387904 2>&1 | FileCheck %s --check-prefix=OVERFLOWS
// RUN: not tally-run %s --interpret --entry divides --input i64=0 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: not tally-run %s --interpret --entry assumes --input i64=9 2>&1 | FileCheck %s --check-prefix=ASSUMES
// RUN: not tally-run %s --interpret --entry unproven --input i64=9 2>&1 | FileCheck %s --check-prefix=UNPROVEN
// RUN: tally-run %s --interpret --entry pitch --input 'f32[2,3]=1' | FileCheck %s --check-prefix=PITCH
// RUN: tally-run %s --interpret --entry counts --input 'i1[3]=true,false,true' | FileCheck %s --check-prefix=COUNTS
// RUN: not tally-run %s --interpret --entry counts --input 'i1[3]=true' 2>&1 | FileCheck %s --check-prefix=TOOMANY

// SIZES: 17
// RANGE: symbols.mlir:[[#@LINE+2]]:{{.*}}s0 <= 4 does not hold: s0 = 5{{.*}}; declared by x
// DIVISOR: symbols.mlir:[[#@LINE+1]]:{{.*}}s1 mod 8 == 0 does not hold: 4 mod 8 = 4; declared by x
func.func @sizes(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4], s1 : [0, 64] % 8>} {
  %n = tally.size <s0 * s1 + 1> : index
  return %n : index
}

// SOLVED: [3 2]
// ODD: x.size(0) == 2 * s0 does not hold: x.size(0) = 7; declared by x
func.func @solved(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<2 * s0, s0 + s1>}) -> tensor<2xindex>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  %t = tensor.from_elements %a, %b : tensor<2xindex>
  return %t : tensor<2xindex>
}

// TOGETHER: [5 2]
// PARITY: does not hold: {{.*}}declared by x
func.func @together(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 + s1, s0 - s1>}) -> tensor<2xindex>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  %t = tensor.from_elements %a, %b : tensor<2xindex>
  return %t : tensor<2xindex>
}

// OVERFLOWS: the number does not fit 64 bits: 2 * s0: s0 = 4611686018427387904; needed by tally.size
func.func @overflows(%n: i64 {tally.value = #tally.expr<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %m = tally.size <2 * s0> : index
  return %m : index
}

// DIVIDES: a division by zero: 8 floordiv s0: s0 = 0; needed by tally.size
func.func @divides(%n: i64 {tally.value = #tally.expr<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %m = tally.size <8 floordiv s0> : index
  return %m : index
}

// ASSUMES: what is assumed does not hold: s0 <= 8 (s0 = 9)
func.func @assumes(%n: i64 {tally.value = #tally.expr<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  tally.assume <s0 <= 8>
  return
}

// UNPROVEN: what is declared of symbol 's0' does not hold, and nothing has checked it: it is 9
func.func @unproven(%n: index) -> index {
  %s0 = tally.symbol "s0" = %n in [0, 8] : index
  return %s0 : index
}

// PITCH: 3
func.func @pitch(%x: tensor<?x?xf32> {tally.name = "x"},
                 %p: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<s9>}) -> index
    attributes {tally.symbols = #tally.symbols<s9>} {
  %m = tally.size <s9> : index
  return %m : index
}

// COUNTS: 2
// TOOMANY: symbols.mlir:[[#@LINE+4]]:{{.*}}u0 <= 2 does not hold: u0 = 3
func.func @counts(%m: tensor<?xi1> {tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, 2]>} {
  // The size that is found is a symbol.
  %i = tally.nonzero %m : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %n = tally.size <u0> : index
  return %n : index
}
