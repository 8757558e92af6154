// RUN: split-file %s %t
// RUN: tally-run %t/guards.mlir --cases %t/guards.json | FileCheck %s
// RUN: tally-run %t/twice.mlir --cases %t/twice.json | FileCheck %s --check-prefix=TWICE
// RUN: not tally-run %t/guards.mlir --input f32[]=nan --input f32=1 --input i1=true --input f32[1]=0 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not tally-run %t/guards.mlir --input f32[]=3 --input f32=4.5 --input i1=true --input f32[1]=0 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: tally-run %t/narrow.mlir --cases %t/narrow.json | FileCheck %s --check-prefix=NARROW

// Floats and booleans as symbols, from the named form to the binary. NaN fails
// every guard but a negated one.

// CHECK:      PASS fits
// CHECK-NEXT: PASS too small
// CHECK-NEXT: PASS not a number
// CHECK-NEXT: PASS too large
// CHECK-NEXT: PASS nothing times infinity
// CHECK-NEXT: PASS false and short
// CHECK-NEXT: PASS false and long
// TWICE:      PASS equal
// TWICE-NEXT: PASS NaN is not even itself
// NARROW:      PASS fits
// NARROW-NEXT: PASS too small
// NARROW-NEXT: PASS not a number
// NAN:     zuf0 > 0.5 does not hold: zuf0 = nan (zuf0 = f.item())
// PRODUCT: zf0 * zuf0 <= 8.0 does not hold: 4.5 * 3 = 13.5 (zf0 = g, zuf0 = f.item()); the product is too large

//--- guards.mlir
func.func @main(%f: tensor<f32> {tally.name = "f"}, %g: f32 {tally.name = "g", tally.value = #tally.expr<zf0>},
                %p: i1 {tally.name = "p", tally.value = #tally.expr<b0>},
                %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> (tensor<?xf32>, i64)
    attributes {tally.symbols = #tally.symbols<zf0 : float, zuf0 : unbacked float, b0 : bool, s0>} {
  %v = tally.item %f : tensor<f32> bind #tally.bindings<zuf0 = result(0)>
  tally.check <"zuf0 > 0.5">
  tally.check <"zf0 * zuf0 <= 8.0">, "the product is too large"
  tally.check <"not zf0 == 7.0">
  tally.check <"b0 or s0 > 2">
  %n = tally.size <"to_int(zf0 * 2.0) + s0"> : i64
  %s = tally.size <"zf0 * zuf0"> : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r, %n : tensor<?xf32>, i64
}

//--- guards.json
[{"name": "fits", "inputs": ["f32[]=2", "f32=1.5", "i1=true", "f32[2]=1,2"], "expect": ["f32[2]=3,3", "i64=5"]},
 {"name": "too small", "inputs": ["f32[]=0.5", "f32=1.5", "i1=true", "f32[1]=1"], "raises": "zuf0 = 0.5"},
 {"name": "not a number", "inputs": ["f32[]=nan", "f32=1.5", "i1=true", "f32[1]=1"], "raises": "zuf0 = nan"},
 {"name": "too large", "inputs": ["f32[]=2", "f32=4.5", "i1=true", "f32[1]=1"], "raises": "the product is too large"},
 {"name": "nothing times infinity", "inputs": ["f32[]=inf", "f32=0", "i1=true", "f32[1]=1"], "raises": "the product is too large"},
 {"name": "false and short", "inputs": ["f32[]=1", "f32=1", "i1=false", "f32[2]=1,2"], "raises": "b0 or s0 > 2 does not hold: b0 = false, s0 = 2"},
 {"name": "false and long", "inputs": ["f32[]=1", "f32=-1", "i1=false", "f32[3]=1,2,3"], "expect": ["f32[3]=-1,-1,-1", "i64=1"]}]

//--- twice.mlir
// The same element read twice is equal, unless it is not a number.
func.func @main(%f: tensor<f64> {tally.name = "f"}) -> f64
    attributes {tally.symbols = #tally.symbols<zuf0 : unbacked float, zuf1 : unbacked float>} {
  %v = tally.item %f : tensor<f64> bind #tally.bindings<zuf0 = result(0)>
  %w = tally.item %f : tensor<f64> bind #tally.bindings<zuf1 = result(0)>
  tally.check <zuf0 == zuf1>
  %r = tally.size <"zuf0 + zuf1"> : f64
  return %r : f64
}

//--- twice.json
[{"name": "equal", "inputs": ["f64[]=1.25"], "expect": ["f64=2.5"]},
 {"name": "NaN is not even itself", "inputs": ["f64[]=nan"], "raises": "zuf0 == zuf1 does not hold: zuf0 = nan, zuf1 = nan"}]

//--- narrow.mlir
// A statement may give a name to a float of any width.
func.func @main(%f: f32 {tally.name = "f"}, %h: bf16 {tally.name = "h"}) -> f32 {
  tally.check <"v > 0.1"> (v = %f : f32)
  tally.check <"v > w"> (v = %h, w = %f : bf16, f32)
  return %f : f32
}

//--- narrow.json
[{"name": "fits", "inputs": ["f32=0.75", "bf16=1"], "expect": ["f32=0.75"]},
 {"name": "too small", "inputs": ["f32=0.75", "bf16=0.5"], "raises": "v > w does not hold: v = 0.5, w = 0.75 (v = h, w = f)"},
 {"name": "not a number", "inputs": ["f32=0.75", "bf16=nan"], "raises": "v > w does not hold: v = nan"}]
