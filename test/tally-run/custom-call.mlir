// Custom functions: results whose sizes they decide, numbers, booleans, effects
// in order, failures that nobody has to die of.
// UNSUPPORTED: asan
// RUN: %cc -std=gnu11 -Wall -Werror -shared -fPIC %S/Inputs/custom_functions.c -I%tally_src/include -o %t.so
// RUN: tally-run %s --link %t.so --entry keep --input f32[5]=1,-2,3,-4,5 --input f32=0 | FileCheck %s --check-prefix=KEEP
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --link %t.so --entry keep --input f32[3]=1,-2,3 --input f32=5 | FileCheck %s --check-prefix=NONE
// RUN: tally-run %s --link %t.so --entry keep --input f32[0]= --input f32=5 | FileCheck %s --check-prefix=NONE
// KEEP: out0: f32[3] =
// KEEP-NEXT: [ 2. 6. 10.]
// KEEP: out1: i64 =
// KEEP-NEXT: 3
// NONE: out0: f32[0] =
// NONE: out1: i64 =
// NONE-NEXT: 0

// RUN: not tally-run %s --link %t.so --entry keep --input f32[2]=1,nan --input f32=0 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE: tally-run: check failed: {{.*}}custom-call.mlir:[[#]]:{{[0-9]+}}: keep_above failed: an element is not a number{{$}}
// RUN: not tally-run %s --link %t.so --entry keep --input f32[9]=1 --input f32=0 2>&1 | FileCheck %s --check-prefix=CHECK
// CHECK: u0 < 9 does not hold: u0 = 9 (u0 = keep_above(...).size(0))
func.func @keep(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %least: f32) -> (tensor<?xf32>, i64)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked>} {
  %most = tally.size <s0> : index
  %y, %n = tally.custom_call @keep_above(%x, %least) bounds(%most) : (tensor<?xf32>, f32) -> (tensor<?xf32>, i64)
      bind #tally.bindings<u0 = result(0).size(0), u1 = result(1)>
  tally.check <u0 <= s0>
  tally.check <"u0 >= 0">
  tally.check <u0 < 9>
  %e = tally.size <u0> : index
  %init = tensor.empty(%e) : tensor<?xf32>
  %twice = linalg.add ins(%y, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %twice, %n : tensor<?xf32>, i64
}

// The part that was filled is cut out; the argument is compact.
// RUN: tally-run %s --link %t.so --entry cut --input i32[3,4]=0,1,2,3,4,5,6,7,8,9,10,11 --input i64=2 --input i64=3 | FileCheck %s --check-prefix=CUT
// CUT: out0: i32[2, 3] =
// CUT-NEXT: {{\[\[}} 1 5 9]
// CUT-NEXT: [ 2 6 10]]
// CUT: out1: i1[2, 3] =
// CUT-NEXT: {{\[\[}}True True True]
// RUN: not tally-run %s --link %t.so --entry cut --input i32[2,2]=1 --input i64=1 --input i64=5 2>&1 | FileCheck %s --check-prefix=CUT-LARGE
// CUT-LARGE: corner(...)[0].size(1) <= 2 does not hold: corner(...)[0].size(1) = 5; needed by tally.custom_call
func.func @cut(%x: tensor<?x?xi32>, %rows: index, %columns: index) -> (tensor<?x?xi32>, tensor<?x?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %init = tensor.empty(%n, %m) : tensor<?x?xi32>
  %t = linalg.transpose ins(%x : tensor<?x?xi32>) outs(%init : tensor<?x?xi32>) permutation = [1, 0]
  %rest = arith.subi %n, %c1 : index
  %below = tensor.extract_slice %t[1, 0] [%rest, %m] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %y, %z = tally.custom_call @corner(%below, %rows, %columns) bounds(%rest, %m, %rest, %m) pure
      : (tensor<?x?xi32>, index, index) -> (tensor<?x?xi32>, tensor<?x?xi1>)
  return %y, %z : tensor<?x?xi32>, tensor<?x?xi1>
}

// What it says of its sizes is not trusted; one that is no bound must stay.
// RUN: tally-run %s --link %t.so --entry claims --input i64=3 --input i64=7 | FileCheck %s --check-prefix=CLAIM
// CLAIM: out0: i64 =
// CLAIM-NEXT: 3
// RUN: not tally-run %s --link %t.so --entry claims --input i64=8 --input i64=7 2>&1 | FileCheck %s --check-prefix=CLAIM-LARGE
// CLAIM-LARGE: claim(...).size(0) <= 4 does not hold: claim(...).size(0) = 8; needed by tally.custom_call
// RUN: not tally-run %s --link %t.so --entry claims --input i64=-1 --input i64=7 2>&1 | FileCheck %s --check-prefix=CLAIM-NEGATIVE
// CLAIM-NEGATIVE: claim(...).size(0) >= 0 does not hold: claim(...).size(0) = -1
// RUN: not tally-run %s --link %t.so --entry claims --input i64=1 --input i64=6 2>&1 | FileCheck %s --check-prefix=CLAIM-STATIC
// CLAIM-STATIC: claim(...).size(1) == 7 does not hold: claim(...).size(1) = 6
func.func @claims(%a: index, %b: index) -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %y = tally.custom_call @claim(%a, %b) bounds(%c4) : (index, index) -> tensor<?x7xf64>
  %n = tensor.dim %y, %c0 : tensor<?x7xf64>
  return %n : index
}

// Calls keep their order, none is left out or merged; a check of what the first
// one gave comes before the others.
// RUN: tally-run %s --link %t.so --entry effects --input i64=10 | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: out0: i64 =
// EFFECTS-NEXT: 1
// EFFECTS: out1: i64 =
// EFFECTS-NEXT: 5
// RUN: not tally-run %s --link %t.so --entry effects --repeat=2 --input i64=10 2>&1 | FileCheck %s --check-prefix=STATUS
// STATUS: count_calls failed: it returned 42
func.func @effects(%most: index) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %first = tally.custom_call @count_calls() : () -> i64
  %unused = tally.custom_call @count_calls() : () -> i64
  scf.for %i = %c0 to %c2 step %c1 {
    tally.custom_call @count_calls() : () -> ()
  }
  %last = tally.custom_call @count_calls() : () -> i64
  return %first, %last : i64, i64
}

// Too little memory is an error of the call, whoever asks for it.
// RUN: tally-run %s --link %t.so --entry fill --input i64=3 | FileCheck %s --check-prefix=FILL
// FILL: out0: f64[3] =
// FILL-NEXT: [0. 1. 2.]
// RUN: not tally-run %s --link %t.so --entry fill --input i64=-3 2>&1 | FileCheck %s --check-prefix=FILL-NEGATIVE
// FILL-NEGATIVE: 0 <= arg0 does not hold: arg0 = -3; needed by tally.custom_call
func.func @fill(%n: index) -> tensor<?xf64> {
  %y = tally.custom_call @numbers(%n) bounds(%n) : (index) -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// RUN: not tally-run %s --entry fill --input i64=3 2>&1 | FileCheck %s --check-prefix=NOT-LOADED
// NOT-LOADED: tally-run: the program calls '{{.*}}', which a library has to provide: load it (--link)
// RUN: not tally-run %s --link %t.none.so 2>&1 | FileCheck %s --check-prefix=NO-FILE
// NO-FILE: tally-run: '{{.*}}.none.so' does not exist
// RUN: echo 'int other;' > %t.c && %cc -shared -fPIC %t.c -o %t.other.so
// RUN: not tally-run %s --link %t.other.so --entry fill --input i64=3 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: tally-run: the program calls '{{.*}}', which no loaded library has (--link)
