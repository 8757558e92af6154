// What operations of linalg that have no indexing maps require, and transfers of
// vectors.
// RUN: tally-opt %s --tally-propagate-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK: tally.check <s0 == s2> required_by("linalg.softmax")
// CHECK: tally.check <s1 == s3> required_by("linalg.softmax")
func.func @softmax(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Tiles are full where nothing pads them; each outer size is found through the
// permutation.
// CHECK-LABEL: func.func @pack(
// CHECK: tally.check <1 <= arg2> (arg2 = %arg2 : index) required_by("linalg.pack")
// CHECK: tally.check <s4 == arg2> (arg2 = %arg2 : index) required_by("linalg.pack")
// CHECK: tally.check <s0 == s3 * arg2> (arg2 = %arg2 : index) required_by("linalg.pack")
// CHECK: tally.check <s1 == 16 * s2> required_by("linalg.pack")
func.func @pack(%x: tensor<?x?xf32>, %o: tensor<?x?x?x16xf32>, %tile: index) -> tensor<?x?x?x16xf32> {
  %r = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [%tile, 16]
      into %o : tensor<?x?xf32> -> tensor<?x?x?x16xf32>
  return %r : tensor<?x?x?x16xf32>
}

// -----

// CHECK-LABEL: func.func @pack_padded(
// CHECK: tally.check <s0 ceildiv 8 == s2> required_by("linalg.pack")
// CHECK: tally.check <s1 == s3> required_by("linalg.pack")
func.func @pack_padded(%x: tensor<?x?xf32>, %o: tensor<?x?x8xf32>, %f: f32) -> tensor<?x?x8xf32> {
  %r = linalg.pack %x padding_value(%f : f32) inner_dims_pos = [0] inner_tiles = [8]
      into %o : tensor<?x?xf32> -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// -----

// Unpacking may leave out what was padding.
// CHECK-LABEL: func.func @unpack(
// CHECK: tally.check <s2 <= 8 * s0> required_by("linalg.unpack")
// CHECK: tally.check <s3 == s1> required_by("linalg.unpack")
func.func @unpack(%x: tensor<?x?x8xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<?x?x8xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A remainder of what does not start at zero: all of them, or a run.
// CHECK-LABEL: func.func @remainders(
// CHECK: tally.check <s1 == 0 or {{.*}}select((s1 + 4) floordiv 8 == 0, (s1 + 4) mod 8, 7) < s0> required_by("linalg.generic")
func.func @remainders(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ((i + 5) mod 8)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @transfers(
func.func @transfers(%x: tensor<?x?xf32>, %i: index, %j: index, %f: f32, %mask: vector<4xi1>) -> tensor<?x?xf32> {
  // CHECK: tally.check <0 <= arg1 < s0> (arg1 = %arg1 : index) required_by("vector.transfer_read")
  // CHECK: tally.check <0 <= arg2 and arg2 + 4 <= s1> (arg2 = %arg2 : index) required_by("vector.transfer_read")
  // CHECK-NEXT: vector.transfer_read
  %a = vector.transfer_read %x[%i, %j], %f {in_bounds = [true]} : tensor<?x?xf32>, vector<4xf32>
  // What is beyond the end, or masked out, is not read.
  // CHECK-NOT: tally.check
  %b = vector.transfer_read %x[%i, %j], %f : tensor<?x?xf32>, vector<64xf32>
  %c = vector.transfer_read %x[%i, %j], %f, %mask {in_bounds = [true]} : tensor<?x?xf32>, vector<4xf32>
  // CHECK: tally.check <0 <= arg2 and arg2 + 8 <= s0> (arg2 = %arg2 : index) required_by("vector.transfer_write")
  %wide = vector.broadcast %f : f32 to vector<8xf32>
  %r = vector.transfer_write %wide, %x[%j, %i] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<8xf32>, tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @ranks(
func.func @ranks(%x: tensor<?x?xf32>, %u: tensor<*xf32>) -> tensor<4x?xf32> {
  %0 = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>
  // CHECK: tally.check <s0 == 4> required_by("tensor.cast")
  %1 = tensor.cast %0 : tensor<*xf32> to tensor<4x?xf32>
  // CHECK: tally.check <false>, "a tensor of rank 1, and this one has rank 2" required_by("tensor.cast")
  %2 = tensor.cast %0 : tensor<*xf32> to tensor<?xf32>
  // CHECK-NOT: tally.check
  %3 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
  return %1 : tensor<4x?xf32>
}
