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
  // expected-error @below {{needs 0 <= arg1 < arg0.size(0)}}
  %e = tensor.extract %x[%i] : tensor<?xf32>
  %ok = arith.cmpi ult, %i, %d : index
  tally.assert %ok, <i < d> (i = %i, d = %d : index, index)
  return %e : f32
}

// -----

// An assert in a branch, or in a loop that may run no iteration, does not hold behind it.
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
    // expected-error @below {{needs 0 <= at[...] < arg0.size(0)}}
    %v = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// One of the branches inside has another size.
func.func @if_in_if(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1, %d: i1) -> tensor<?xf32> {
  %r = scf.if %d -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %q = scf.if %c -> tensor<?xf32> {
      scf.yield %x : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  // expected-error @below {{which neither follows from what is known here nor is asserted before it}}
  %s = arith.addf %r, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// A loop that runs no iteration gives what it starts from, and one that runs may
// give that of an iteration before the last.
func.func @carried(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%t = %y) -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  }
  // expected-error @below {{which neither follows from what is known here nor is asserted before it}}
  %s = arith.addf %a, %x : tensor<?xf32>
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    // expected-error @below {{which neither follows from what is known here nor is asserted before it}}
    %inside = arith.addf %t, %x : tensor<?xf32>
    %q = scf.if %c -> tensor<?xf32> {
      scf.yield %t : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  // expected-error @below {{which neither follows from what is known here nor is asserted before it}}
  %u = arith.addf %b, %x : tensor<?xf32>
  return %s, %u : tensor<?xf32>, tensor<?xf32>
}

// -----

// What a branch makes of a value of this iteration is not what another one made.
func.func @grows(%x: tensor<?xf32>, %n: index, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %q = scf.if %c -> tensor<?xf32> {
      // expected-error @below {{+ 1 <= 9223372036854775807, which neither follows from what is known here}}
      %l = tensor.pad %t low[1] high[0] {
      ^bb0(%j: index):
        %z = arith.constant 0.0 : f32
        tensor.yield %z : f32
      } : tensor<?xf32> to tensor<?xf32>
      scf.yield %l : tensor<?xf32>
    } else {
      scf.yield %t : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  // expected-error @below {{which neither follows from what is known here nor is asserted before it}}
  %s = arith.addf %r, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// A sum that may leave 64 bits is not its terms, and is no size.
func.func @wraps(%a: index, %b: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi sge, %a, %c0 : index
  tally.assert %ok, <0 <= a> (a = %a : index)
  %ok2 = arith.cmpi sge, %b, %c0 : index
  tally.assert %ok2, <0 <= b> (b = %b : index)
  %sum = arith.addi %a, %b : index
  // expected-error @below {{which neither follows from what is known here nor is asserted before it}}
  %e = tensor.empty(%sum) : tensor<?xf32>
  return %e : tensor<?xf32>
}
