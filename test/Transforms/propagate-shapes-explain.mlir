// RUN: tally-opt %s --tally-propagate-shapes=explain --verify-diagnostics
// The summary of the tools counts these, so that checks are as many with elide as
// without (test/tally-compile/reports.test).

func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x?xf32>
  // expected-remark @below {{0 <= s0: proven (ranges)}}
  %e = tensor.empty(%size) : tensor<?x4xf32>
  %sum = arith.addf %x, %y : tensor<?x?xf32>
  // expected-remark @below {{s0 == s2: follows from a check before it}}
  // expected-remark @below {{s1 == s3: follows from a check before it}}
  %product = arith.mulf %x, %y : tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}
