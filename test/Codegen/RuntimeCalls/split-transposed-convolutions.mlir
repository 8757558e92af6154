// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-split-transposed-convolutions),canonicalize,cse)' --split-input-file | FileCheck %s

// A stride of 2, windows of 3 and groups: results at even places have one
// element of the window, those at odd ones have two, of which the last one
// reads behind the input.
// CHECK-DAG: #[[MORE:.*]] = affine_map<()[s0] -> (s0 + 1)>
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4x?xf16>, %[[W:[^:]*]]: tensor<2x3x2x3xf16>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<?x2x3x?xf32>)
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2], [3]]
// CHECK: %[[SIZE:.*]] = affine.apply #[[MORE]]
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[SPLIT]] into %{{.*}}[0, 0, 0, 0]
// CHECK: %[[X0:.*]] = tensor.extract_slice %[[PADDED]][0, 0, 0, 0] [%{{.*}}, 2, 2, %[[N:.*]]] [1, 1, 1, 1]
// CHECK: %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0, 0, 1] [2, 3, 2, 1] [1, 1, 1, 2]
// CHECK: %[[R0:.*]] = linalg.generic {{.*}} ins(%[[X0]], %[[W0]] : tensor<?x2x2x?xf16>, tensor<2x3x2x1xf16>)
// CHECK: %[[I0:.*]] = tensor.insert_slice %[[R0]] into %[[ZEROS]][0, 0, 0, 0] [%{{.*}}, 2, 3, %[[N]]] [1, 1, 1, 2]
// CHECK: %[[X1:.*]] = tensor.extract_slice %[[PADDED]][0, 0, 0, 0] [%{{.*}}, 2, 2, %[[SIZE]]] [1, 1, 1, 1]
// CHECK: %[[W1:.*]] = tensor.extract_slice %[[W]][0, 0, 0, 0] [2, 3, 2, 2] [1, 1, 1, 2]
// CHECK: %[[R1:.*]] = linalg.generic {{.*}} ins(%[[X1]], %[[W1]] : tensor<?x2x2x?xf16>, tensor<2x3x2x2xf16>)
// CHECK: %[[I1:.*]] = tensor.insert_slice %[[R1]] into %[[I0]][0, 0, 0, 1] [%{{.*}}, 2, 3, %[[N]]] [1, 1, 1, 2]
// CHECK: return %[[I1]]
func.func @groups(%x: tensor<?x4x?xf16>, %w: tensor<2x3x2x3xf16>) -> tensor<?x2x3x?xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x?xf16>
  %l = tensor.dim %x, %c2 : tensor<?x4x?xf16>
  %double = arith.muli %l, %c2 : index
  %wide = arith.addi %double, %c4 : index
  %cut = arith.addi %double, %c2 : index
  %p = tensor.empty(%n, %wide) : tensor<?x4x?xf16>
  %z = linalg.fill ins(%half : f16) outs(%p : tensor<?x4x?xf16>) -> tensor<?x4x?xf16>
  %i = tensor.insert_slice %x into %z[0, 0, 2] [%n, 4, %l] [1, 1, 2] : tensor<?x4x?xf16> into tensor<?x4x?xf16>
  %s = tensor.extract_slice %i[0, 0, 1] [%n, 4, %cut] [1, 1, 1] : tensor<?x4x?xf16> to tensor<?x4x?xf16>
  %g = tensor.expand_shape %s [[0], [1, 2], [3]] output_shape [%n, 2, 2, %cut] : tensor<?x4x?xf16> into tensor<?x2x2x?xf16>
  %e = tensor.empty(%n, %double) : tensor<?x2x3x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2x3x?xf32>) -> tensor<?x2x3x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, g, o, x, c, i) -> (n, g, c, x + i)>, affine_map<(n, g, o, x, c, i) -> (g, o, c, i)>, affine_map<(n, g, o, x, c, i) -> (n, g, o, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %w : tensor<?x2x2x?xf16>, tensor<2x3x2x3xf16>) outs(%f : tensor<?x2x3x?xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %m = arith.mulf %c, %d : f32
    %t = arith.addf %sum, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x2x3x?xf32>
  return %r : tensor<?x2x3x?xf32>
}

// -----

