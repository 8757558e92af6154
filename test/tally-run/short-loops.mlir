// Loops of a few elements, a number that is known, are vectors: they are not unrolled before (Optimize.cpp).
// RUN: tally-run %s --compare --entry add7 --input f32[0,7]=random --input f32[0]=random
// RUN: tally-run %s --compare --entry add7 --input f32[1,7]=random --input f32[1]=random
// RUN: tally-run %s --compare --entry add7 --input f32[5,7]=random --input f32[5]=random
// RUN: tally-run %s --compare --entry add7 --input f32[1000,7]=random --input f32[1000]=random
// RUN: tally-run %s --compare --entry add8 --input f32[0,8]=random --input f32[0]=random
// RUN: tally-run %s --compare --entry add8 --input f32[1,8]=random --input f32[1]=random
// RUN: tally-run %s --compare --entry add8 --input f32[5,8]=random --input f32[5]=random
// RUN: tally-run %s --compare --entry add8 --input f32[1000,8]=random --input f32[1000]=random
// RUN: tally-run %s --compare --entry add20 --input f32[0,20]=random --input f32[0]=random
// RUN: tally-run %s --compare --entry add20 --input f32[1,20]=random --input f32[1]=random
// RUN: tally-run %s --compare --entry add20 --input f32[5,20]=random --input f32[5]=random
// RUN: tally-run %s --compare --entry add20 --input f32[1000,20]=random --input f32[1000]=random
// RUN: tally-run %s --compare --entry add33 --input f32[0,33]=random --input f32[0]=random
// RUN: tally-run %s --compare --entry add33 --input f32[1,33]=random --input f32[1]=random
// RUN: tally-run %s --compare --entry add33 --input f32[5,33]=random --input f32[5]=random
// RUN: tally-run %s --compare --entry add33 --input f32[1000,33]=random --input f32[1000]=random

func.func @add7(%x: tensor<?x7xf32>, %y: tensor<?xf32>) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x7xf32>
  %e = tensor.empty(%m) : tensor<?x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x7xf32>, tensor<?xf32>) outs(%e : tensor<?x7xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

func.func @add8(%x: tensor<?x8xf32>, %y: tensor<?xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x8xf32>, tensor<?xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

func.func @add20(%x: tensor<?x20xf32>, %y: tensor<?xf32>) -> tensor<?x20xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x20xf32>
  %e = tensor.empty(%m) : tensor<?x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x20xf32>, tensor<?xf32>) outs(%e : tensor<?x20xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

func.func @add33(%x: tensor<?x33xf32>, %y: tensor<?xf32>) -> tensor<?x33xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x33xf32>
  %e = tensor.empty(%m) : tensor<?x33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x33xf32>, tensor<?xf32>) outs(%e : tensor<?x33xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x33xf32>
  return %r : tensor<?x33xf32>
}
