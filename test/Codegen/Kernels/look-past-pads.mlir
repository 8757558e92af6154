// RUN: tally-opt %s --tally-look-past-pads --canonicalize --split-input-file | FileCheck %s

// A lookup is of the tensor itself, where it has the element, also within loops.
// CHECK-LABEL: func.func @search(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index,
// CHECK-NOT: tensor.insert_slice
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[R:.*]] = arith.cmpi ult, %[[I]], %[[M]]
// CHECK: %[[C:.*]] = arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK: %[[IN:.*]] = arith.andi %[[R]], %[[C]]
// CHECK: scf.if %[[IN]] -> (f32)
// CHECK-NEXT: tensor.extract %[[X]][%[[I]], %{{.*}}]
// CHECK: else
// CHECK-NEXT: scf.yield %cst
func.func @search(%x: tensor<?x?xf32>, %m: index, %n: index, %more: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %e = tensor.empty(%m, %more) : tensor<?x?xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%two : f32) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x?xf32>
  %pad = tensor.insert_slice %x into %f[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %sum = scf.for %k = %c0 to %m step %c1 iter_args(%s = %two) -> (f32) {
    %v = tensor.extract %pad[%k, %i] : tensor<?x?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// -----

// One that is needed as a whole, is not at the start, or is among other elements stays.
// CHECK-LABEL: func.func @stay(
// CHECK-COUNT-3: tensor.insert_slice
func.func @stay(%x: tensor<?xf32>, %n: index, %more: index, %i: index, %others: tensor<?xf32>) -> (f32, f32, f32, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%more) : tensor<?xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %whole = tensor.insert_slice %x into %f[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %behind = tensor.insert_slice %x into %f[1] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %among = tensor.insert_slice %x into %others[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %a = tensor.extract %whole[%i] : tensor<?xf32>
  %b = tensor.extract %behind[%i] : tensor<?xf32>
  %c = tensor.extract %among[%i] : tensor<?xf32>
  return %a, %b, %c, %whole : f32, f32, f32, tensor<?xf32>
}
