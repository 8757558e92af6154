// That a size is not negative does not follow from what is done with it later:
// of a mask with -1 elements there is no number of elements that are set.

// DEFINE: %{entry} =
// DEFINE: %{refused} = not tally-run %s --entry %{entry} --input i64=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: check failed: {{.*}}0 <= u0 does not hold: u0 = -1 (u0 = a.item())

// REDEFINE: %{entry} = nonzero
// RUN: %{refused}
// RUN: tally-run %s --entry nonzero --input i64=2 | FileCheck %s --check-prefix=NONZERO
// RUN: tally-run %s --entry nonzero --input i64=0
// NONZERO: i64[2, 1]

// REDEFINE: %{entry} = masked_select
// RUN: %{refused}
// RUN: tally-run %s --entry masked_select --input i64=2 | FileCheck %s --check-prefix=SELECT
// SELECT: f32[2]

// REDEFINE: %{entry} = unique
// RUN: %{refused}
// RUN: tally-run %s --entry unique --input i64=2 | FileCheck %s --check-prefix=UNIQUE
// UNIQUE: i64[1]

func.func @nonzero(%a: tensor<i64> {tally.name = "a"}) -> tensor<?x1xi64>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked [0, inf]>} {
  %t = arith.constant true
  %0 = tally.item %a : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %n = tally.size <u0> : index
  %e = tensor.empty(%n) : tensor<?xi1>
  %m = linalg.fill ins(%t : i1) outs(%e : tensor<?xi1>) -> tensor<?xi1>
  %r = tally.nonzero %m : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
  return %r : tensor<?x1xi64>
}

func.func @masked_select(%a: tensor<i64> {tally.name = "a"}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked [0, inf]>} {
  %t = arith.constant true
  %one = arith.constant 1.0 : f32
  %0 = tally.item %a : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %n = tally.size <u0> : index
  %e = tensor.empty(%n) : tensor<?xi1>
  %m = linalg.fill ins(%t : i1) outs(%e : tensor<?xi1>) -> tensor<?xi1>
  %f = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.fill ins(%one : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %r = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi1> bind #tally.bindings<u1 = result(0).size(0)>
  return %r : tensor<?xf32>
}

func.func @unique(%a: tensor<i64> {tally.name = "a"}) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked [0, inf]>} {
  %c = arith.constant 7 : i64
  %0 = tally.item %a : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %n = tally.size <u0> : index
  %e = tensor.empty(%n) : tensor<?xi64>
  %x = linalg.fill ins(%c : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %r, %inverse, %counts = tally.unique %x : tensor<?xi64> bind #tally.bindings<u1 = result(0).size(0)>
  return %r : tensor<?xi64>
}
