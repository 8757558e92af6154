// RUN: tally-opt %s --tally-verify-form --split-input-file --verify-diagnostics

func.func @check(%a: index) {
  // expected-error @below {{has not been decided; run tally-insert-runtime-asserts}}
  tally.check <a <= 4> (a = %a : index)
  return
}

// -----

// The rules of the bound form hold as well.
func.func @size() -> index attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{mentions names: the function is not bound}}
  %n = tally.size <s0> : index
  return %n : index
}

// -----

func.func @sizes(%x: tensor<?xf32> {tally.name = "x"}, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{needs x.size(0) == arg1.size(0), which neither follows from what is known here nor is asserted before it}}
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// An assert behind the operation is too late.
func.func @late(%x: tensor<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-error @below {{needs 0 <= arg1 and arg1 < arg0.size(0)}}
  %e = tensor.extract %x[%i] : tensor<?xf32>
  %ok = arith.cmpi ult, %i, %d : index
  tally.assert %ok, <i < d> (i = %i, d = %d : index, index)
  return %e : f32
}

// -----

// An assert in a branch, or in a loop that may run no trip, does not hold behind it.
func.func @elsewhere(%p: i1, %n: index, %x: tensor<?xf32>, %y: tensor<?xf32>, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?xf32>
  %d1 = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %d0, %d1 : index
  scf.if %p {
    tally.assert %same, <d0 == d1> (d0 = %d0, d1 = %d1 : index, index)
    %r = arith.addf %x, %y : tensor<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    tally.assert %same, <d0 == d1> (d0 = %d0, d1 = %d1 : index, index)
    %r = arith.addf %x, %y : tensor<?xf32>
  }
  // expected-error @below {{needs arg2.size(0) == arg3.size(0)}}
  %r = arith.addf %x, %y : tensor<?xf32>
  return
}

// -----

// An element of data is no index that is known.
func.func @element(%x: tensor<?xf32>, %at: tensor<?xi64> {tally.name = "at"}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: i64, %o: f32):
    %p = arith.index_cast %in : i64 to index
    // expected-error @below {{needs 0 <= at[...] and at[...] < arg0.size(0)}}
    %v = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
