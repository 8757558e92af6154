// RUN: tally-opt %s --verify-roundtrip | FileCheck %s
// RUN: tally-opt %s --mlir-print-op-generic | tally-opt | FileCheck %s
// RUN: tally-opt %s --emit-bytecode | tally-opt | FileCheck %s

// CHECK-LABEL: func.func @named(
// CHECK-SAME:    tally.name = "x", tally.shape = #tally.shape<s0, s1 * 2>
// CHECK-SAME:    tally.value = #tally.expr<s2>
// CHECK-SAME:    tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8 hint 64 from "x.size(1)", s2, u0 : unbacked [0, inf], u1 : unbacked, b0 : unbacked bool, zf0 : unbacked float, a0 : [1, 7] assumed>
func.func @named(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1*2>},
                 %n: i64 {tally.value = #tally.expr<s2>},
                 %t: tensor<i64>, %b: tensor<1x1xi1>, %f: tensor<f32>) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8 hint 64 from "x.size(1)", s2,
                                               u0 : unbacked [0, inf], u1 : unbacked, b0 : bool unbacked, zf0 : unbacked float,
                                               a0 : [1, 7] assumed>} {
  // CHECK: %[[N:.*]] = tally.size <s0 * s1 + 1> : index
  %size = tally.size <s0*s1+1> : index
  // CHECK: tally.size <s0 floordiv 2 + s1 mod 8> : index
  %size2 = tally.size #tally.expr<s0 floordiv 2 + s1 mod 8> : index
  // CHECK: tally.size <max(s0, s1) - (-s2) * 2> : index
  %size3 = tally.size <max( s0 ,s1 ) - (-s2)*2> : index
  // CHECK: tally.size <s0 < s1 or not s0 == 3> : i1
  %size4 = tally.size <s0 < s1 or not s0 == 3> : i1
  // CHECK: tally.check <s0 == s1 and s0 <= 64>
  tally.check #tally.expr<"s0 == s1 and s0 <= 64">
  // CHECK: tally.check <"s0 > s1">, "more rows than columns" required_by("linalg.add")
  tally.check <"s0 > s1">, "more rows than columns" required_by("linalg.add")
  // CHECK: tally.size <"zf0 / 1e+34 < 2.5e-07"> : i1
  %size5 = tally.size <"zf0/1e+34 < 2.5e-07"> : i1
  // CHECK: tally.assume <s0 mod 8 == 0>
  tally.assume <s0 mod 8 == 0>
  // CHECK: tally.check <"s0 != 1">
  tally.check <"s0!=1">
  // CHECK: tally.check <s0 * d == s2> (d = %[[N]] : index) declared_by("x")
  tally.check <s0 * d == s2> (d = %size : index) declared_by("x")
  // CHECK: tally.item %{{.*}} : tensor<i64> bind #tally.bindings<u1 = result(0)>
  %i = tally.item %t : tensor<i64> bind #tally.bindings<u1 = result(0)>
  // CHECK: tally.item %{{.*}} : tensor<1x1xi1> bind #tally.bindings<b0 = result(0)>
  %p = tally.item %b : tensor<1x1xi1> bind #tally.bindings<b0=result(0)>
  // CHECK: tally.item %{{.*}} : tensor<f32>
  %g = tally.item %f : tensor<f32>
  // CHECK: tally.nonzero %{{.*}} : tensor<?x?xf32> -> tensor<?x2xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %nz = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64> bind #tally.bindings<u0 = result(0).size(0)>
  return %size : index
}

// Values of 0-d tensors, and arguments that callers do not see.