// Neither where there are no zeros between elements, nor where they are further
// apart than 4, nor where elements of a window are apart.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.conv_1d_ncw_fcw
// CHECK-NOT: linalg.generic
func.func @others(%x: tensor<1x2x5xf32>, %w: tensor<3x2x2xf32>, %e0: tensor<1x3x6xf32>, %e1: tensor<1x3x26xf32>, %e2: tensor<1x3x9xf32>)
    -> (tensor<1x3x6xf32>, tensor<1x3x26xf32>, tensor<1x3x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %p0 = tensor.empty() : tensor<1x2x7xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %i0 = tensor.insert_slice %x into %z0[0, 0, 1] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<1x2x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x3x6xf32>) -> tensor<1x3x6xf32>
  %r0 = linalg.conv_1d_ncw_fcw ins(%i0, %w : tensor<1x2x7xf32>, tensor<3x2x2xf32>) outs(%f0 : tensor<1x3x6xf32>) -> tensor<1x3x6xf32>
  %p1 = tensor.empty() : tensor<1x2x27xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%p1 : tensor<1x2x27xf32>) -> tensor<1x2x27xf32>
  %i1 = tensor.insert_slice %x into %z1[0, 0, 1] [1, 2, 5] [1, 1, 5] : tensor<1x2x5xf32> into tensor<1x2x27xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x3x26xf32>) -> tensor<1x3x26xf32>
  %r1 = linalg.conv_1d_ncw_fcw ins(%i1, %w : tensor<1x2x27xf32>, tensor<3x2x2xf32>) outs(%f1 : tensor<1x3x26xf32>) -> tensor<1x3x26xf32>
  %p2 = tensor.empty() : tensor<1x2x11xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%p2 : tensor<1x2x11xf32>) -> tensor<1x2x11xf32>
  %i2 = tensor.insert_slice %x into %z2[0, 0, 1] [1, 2, 5] [1, 1, 2] : tensor<1x2x5xf32> into tensor<1x2x11xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x3x9xf32>) -> tensor<1x3x9xf32>
  %r2 = linalg.conv_1d_ncw_fcw {dilations = dense<2> : tensor<1xi64>} ins(%i2, %w : tensor<1x2x11xf32>, tensor<3x2x2xf32>) outs(%f2 : tensor<1x3x9xf32>) -> tensor<1x3x9xf32>
  return %r0, %r1, %r2 : tensor<1x3x6xf32>, tensor<1x3x26xf32>, tensor<1x3x9xf32>
}

// -----

// Where nothing tells how many results there are, their number says how many of
// each remainder there are, and how many zeros are read behind the input.
// CHECK-DAG: #[[EVEN:.*]] = affine_map<()[s0] -> (s0 ceildiv 2)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<()[s0] -> ((s0 - 1) ceildiv 2)>
// CHECK-DAG: #[[READ:.*]] = affine_map<()[s0, s1] -> (s0 ceildiv 2, (s0 - 1) ceildiv 2, s1)>
// CHECK-LABEL: func.func @any_size
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x2x?xf32>, %[[W:[^:]*]]: tensor<3x2x2xf32>, %[[E:[^:]*]]: tensor<1x3x?xf32>
// CHECK-DAG: %[[K:.*]] = tensor.dim %[[X]]
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[E]]
// CHECK: %[[SIZE:.*]] = affine.max #[[READ]]()[%[[N]], %[[K]]]
// CHECK: tensor.empty(%[[SIZE]]) : tensor<1x2x?xf32>
// CHECK: %[[N0:.*]] = affine.apply #[[EVEN]]()[%[[N]]]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [1, 3, %[[N0]]] [1, 1, 2]
// CHECK: %[[N1:.*]] = affine.apply #[[ODD]]()[%[[N]]]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 1] [1, 3, %[[N1]]] [1, 1, 2]
func.func @any_size(%y: tensor<1x2x?xf32>, %w: tensor<3x2x2xf32>, %e3: tensor<1x3x?xf32>) -> tensor<1x3x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = tensor.dim %e3, %c2 : tensor<1x3x?xf32>
  %k = tensor.dim %y, %c2 : tensor<1x2x?xf32>
  %more = arith.addi %l, %c1 : index
  %p3 = tensor.empty(%more) : tensor<1x2x?xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%p3 : tensor<1x2x?xf32>) -> tensor<1x2x?xf32>
  %i3 = tensor.insert_slice %y into %z3[0, 0, 1] [1, 2, %k] [1, 1, 2] : tensor<1x2x?xf32> into tensor<1x2x?xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x3x?xf32>) -> tensor<1x3x?xf32>
  %r3 = linalg.conv_1d_ncw_fcw ins(%i3, %w : tensor<1x2x?xf32>, tensor<3x2x2xf32>) outs(%f3 : tensor<1x3x?xf32>) -> tensor<1x3x?xf32>
  return %r3 : tensor<1x3x?xf32>
}
