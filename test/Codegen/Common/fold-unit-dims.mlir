// RUN: tally-opt %s --tally-fold-unit-dims --split-input-file | FileCheck %s
// RUN: tally-opt %s --tally-fold-unit-dims=keep-pieces --split-input-file | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @column(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
func.func @column(%x: tensor<?x1xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// -----

// One window of three of four elements: it is no longer for the loop that is left out.
// CHECK-LABEL: func.func @window(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<3xf32>)
func.func @window(%x: tensor<?x4xf32>, %w: tensor<3xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j * 2 + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x4xf32>, tensor<3xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %u: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// -----

// The only column of what becomes a column of a narrow tensor stays one, if it is asked
// for; not that of a wide one, nor one that is used elsewhere as well.
// CHECK-LABEL: func.func @pieces(
// CHECK-COUNT-3: iterator_types = ["parallel"]
// KEEP-LABEL: func.func @pieces(
// KEEP: iterator_types = ["parallel", "parallel"]
// KEEP-COUNT-2: iterator_types = ["parallel"]
func.func @pieces(%x: tensor<?x1xf32>, %n: index, %narrow: tensor<?x2xf32>, %wide: tensor<?x9xf32>) -> (tensor<?x2xf32>, tensor<?x9xf32>, tensor<?x1xf32>) {
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  %first = tensor.insert_slice %a into %narrow[0, 1] [%n, 1] [1, 1] : tensor<?x1xf32> into tensor<?x2xf32>
  %both = tensor.insert_slice %c into %first[0, 0] [%n, 1] [1, 1] : tensor<?x1xf32> into tensor<?x2xf32>
  %other = tensor.insert_slice %b into %wide[0, 1] [%n, 1] [1, 1] : tensor<?x1xf32> into tensor<?x9xf32>
  return %both, %other, %c : tensor<?x2xf32>, tensor<?x9xf32>, tensor<?x1xf32>
}

// -----

// A dimension of one element goes as it came, though not with the one that it came with.
// CHECK-LABEL: func.func @there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
// CHECK-NEXT: return %[[X]]
func.func @there_and_back(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 1, %n] : tensor<?x?xf32> into tensor<?x1x?xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<?x1x?xf32> into tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// What is divided and joined with others is another tensor.
// CHECK-LABEL: func.func @divided(
// CHECK: tensor.expand_shape
// CHECK: tensor.collapse_shape
func.func @divided(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 2, %n] : tensor<?x?xf32> into tensor<?x2x?xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<?x2x?xf32> into tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
