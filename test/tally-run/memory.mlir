// A size that does not fit is an error, not a crash; an empty tensor may have
// sizes whose product does not fit.
// RUN: not tally-run %s --input i64=1099511627776 --input i64=1099511627776 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not tally-run %s --input i64=8589934592 --input i64=2147483648 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not tally-run %s --input i64=-1 --input i64=5 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tally-run %s --input i64=4398046511104 --input i64=3 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: tally-run %s --input i64=0 --input i64=1099511627776 | FileCheck %s --check-prefix=EMPTY

// NEGATIVE: tally-run: check failed: {{.*}}: 0 <= s0 does not hold: s0 = -1 (s0 = arg0); needed by tensor.empty
// FIT: tally-run: check failed: the size of a buffer does not fit in memory
// MEMORY: tally-run: check failed: out of memory: cannot allocate 52776558133248 bytes
// EMPTY: out0: f32[0, 1099511627776] =
func.func @main(%n: index, %m: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %f : tensor<?x?xf32>
}
