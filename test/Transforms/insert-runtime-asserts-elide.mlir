// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s --check-prefix=ELIDED
// RUN: tally-opt %s --tally-check-pipeline=elide=false | FileCheck %s --check-prefix=ALL
// RUN: tally-opt %s --tally-propagate-shapes=elide=false | FileCheck %s --check-prefix=PRECONDITIONS

// Without elision everything that an operation requires is asserted, also what
// was declared, or asserted before.

// ELIDED-LABEL:   func.func @twice
// ELIDED:         tally.assert %{{.*}}, <s0 <= 64>
// ELIDED:         tally.assert %{{.*}}, <s0 == s1> {{.*}} required_by("arith.addf")
// ELIDED-NOT:     tally.assert

// ALL-LABEL:      func.func @twice
// ALL:            tally.assert %{{.*}}, <s0 <= 64>
// ALL:            tally.assert %{{.*}}, <s0 == s1> {{.*}} required_by("arith.addf")
// ALL:            tally.assert %{{.*}}, <s0 == s1> {{.*}} required_by("arith.mulf")
// ALL:            tally.assert %{{.*}}, <0 <= loop_index < s0> {{.*}} required_by("tensor.extract")

// PRECONDITIONS:        tally.check <s0 == s1> required_by("arith.addf")
// PRECONDITIONS:        tally.check <s0 == s1> required_by("arith.mulf")
func.func @twice(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %y: tensor<?xf32> {tally.shape = #tally.shape<s1>}) -> (tensor<?xf32>, f32)
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64], s1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = arith.addf %x, %y : tensor<?xf32>
  %b = arith.mulf %a, %y : tensor<?xf32>
  %n = tally.size <s0> : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %v = tensor.extract %a[%i] : tensor<?xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  return %b, %r : tensor<?xf32>, f32
}
