// The second carry becomes the first one, and their sum the second one: what
// belongs to whom is told by flags and pointers. What the loop starts with is
// the caller's, and stays as it is.
// DEFINE: %{run} = tally-run %s --interpret=gpu --call-time
// RUN: %{run} --input 'f32[3]=1,2,3' --input f32=20 --expect 'f32[3]=3,6,9' --expect 'f32[3]=5,10,15' --expect 'f32[3]=1,2,3' | FileCheck %s
// RUN: %{run} --input 'f32[3]=1,2,3' --input f32=20 --seed 4 --expect 'f32[3]=3,6,9' --expect 'f32[3]=5,10,15' --expect 'f32[3]=1,2,3' | FileCheck %s
// RUN: %{run} --input 'f32[3]=1,2,3' --input f32=0 --expect 'f32[3]=1,2,3' --expect 'f32[3]=1,2,3' --expect 'f32[3]=1,2,3' | FileCheck %s
// RUN: %{run} --input 'f32[1]=1' --input f32=1 --expect 'f32[1]=1' --expect 'f32[1]=2' --expect 'f32[1]=1' | FileCheck %s
// RUN: %{run} --input 'f32[700]=1' --input f32=1000 --expect 'f32[700]=1' --expect 'f32[700]=2' --expect 'f32[700]=1' | FileCheck %s

// CHECK: launch: main_while x 1

#id = affine_map<(i) -> (i)>
#sum = affine_map<(i) -> ()>
func.func @main(%x: tensor<?xf32>, %limit: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r:2 = scf.while (%a = %x, %b = %x) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %sum = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
        ins(%b : tensor<?xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%e: f32, %s: f32):
      %t = arith.addf %s, %e : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    %s = tensor.extract %sum[] : tensor<f32>
    %l = tensor.extract %limit[] : tensor<f32>
    %p = arith.cmpf ole, %s, %l : f32
    scf.condition(%p) %a, %b : tensor<?xf32>, tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %e = tensor.empty(%n) : tensor<?xf32>
    %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %w: f32, %unused: f32):
      %t = arith.addf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    scf.yield %b, %both : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
