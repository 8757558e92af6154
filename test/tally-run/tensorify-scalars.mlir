// RUN: split-file %s %t
// RUN: tally-run %t/main.mlir --cases %t/main.json | FileCheck %s
// RUN: tally-opt %t/main.mlir --pass-pipeline="builtin.module(tally-check-pipeline,tally-tensorify-scalars,tally-verify-form)" -o %t/checked.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file %t/checked.mlir
// RUN: tally-run %t/checked.mlir --cases %t/main.json | FileCheck %s

// Floats that are computed in tensors have the same bits.

// CHECK:      PASS thirds
// CHECK-NEXT: PASS infinity
// CHECK-NEXT: PASS empty
// IR-NOT: tally.item %arg0
// IR:     tally.item %arg1
// IR-NOT: tally.item %arg0

//--- main.mlir
func.func @main(%f: tensor<f32> {tally.name = "f"}, %g: tensor<1xf64> {tally.name = "g"}, %x: tensor<?xf32> {tally.name = "x"})
    -> (tensor<?xf32>, tensor<f32>)
    attributes {tally.symbols = #tally.symbols<zuf0 : unbacked float, zuf1 : unbacked float>} {
  %v = tally.item %f : tensor<f32> bind #tally.bindings<zuf0 = result(0)>
  %w = tally.item %g : tensor<1xf64> bind #tally.bindings<zuf1 = result(0)>
  tally.check <"zuf1 > 0.0">
  %s = tally.size <"zuf0 * 3.0 + 0.1"> : f32
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.truncf %w : f64 to f32
    %1 = arith.mulf %in, %s : f32
    %2 = arith.addf %1, %n : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %e = math.sqrt %v : f32
  %h = tensor.from_elements %e : tensor<f32>
  return %r, %h : tensor<?xf32>, tensor<f32>
}

//--- main.json
[{"name": "thirds", "inputs": ["f32[]=0.333333343", "f64[1]=0.5", "f32[3]=1,2,-8"], "expect": ["f32[3]=1.6,2.7,-8.3", "f32[]=0.577350272"]},
 {"name": "infinity", "inputs": ["f32[]=inf", "f64[1]=1", "f32[2]=1,-1"], "expect": ["f32[2]=inf,-inf", "f32[]=inf"]},
 {"name": "empty", "inputs": ["f32[]=4", "f64[1]=1", "f32[0]="], "expect": ["f32[0]=", "f32[]=2"]}]
