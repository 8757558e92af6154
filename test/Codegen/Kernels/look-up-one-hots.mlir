// RUN: tally-opt %s --tally-look-up-one-hots --canonicalize --cse --split-input-file | FileCheck %s

#element = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// What is computed of the element, and whether its class counts, are computed for one element of a row. Classes that are
// ignored are compared in an operation of their own, as are indices.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[MOST:[^:]*]]: tensor<?xf32>, %[[CLASS:[^:]*]]: tensor<?xi64>, %[[START:[^:]*]]: tensor<?xf32>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index
// CHECK-NOT: "reduction"
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[CLASS]], %[[MOST]] : tensor<?xi64>, tensor<?xf32>) outs(%[[START]] : tensor<?xf32>)
// CHECK: ^bb0(%[[KEY:.*]]: i64, %[[A:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = arith.index_cast %[[KEY]] : i64 to index
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[J]], %[[N]]
// CHECK: scf.if %[[IN]] -> (f32)
// CHECK: arith.cmpi ne, %[[KEY]], %c-100_i64
// CHECK: tensor.extract %[[X]][%[[I]], %[[J]]]
// CHECK: arith.subf %{{.*}}, %[[A]]
// CHECK: else
// CHECK: scf.yield %cst
// CHECK: arith.addf %[[OUT]],
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
func.func @loss(%x: tensor<?x?xf32>, %most: tensor<?xf32>, %class: tensor<?xi64>, %start: tensor<?xf32>, %m: index, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %ignored = arith.constant -100 : i64
  %numbers = tensor.empty(%n) : tensor<?xi64>
  %j = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%numbers : tensor<?xi64>) {
  ^bb0(%out: i64):
    %index = linalg.index 0 : index
    %number = arith.index_cast %index : index to i64
    linalg.yield %number : i64
  } -> tensor<?xi64>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %t = arith.subf %in, %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %f = tensor.empty(%m, %n) : tensor<?x?xi1>
  %is = linalg.generic {indexing_maps = [#row, #column, #element], iterator_types = ["parallel", "parallel"]}
      ins(%class, %j : tensor<?xi64>, tensor<?xi64>) outs(%f : tensor<?x?xi1>) {
  ^bb0(%key: i64, %number: i64, %out: i1):
    %counts = arith.cmpi ne, %key, %ignored : i64
    %same = arith.cmpi eq, %number, %key : i64
    %both = arith.andi %counts, %same : i1
    linalg.yield %both : i1
  } -> tensor<?x?xi1>
  %r = linalg.generic {indexing_maps = [#element, #element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%is, %d : tensor<?x?xi1>, tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%flag: i1, %in: f32, %out: f32):
    %term = arith.select %flag, %in, %zero : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Of two dimensions that are summed up, one stays; the index may be of the first one, and the elements integers.
// CHECK-LABEL: func.func @both(
// CHECK: linalg.generic {indexing_maps = [#[[ALL:.*]], #[[NONE:.*]]], iterator_types = ["reduction"]} ins(%{{.*}} : tensor<?xindex>)
// CHECK: %[[C:.*]] = linalg.index 0
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %[[C]]] : tensor<?x?xi32>
// CHECK: arith.addi
func.func @both(%x: tensor<?x?xi32>, %row: tensor<?xindex>, %start: tensor<i32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x, %row : tensor<?x?xi32>, tensor<?xindex>) outs(%start : tensor<i32>) {
  ^bb0(%in: i32, %key: index, %out: i32):
    %i = linalg.index 0 : index
    %is = arith.cmpi eq, %i, %key : index
    %term = arith.select %is, %in, %zero : i32
    %sum = arith.addi %out, %term : i32
    linalg.yield %sum : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}

// -----

// Several elements may count: the key depends on the index; numbers of 8 bits are the same for many indices; what does
// not count is not 0; products are no sums.
// CHECK-LABEL: func.func @stay(
// CHECK-COUNT-4: "reduction"
// CHECK-NOT: tensor.extract
func.func @stay(%x: tensor<?x?xf32>, %keys: tensor<?x?xi64>, %class: tensor<?xi64>, %bytes: tensor<?xi8>, %start: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %keys : tensor<?x?xf32>, tensor<?x?xi64>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %key: i64, %out: f32):
    %j = linalg.index 1 : index
    %number = arith.index_cast %j : index to i64
    %is = arith.cmpi eq, %key, %number : i64
    %term = arith.select %is, %in, %zero : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %bytes : tensor<?x?xf32>, tensor<?xi8>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %key: i8, %out: f32):
    %j = linalg.index 1 : index
    %number = arith.index_cast %j : index to i8
    %is = arith.cmpi eq, %key, %number : i8
    %term = arith.select %is, %in, %zero : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %class : tensor<?x?xf32>, tensor<?xi64>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %key: i64, %out: f32):
    %j = linalg.index 1 : index
    %number = arith.index_cast %j : index to i64
    %is = arith.cmpi eq, %key, %number : i64
    %term = arith.select %is, %in, %one : f32
    %sum = arith.addf %out, %term : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %class : tensor<?x?xf32>, tensor<?xi64>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %key: i64, %out: f32):
    %j = linalg.index 1 : index
    %number = arith.index_cast %j : index to i64
    %is = arith.cmpi eq, %key, %number : i64
    %term = arith.select %is, %in, %zero : f32
    %product = arith.mulf %out, %term : f32
    linalg.yield %product : f32
  } -> tensor<?xf32>
  return %a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
