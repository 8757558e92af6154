// RUN: tally-opt %s --tally-split-concats --canonicalize --cse --split-input-file | FileCheck %s

// A rotary embedding: what is multiplied with the cosine, which only the sum reads, is split as well, and so is what
// reads the sum. The negated half is a part.
// CHECK-LABEL: func.func @rotary(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[COS:[^:]*]]: tensor<64xf32>, %[[SIN:[^:]*]]: tensor<64xf32>
// CHECK-DAG: %[[HIGH:.*]] = tensor.extract_slice %[[X]][0, 32] [%{{.*}}, 32] [1, 1]
// CHECK-DAG: %[[LOW:.*]] = tensor.extract_slice %[[X]][0, 0] [%{{.*}}, 32] [1, 1]
// CHECK-DAG: %[[NEG:.*]] = linalg.generic {{.*}} ins(%[[HIGH]] :
// CHECK-DAG: %[[C0:.*]] = tensor.extract_slice %[[COS]][0] [32] [1]
// CHECK-DAG: %[[C1:.*]] = tensor.extract_slice %[[COS]][32] [32] [1]
// CHECK-DAG: %[[P0:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[C0]] :
// CHECK-DAG: %[[P1:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[C1]] :
// CHECK-DAG: %[[S0:.*]] = tensor.extract_slice %[[SIN]][0] [32] [1]
// CHECK-DAG: %[[S1:.*]] = tensor.extract_slice %[[SIN]][32] [32] [1]
// CHECK-DAG: %[[R0:.*]] = linalg.generic {{.*}} ins(%[[P0]], %[[NEG]], %[[S0]] :
// CHECK-DAG: %[[R1:.*]] = linalg.generic {{.*}} ins(%[[P1]], %[[LOW]], %[[S1]] :
// CHECK: %[[T0:.*]] = linalg.generic {{.*}} ins(%[[R0]] :
// CHECK: %[[T1:.*]] = linalg.generic {{.*}} ins(%[[R1]] :
// CHECK: %[[R:.*]] = tensor.concat dim(1) %[[T0]], %[[T1]]
// CHECK: return %[[R]]
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @rotary(%x: tensor<?x64xf32>, %cos: tensor<64xf32>, %sin: tensor<64xf32>, %m: index) -> tensor<?x64xf32> {
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %h = tensor.empty(%m) : tensor<?x32xf32>
  %high = tensor.extract_slice %x[0, 32] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %low = tensor.extract_slice %x[0, 0] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cos : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x64xf32>
  %negated = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%high : tensor<?x32xf32>) outs(%h : tensor<?x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?x32xf32>
  %c = tensor.concat dim(1) %negated, %low : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %c, %sin : tensor<?x64xf32>, tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %out: f32):
    %t = arith.mulf %b, %s : f32
    %u = arith.addf %a, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x64xf32>
  %root = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = math.sqrt %a : f32
    linalg.yield %t : f32
  } -> tensor<?x64xf32>
  return %root : tensor<?x64xf32>
}

// -----

// Indices start where the part does; a result may lie in another order, and be needed as a whole as well.
// CHECK-LABEL: func.func @indices(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xi64>, %[[Y:[^:]*]]: tensor<?x?xi64>
// CHECK: %[[M:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[R0:.*]] = linalg.generic {{.*}} ins(%[[X]] :
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK-NOT: arith.addi %[[I]], %[[M]]
// CHECK: %[[R1:.*]] = linalg.generic {{.*}} ins(%[[Y]] :
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: arith.addi %[[I]], %[[M]]
// CHECK: %[[R:.*]] = tensor.concat dim(1) %[[R0]], %[[R1]]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ["parallel", "reduction"]} ins(%[[R]] :
// CHECK: return %[[R]], %[[S]]
func.func @indices(%x: tensor<?x?xi64>, %y: tensor<?x?xi64>, %e: tensor<?x?xi64>, %s: tensor<?xi64>) -> (tensor<?x?xi64>, tensor<?xi64>) {
  %c = tensor.concat dim(0) %x, %y : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<?x?xi64>) outs(%e : tensor<?x?xi64>) {
  ^bb0(%a: i64, %out: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %t = arith.addi %a, %n : i64
    linalg.yield %t : i64
  } -> tensor<?x?xi64>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%r : tensor<?x?xi64>) outs(%s : tensor<?xi64>) {
  ^bb0(%a: i64, %out: i64):
    %t = arith.addi %a, %out : i64
    linalg.yield %t : i64
  } -> tensor<?xi64>
  return %r, %sum : tensor<?x?xi64>, tensor<?xi64>
}

// -----

// One that is needed as a whole, and one of many parts, stay; so does a reader that takes the dimension in two orders.
// CHECK-LABEL: func.func @stay(
// CHECK-COUNT-3: tensor.concat
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
func.func @stay(%x: tensor<?xf32>, %y: tensor<?xf32>, %square: tensor<?x?xf32>, %e: tensor<?xf32>, %ee: tensor<?x?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %whole = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %many = tensor.concat dim(0) %x, %y, %x, %y, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %both = tensor.concat dim(0) %square, %square : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%whole : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%many : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%both, %both : tensor<?x?xf32>, tensor<?x?xf32>) outs(%ee : tensor<?x?xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %t = arith.addf %v, %w : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %whole, %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}
