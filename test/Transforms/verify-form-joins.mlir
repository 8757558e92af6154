// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline,tally-verify-form)" --split-input-file | FileCheck %s
// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline{elide=false},tally-verify-form)" --split-input-file -o /dev/null

// What comes out of branches and loops, one inside of the other, has the sizes
// that its parts have, also where these are equal by an assert alone.

// CHECK-LABEL: func.func @if_in_if(
// CHECK:         tally.assert %{{.*}}, <s0 == arg1_size_0>
// CHECK-NOT:     tally.assert
// CHECK:         linalg.add
func.func @if_in_if(%x: tensor<?xi64> {tally.shape = #tally.shape<s0>}, %y: tensor<?xi64> {tally.shape = #tally.shape<s0>}, %c: i1, %d: i1) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %r = scf.if %d -> tensor<?xi64> {
    scf.yield %x : tensor<?xi64>
  } else {
    %q = scf.if %c -> tensor<?xi64> {
      %e = tensor.empty(%n) : tensor<?xi64>
      %f = linalg.fill ins(%z : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
      scf.yield %f : tensor<?xi64>
    } else {
      %b = linalg.add ins(%y, %y : tensor<?xi64>, tensor<?xi64>) outs(%y : tensor<?xi64>) -> tensor<?xi64>
      scf.yield %b : tensor<?xi64>
    }
    scf.yield %q : tensor<?xi64>
  }
  %s = linalg.add ins(%r, %y : tensor<?xi64>, tensor<?xi64>) outs(%y : tensor<?xi64>) -> tensor<?xi64>
  return %s : tensor<?xi64>
}

// -----

// CHECK-LABEL: func.func @if_in_for(
// CHECK:         tally.assert %{{.*}}, <s0 == arg1_size_0>
// CHECK-NOT:     tally.assert
// CHECK:         linalg.add
func.func @if_in_for(%x: tensor<?xi64> {tally.shape = #tally.shape<s0>}, %y: tensor<?xi64> {tally.shape = #tally.shape<s0>}, %c: i1, %h: index) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %r = scf.for %i = %c0 to %h step %c1 iter_args(%t = %x) -> tensor<?xi64> {
    %q = scf.if %c -> tensor<?xi64> {
      %e = tensor.empty(%n) : tensor<?xi64>
      %f = linalg.fill ins(%z : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
      scf.yield %f : tensor<?xi64>
    } else {
      scf.yield %y : tensor<?xi64>
    }
    scf.yield %q : tensor<?xi64>
  }
  %s = linalg.add ins(%r, %y : tensor<?xi64>, tensor<?xi64>) outs(%y : tensor<?xi64>) -> tensor<?xi64>
  return %s : tensor<?xi64>
}

// -----

// CHECK-LABEL: func.func @switch_in_while(
// CHECK:         tally.assert %{{.*}}, <s0 == arg1_size_0>
// CHECK-NOT:     tally.assert
// CHECK:         linalg.add
func.func @switch_in_while(%x: tensor<?xi64> {tally.shape = #tally.shape<s0>}, %y: tensor<?xi64> {tally.shape = #tally.shape<s0>}, %c: i1, %k: index) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %r = scf.while (%t = %x) : (tensor<?xi64>) -> tensor<?xi64> {
    scf.condition(%c) %t : tensor<?xi64>
  } do {
  ^bb0(%t: tensor<?xi64>):
    %q = scf.index_switch %k -> tensor<?xi64>
    case 3 {
      %e = tensor.empty(%n) : tensor<?xi64>
      %f = linalg.fill ins(%z : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
      scf.yield %f : tensor<?xi64>
    }
    default {
      scf.yield %y : tensor<?xi64>
    }
    scf.yield %q : tensor<?xi64>
  }
  %s = linalg.add ins(%r, %y : tensor<?xi64>, tensor<?xi64>) outs(%y : tensor<?xi64>) -> tensor<?xi64>
  return %s : tensor<?xi64>
}

// -----

// Where sizes differ, that the result has one of them is known: here none is
// below two.
// CHECK-LABEL: func.func @alternatives(
// CHECK-NOT:     required_by("tensor.extract
// CHECK:         return
func.func @alternatives(%x: tensor<?xi64> {tally.shape = #tally.shape<2 * s0 + 2>}, %y: tensor<?xi64> {tally.shape = #tally.shape<4 * s0 + 6>}, %h: index, %c: i1) -> (i64, tensor<2xi64>)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %h step %c1 iter_args(%t = %x) -> tensor<?xi64> {
    %q = scf.if %c -> tensor<?xi64> {
      scf.yield %t : tensor<?xi64>
    } else {
      scf.yield %y : tensor<?xi64>
    }
    %inside = tensor.extract %t[%c1] : tensor<?xi64>
    scf.yield %q : tensor<?xi64>
  }
  %v = tensor.extract %r[%c1] : tensor<?xi64>
  %p = scf.if %c -> tensor<?xi64> {
    %q = scf.index_switch %h -> tensor<?xi64>
    case 1 {
      scf.yield %x : tensor<?xi64>
    }
    case 2 {
      scf.yield %y : tensor<?xi64>
    }
    default {
      scf.yield %r : tensor<?xi64>
    }
    scf.yield %q : tensor<?xi64>
  } else {
    scf.yield %y : tensor<?xi64>
  }
  %e = tensor.extract_slice %p[0] [2] [1] : tensor<?xi64> to tensor<2xi64>
  return %v, %e : i64, tensor<2xi64>
}

// -----

// An assert that was moved out of a loop says that it holds if the loop runs,
// and inside it runs, whatever the step is.
// CHECK-LABEL: func.func @out_of_loop(
// CHECK:         tally.assert %{{.*}}, <s1 <= s3>
// CHECK:         scf.for
func.func @out_of_loop(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %t: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %t iter_args(%acc = %o) -> (tensor<?x?xf32>) {
    %s = affine.min affine_map<(d0)[s0, s1] -> (s0, s1 - d0)>(%i)[%t, %m]
    %a = tensor.extract_slice %x[%i, 0] [%s, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %b = tensor.insert_slice %a into %acc[%i, 0] [%s, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
    scf.yield %b : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
