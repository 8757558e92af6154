// RUN: tally-opt %s --verify-roundtrip | FileCheck %s
// RUN: tally-opt %s --mlir-print-op-generic | tally-opt | FileCheck %s
// RUN: tally-opt %s -canonicalize | FileCheck %s --check-prefix=EFFECTS

// CHECK-LABEL: func.func @ops(
func.func @ops(%x: tensor<?x4xf32>, %m: tensor<?x4xi1>, %n: tensor<?xi64>, %w: tensor<?xbf16>, %i: index, %j: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xbf16>,
        tensor<?x4xf32>, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked, u4 : unbacked, u5 : unbacked, u6 : unbacked>} {
  // CHECK: tally.masked_select %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xi1> bind #tally.bindings<u0 = result(0).size(0)>
  %a = tally.masked_select %x, %m : tensor<?x4xf32>, tensor<?x4xi1> bind #tally.bindings<u0 = result(0).size(0)>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = tally.unique %{{.*}} : tensor<?x4xf32> bind #tally.bindings<u1 = result(0).size(0)>
  %v, %p, %c = tally.unique %x : tensor<?x4xf32> bind #tally.bindings<u1 = result(0).size(0)>
  // CHECK: tally.repeat_interleave %{{.*}} : tensor<?xi64> bind #tally.bindings<u2 = result(0).size(0)>
  %r = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u2 = result(0).size(0)>
  // CHECK: tally.bincount %{{.*}} minlength %{{.*}} : tensor<?xi64> bind #tally.bindings<u3 = result(0).size(0)>
  %b = tally.bincount %n minlength %i : tensor<?xi64> bind #tally.bindings<u3 = result(0).size(0)>
  // CHECK: tally.bincount %{{.*}} minlength %{{.*}} weights %{{.*}} : tensor<?xi64>, tensor<?xbf16>
  %bw = tally.bincount %n minlength %i weights %w : tensor<?xi64>, tensor<?xbf16>
  // CHECK: tally.slice %{{.*}}[%{{.*}} to %{{.*}}] dim 0 : tensor<?x4xf32> bind #tally.bindings<u4 = result(0).size(0)>
  %s = tally.slice %x[%i to %j] dim 0 : tensor<?x4xf32> bind #tally.bindings<u4 = result(0).size(0)>
  // CHECK: tally.slice %{{.*}}[%{{.*}} to %{{.*}} step 3] dim 1 : tensor<?x4xf32>
  %t = tally.slice %x[%i to %j step 3] dim 1 : tensor<?x4xf32>
  // CHECK: tally.select %{{.*}}[%{{.*}}] dim 0 : tensor<?x4xf32>
  %e = tally.select %x[%i] dim 0 : tensor<?x4xf32>
  // CHECK: tally.select %{{.*}}[%{{.*}}] dim 1 : tensor<?x4xf32>
  %f = tally.select %x[%i] dim 1 : tensor<?x4xf32>
  // CHECK: %{{.*}}:2 = tally.split %{{.*}}[%{{.*}}, %{{.*}}] dim 0 : tensor<?x4xf32> bind #tally.bindings<u5 = result(0).size(0), u6 = result(1).size(0)>
  %g:2 = tally.split %x[%i, %j] dim 0 : tensor<?x4xf32> bind #tally.bindings<u5 = result(0).size(0), u6 = result(1).size(0)>
  // CHECK: tally.split %{{.*}}[] dim 1 : tensor<?x4xf32>
  tally.split %x[] dim 1 : tensor<?x4xf32>
  return %a, %v, %p, %c, %r, %b, %bw, %s, %t, %e, %f, %g#0, %g#1
    : tensor<?xf32>, tensor<?xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xbf16>,
      tensor<?x4xf32>, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// What makes symbols stays; without bindings there is no effect.
// EFFECTS-LABEL: func.func @effects(
// EFFECTS-NEXT:    tally.masked_select
// EFFECTS-NEXT:    tally.unique
// EFFECTS-NEXT:    tally.repeat_interleave
// EFFECTS-NEXT:    tally.bincount
// EFFECTS-NEXT:    tally.slice
// EFFECTS-NEXT:    tally.split
// EFFECTS-NEXT:    return
func.func @effects(%x: tensor<?xf32>, %m: tensor<?xi1>, %n: tensor<?xi64>, %i: index)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked, u4 : unbacked, u5 : unbacked>} {
  %a = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi1> bind #tally.bindings<u0 = result(0).size(0)>
  %v, %p, %c = tally.unique %x : tensor<?xf32> bind #tally.bindings<u1 = result(2).size(0)>
  %r = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u2 = result(0).size(0)>
  %b = tally.bincount %n minlength %i : tensor<?xi64> bind #tally.bindings<u3 = result(0).size(0)>
  %s = tally.slice %x[%i to %i] dim 0 : tensor<?xf32> bind #tally.bindings<u4 = result(0).size(0)>
  %g = tally.split %x[%i] dim 0 : tensor<?xf32> bind #tally.bindings<u5 = result(0).size(0)>
  %a1 = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi1>
  %v1, %p1, %c1 = tally.unique %x : tensor<?xf32>
  %r1 = tally.repeat_interleave %n : tensor<?xi64>
  %b1 = tally.bincount %n minlength %i : tensor<?xi64>
  %s1 = tally.slice %x[%i to %i] dim 0 : tensor<?xf32>
  %e1 = tally.select %x[%i] dim 0 : tensor<?xf32>
  %g1 = tally.split %x[%i] dim 0 : tensor<?xf32>
  return
}
