// A reduction over nothing whose body does not read its init. One of its results
// may be the argument, which nobody may write to, so nothing is done in place.
// RUN: split-file %s %t
// RUN: tally-run %t/main.mlir --cases %t/cases.json | FileCheck %s

// CHECK: PASS nothing
// CHECK: PASS one
// CHECK: PASS nothing, the other branch
// CHECK: PASS two
//--- main.mlir
func.func @main(%x: tensor<?xi32>, %y: tensor<f32>, %p: i1) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %three = arith.constant 3.0 : f32
  %s:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xi32>) outs(%y, %y : tensor<f32>, tensor<f32>) {
  ^bb0(%in: i32, %a: f32, %b: f32):
    %1 = arith.addf %a, %a : f32
    linalg.yield %a, %1 : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %r = scf.if %p -> tensor<f32> {
    scf.yield %s#1 : tensor<f32>
  } else {
    scf.yield %y : tensor<f32>
  }
  %t = tensor.insert %three into %s#1[] : tensor<f32>
  return %r, %s#1, %t : tensor<f32>, tensor<f32>, tensor<f32>
}
//--- cases.json
[
 {"name": "nothing", "inputs": ["i32[0]=", "f32[]=2", "i1=true"], "expect": ["f32[]=2", "f32[]=2", "f32[]=3"]},
 {"name": "one", "inputs": ["i32[1]=7", "f32[]=2", "i1=true"], "expect": ["f32[]=4", "f32[]=4", "f32[]=3"]},
 {"name": "nothing, the other branch", "inputs": ["i32[0]=", "f32[]=2", "i1=false"], "expect": ["f32[]=2", "f32[]=2", "f32[]=3"]},
 {"name": "two", "inputs": ["i32[2]=7,7", "f32[]=2", "i1=false"], "expect": ["f32[]=2", "f32[]=4", "f32[]=3"]}
]
