// What is fused beyond what upstream's pass fuses; test/Hazards/elementwise-fusion.mlir
// has what must not be.
// RUN: tally-opt %s --tally-fuse-elementwise | FileCheck %s

// The sum has the rank of the column that is written: what is collapsed and
// expanded has a size of a result, which is no use of its elements.

// CHECK-LABEL: func.func @size_of_a_result(
// CHECK:         linalg.generic
// CHECK:           arith.sitofp
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @size_of_a_result(%numbers: tensor<?x1xi64>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %empty = tensor.empty(%n) : tensor<?xf32>
  %flat = tensor.collapse_shape %numbers [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : tensor<?xi64>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %f = arith.sitofp %in : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%floats, %y : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// The cosine of a row is not computed again for each of its rows; that of a
// column is the same for all of a row, and is computed before it.

// CHECK-LABEL: func.func @rows(
// CHECK:         linalg.generic
// CHECK:           math.cos
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.mulf
// CHECK-NOT:     linalg.generic
func.func @rows(%x: tensor<?x?xf32>, %row: tensor<?xf32>, %column: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %ofRow = tensor.empty(%n) : tensor<?xf32>
  %ofColumn = tensor.empty(%m) : tensor<?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%row : tensor<?xf32>) outs(%ofRow : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.cos %in : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%column : tensor<?xf32>) outs(%ofColumn : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.exp %in : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cos, %exp : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// One of one row is fused: nothing is computed again.
// CHECK-LABEL: func.func @one_row(
// CHECK:         math.cos
// CHECK-NEXT:    arith.mulf
func.func @one_row(%x: tensor<1x?xf32>, %row: tensor<?xf32>) -> tensor<1x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<1x?xf32>
  %ofRow = tensor.empty(%n) : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<1x?xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%row : tensor<?xf32>) outs(%ofRow : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %f = math.cos %in : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cos : tensor<1x?xf32>, tensor<?xf32>) outs(%empty : tensor<1x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<1x?xf32>
  return %r : tensor<1x?xf32>
}

// The place of the least element of all is one of a row: schedules know no
// places in several dimensions.

// CHECK-LABEL: func.func @place_in_all(
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[ROW]] :
func.func @place_in_all(%x: tensor<?x?xf32>, %least: tensor<f32>, %place: tensor<index>) -> tensor<index> {
  %row = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %found:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%row : tensor<?xf32>) outs(%least, %place : tensor<f32>, tensor<index>) {
  ^bb0(%in: f32, %best: f32, %at: index):
    %i = linalg.index 0 : index
    %less = arith.cmpf olt, %in, %best : f32
    %value = arith.select %less, %in, %best : f32
    %index = arith.select %less, %i, %at : index
    linalg.yield %value, %index : f32, index
  } -> (tensor<f32>, tensor<index>)
  return %found#1 : tensor<index>
}

// A difference from something of each row, which two operations need, is
// computed by both: they read what they would read of it, and nothing is stored.

// CHECK-LABEL: func.func @for_each_user(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[MAX:.*]]: tensor<?xf32>,
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[MAX]] :
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[MAX]], %{{.*}} :
// CHECK:           arith.subf
// CHECK-NEXT:      arith.subf
// CHECK-NOT:     linalg.generic
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @for_each_user(%x: tensor<?x?xf32>, %max: tensor<?xf32>, %zeros: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %e = math.exp %a : f32
    %s = arith.addf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%d, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The sum of two tensors is computed once: each user would read both.

// CHECK-LABEL: func.func @once(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x?xf32>,
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK:           math.exp
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]],
// CHECK:           arith.subf
func.func @once(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %zeros: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %e = math.exp %a : f32
    %s = arith.addf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%d, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What has elements of twice the bytes, a function, and what is returned too are
// computed once.

// CHECK-LABEL: func.func @once_as_well(
// CHECK:         %[[NARROW:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.truncf
// CHECK:         %[[ROOT:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      math.sqrt
// CHECK:         %[[NEGATED:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.negf
// CHECK:         linalg.generic {{.*}} ins(%[[NARROW]], %[[ROOT]], %[[NEGATED]] :
// CHECK:         linalg.generic {{.*}} ins(%[[NARROW]], %[[ROOT]], %[[NEGATED]] :
// CHECK:         return %{{.*}}, %{{.*}}, %[[NEGATED]]
#one = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @once_as_well(%x: tensor<?xf64>, %y: tensor<?xf32>, %zero: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %narrow = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf64>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f64, %out: f32):
    %s = arith.truncf %a : f64 to f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %root = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.sqrt %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %negated = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#one, #one, #one, #none], iterator_types = ["reduction"]}
      ins(%narrow, %root, %negated : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %p = arith.addf %a, %b : f32
    %q = arith.addf %p, %c : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %max = linalg.generic {indexing_maps = [#one, #one, #one, #none], iterator_types = ["reduction"]}
      ins(%narrow, %root, %negated : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %p = arith.maximumf %a, %b : f32
    %q = arith.maximumf %p, %c : f32
    %s = arith.maximumf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum, %max, %negated : tensor<f32>, tensor<f32>, tensor<?xf32>
}
