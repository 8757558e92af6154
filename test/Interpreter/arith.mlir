// Integers of each width wrap around; what arith leaves undefined is poison.
// RUN: tally-run %s --interpret --entry wraps --input i8=127 --input i8=-128 | FileCheck %s --check-prefix=WRAPS
// RUN: tally-run %s --interpret --entry divides --input i64=-7 --input i64=2 | FileCheck %s --check-prefix=DIVIDES
// RUN: not tally-run %s --interpret --entry divides --input i64=-7 --input i64=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tally-run %s --interpret --entry extended --input i64=-1 --input i64=2 | FileCheck %s --check-prefix=EXTENDED
// RUN: tally-run %s --interpret --entry wide --input i64=9223372036854775807 | FileCheck %s --check-prefix=WIDE
// RUN: tally-run %s --interpret --entry chosen --input i32=5 --input i32=40 | FileCheck %s --check-prefix=CHOSEN
// RUN: not tally-run %s --interpret --entry shifted --input i32=5 --input i32=32 2>&1 | FileCheck %s --check-prefix=SHIFTED
// RUN: not tally-run %s --interpret --entry flagged --input i32=2147483647 2>&1 | FileCheck %s --check-prefix=FLAGGED
// RUN: not tally-run %s --interpret --entry quotient --input i32=-2147483648 --input i32=-1 2>&1 | FileCheck %s --check-prefix=QUOTIENT
// RUN: not tally-run %s --interpret --entry shifted_left --input i32=5 --input i32=32 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not tally-run %s --interpret --entry index_shifted --input i64=5 --input i64=64 2>&1 | FileCheck %s --check-prefix=INDEX-SHIFTED
// RUN: not tally-run %s --interpret --entry index_quotient --input i64=-9223372036854775808 --input i64=-1 2>&1 | FileCheck %s --check-prefix=INDEX-QUOTIENT
// RUN: tally-run %s --interpret --entry index_ops --input i64=-7 --input i64=3 | FileCheck %s --check-prefix=INDEX

// WRAPS: [-128  127    1 -128   -1   -1]
func.func @wraps(%a: i8, %b: i8) -> tensor<6xi8> {
  %one = arith.constant 1 : i8
  %sum = arith.addi %a, %one : i8
  %difference = arith.subi %b, %one : i8
  %product = arith.muli %a, %a : i8
  %c7 = arith.constant 7 : i8
  %shift = arith.shli %one, %c7 : i8
  %right = arith.shrsi %b, %c7 : i8
  %xor = arith.xori %a, %b : i8
  %t = tensor.from_elements %sum, %difference, %product, %shift, %right, %xor : tensor<6xi8>
  return %t : tensor<6xi8>
}

// DIVIDES: [-3 -3 -4 -1  1]
// ZERO: arith.mlir:[[#@LINE+2]]:{{.*}}integer division by zero; needed by arith.divsi
func.func @divides(%a: i64, %b: i64) -> tensor<5xi64> {
  %0 = arith.divsi %a, %b : i64
  %1 = arith.ceildivsi %a, %b : i64
  %2 = arith.floordivsi %a, %b : i64
  %3 = arith.remsi %a, %b : i64
  %4 = arith.remui %a, %b : i64
  %t = tensor.from_elements %0, %1, %2, %3, %4 : tensor<5xi64>
  return %t : tensor<5xi64>
}

// EXTENDED: [-2 -1 -2  1]
func.func @extended(%a: i64, %b: i64) -> tensor<4xi64> {
  %0, %1 = arith.mulsi_extended %a, %b : i64
  %2, %3 = arith.mului_extended %a, %b : i64
  %t = tensor.from_elements %0, %1, %2, %3 : tensor<4xi64>
  return %t : tensor<4xi64>
}

// Whatever width a program uses.
// WIDE: 4611686018427387903
func.func @wide(%a: i64) -> i64 {
  %0 = arith.extsi %a : i64 to i200
  %1 = arith.muli %0, %0 : i200
  %c = arith.constant 64 : i200
  %2 = arith.shrui %1, %c : i200
  %3 = arith.trunci %2 : i200 to i64
  return %3 : i64
}

// Poison that is not chosen does no harm.
// CHOSEN: 5
func.func @chosen(%a: i32, %n: i32) -> i32 {
  %s = arith.shli %a, %n : i32
  %c32 = arith.constant 32 : i32
  %in = arith.cmpi ult, %n, %c32 : i32
  %r = arith.select %in, %s, %a : i32
  return %r : i32
}

// SHIFTED: result 0 is poison; poison was first made at {{.*}}:[[#@LINE+2]]:{{.*}}by arith.shrui: a shift by too much
func.func @shifted(%a: i32, %n: i32) -> i32 {
  %s = arith.shrui %a, %n : i32
  return %s : i32
}

// LEFT: result 0 is poison; poison was first made at {{.*}}:[[#@LINE+2]]:{{.*}}by arith.shli: a shift by too much
func.func @shifted_left(%a: i32, %n: i32) -> i32 {
  %s = arith.shli %a, %n : i32
  return %s : i32
}

// INDEX-SHIFTED: result 0 is poison; poison was first made at {{.*}}:[[#@LINE+2]]:{{.*}}by index.shl: a shift by too much
func.func @index_shifted(%a: index, %n: index) -> index {
  %s = index.shl %a, %n
  return %s : index
}

// FLAGGED: the condition of 'scf.if' is poison; {{.*}}arith.addi: a signed overflow (nsw)
func.func @flagged(%a: i32) -> i32 {
  %one = arith.constant 1 : i32
  %s = arith.addi %a, %one overflow<nsw> : i32
  %greater = arith.cmpi sgt, %s, %a : i32
  %r = scf.if %greater -> i32 {
    scf.yield %one : i32
  } else {
    scf.yield %a : i32
  }
  return %r : i32
}

// QUOTIENT: result 0 is poison; {{.*}}arith.divsi: the quotient overflows
func.func @quotient(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %q : i32
}

// INDEX-QUOTIENT: result 0 is poison; {{.*}}index.divs: the quotient overflows
func.func @index_quotient(%a: index, %b: index) -> index {
  %q = index.divs %a, %b
  return %q : index
}

// INDEX: [-3 -2 -1 -4  1]
func.func @index_ops(%a: index, %b: index) -> tensor<5xindex> {
  %0 = index.floordivs %a, %b
  %1 = index.ceildivs %a, %b
  %2 = index.rems %a, %b
  %3 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%a)[%b]
  %lt = index.cmp slt(%a, %b)
  %4 = arith.index_castui %lt : i1 to index
  %t = tensor.from_elements %0, %1, %2, %3, %4 : tensor<5xindex>
  return %t : tensor<5xindex>
}