// CHECK-LABEL: func.func @definitions(
// CHECK-SAME:    tensor<i64> {tally.value = #tally.expr<s1>}
// CHECK-SAME:    tensor<f32> {tally.value = #tally.expr<zf0>}
// CHECK-SAME:    i1 {tally.value = #tally.expr<s2>}
// CHECK-SAME:    index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<s3 * 2>}
// CHECK-SAME:    index {tally.hidden = #tally.path<argument(0).storage_offset>, tally.name = "start"}
func.func @definitions(%x: tensor<?x?xf32>, %t: tensor<i64> {tally.value = #tally.expr<s1>},
                  %f: tensor<f32> {tally.value = #tally.expr<zf0>}, %p: i1 {tally.value = #tally.expr<s2>},
                  %pitch: index {tally.hidden = #tally.path< argument( 0 ) .stride(0)>, tally.value = #tally.expr<s3*2>},
                  %start: index {tally.hidden = #tally.path<argument(0).storage_offset>, tally.name = "start"})
    attributes {tally.symbols = #tally.symbols<s1 : [-4, 8], s2 : [0, 1], s3, zf0 : float>} {
  return
}

// CHECK-LABEL: func.func @calls_definitions(
// CHECK:         call @definitions(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[C4:.*]], %[[C4]])
func.func @calls_definitions(%x: tensor<?x?xf32>, %t: tensor<i64>, %f: tensor<f32>, %p: i1) {
  %c4 = arith.constant 4 : index
  call @definitions(%x, %t, %f, %p, %c4, %c4) : (tensor<?x?xf32>, tensor<i64>, tensor<f32>, i1, index, index) -> ()
  return
}

// CHECK-LABEL: func.func @bound(
func.func @bound(%x: tensor<?xf32>, %i: index, %f: f64) -> index {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  // CHECK: tally.symbol "s0" = %{{.*}} from "x.size(0)" in [0, 4096] divisible_by 8 : index
  %s0 = tally.symbol "s0" = %d from "x.size(0)" in [0, 4096] divisible_by 8 : index
  // CHECK: tally.symbol "u0" = %{{.*}} in [-inf, 3] : index
  %u0 = tally.symbol "u0" = %i in [-inf, 3] : index
  // CHECK: tally.symbol "u1" = %{{.*}} in [-100, 100] : index
  %u1 = tally.symbol "u1" = %i in [-100, 100] : index
  // CHECK: tally.symbol "zf0" = %{{.*}} : f64
  %zf0 = tally.symbol "zf0" = %f : f64
  %ok = arith.cmpi ule, %s0, %i : index
  // CHECK: tally.assert %{{.*}}, <s0 <= i> (s0 = %{{.*}}, i = %{{.*}} : index, index) message("too long") sources({s0 = "x.size(0)"}) required_by("linalg.add")
  tally.assert %ok, <s0 <= i> (s0 = %s0, i = %i : index, index) message("too long") sources({s0 = "x.size(0)"}) required_by("linalg.add")
  // CHECK: %[[G:.*]] = tally.assert %{{.*}} message("the index is out of range") guards(%{{.*}} : index)
  %g = tally.assert %ok message("the index is out of range") guards(%i : index)
  // CHECK: tally.assert %{{.*}}, <s0 * i == 4> (s0 = %{{.*}}, "s0 * i" = %[[G]] : index, index)
  tally.assert %ok, <s0 * i == 4> (s0 = %s0, "s0 * i" = %g : index, index)
  // CHECK: tally.constant "weights.bin"[64] : tensor<4x4xf32>
  %w = tally.constant "weights.bin" [64] : tensor<4x4xf32>
  // CHECK: tally.constant "weights.bin"[128] in [-1, 48] : tensor<4xi64>
  %indices = tally.constant "weights.bin" [128] in [-1, 48] : tensor<4xi64>
  return %g : index
}

// CHECK-LABEL: func.func @subgraphs(
func.func @subgraphs(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // CHECK: tally.cond %{{.*}}(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32>):
  // CHECK-NEXT:   tally.yield
  // CHECK-NEXT: } else {
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    // CHECK: tally.invoke_subgraph @block(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32>
    %b = tally.invoke_subgraph @block(%a) : (tensor<?xf32>) -> tensor<?xf32>
    tally.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func private @block(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  return %x : tensor<?xf32>
}

// Symbols have the types that the table and the values give them.
// CHECK-LABEL: func.func @booleans(
func.func @booleans(%b: i1, %n: index) attributes {tally.symbols = #tally.symbols<s0, b0 : bool, b1 : bool>} {
  // CHECK: tally.check <b0 and s0 <= 3>
  tally.check <b0 and s0 <= 3>
  // CHECK: tally.check <s0 == select(v, s0, n)> (v = %{{.*}}, n = %{{.*}} : i1, index)
  tally.check <s0 == select(v, s0, n)> (v = %b, n = %n : i1, index)
  // CHECK: tally.check <b0 == b1>
  tally.check <b0 == b1>
  // CHECK: tally.check <not b0 or (s0 < 3) == b1>
  tally.check <not b0 or (s0 < 3) == b1>
  // CHECK: tally.size <b0 and b1> : i1
  %0 = tally.size <b0 and b1> : i1
  return
}
