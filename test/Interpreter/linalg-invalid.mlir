// Buffers, indices beyond 64 bits, and tiles that do not fit.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} fill_buffer --input f32=1 | FileCheck %s --check-prefix=FILL-BUFFER
// RUN: %{refuse} materialize --input 'f32[4]=1' | FileCheck %s --check-prefix=MATERIALIZE
// RUN: %{refuse} far --input 'f32[4]=1' --input 'f32[2,2]=1' | FileCheck %s --check-prefix=FAR
// RUN: %{refuse} tile --input 'f32[4]=1' --input 'f32[2,2]=1' --input i64=0 | FileCheck %s --check-prefix=TILE
// RUN: %{refuse} tile --input 'f32[4]=1' --input 'f32[2,2]=1' --input i64=3 | FileCheck %s --check-prefix=TILE-2
// RUN: %{refuse} tile --input 'f32[4]=1' --input 'f32[3,2]=1' --input i64=2 | FileCheck %s --check-prefix=TILE-3
// RUN: %{refuse} padded --input 'f32[4]=1' --input 'f32[3,2]=1' --input i64=2 | FileCheck %s --check-prefix=PADDED
// RUN: %{refuse} unpack --input 'f32[3,2]=1' --input 'f32[8]=1' --input i64=2 | FileCheck %s --check-prefix=UNPACK

// FILL-BUFFER: tally-run: {{.*}}linalg-invalid.mlir:[[#@LINE+3]]:3: the interpreter runs this on tensors only
func.func @fill_buffer(%x: f32) -> f32 {
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  return %x : f32
}

// MATERIALIZE: tally-run: {{.*}}linalg-invalid.mlir:[[#@LINE+3]]:3: the interpreter runs this on tensors only
func.func @materialize(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  bufferization.materialize_in_destination %x in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return %x : tensor<4xf32>
}

// FAR: tally-run: check failed: {{.*}}linalg-invalid.mlir:[[#@LINE+2]]:8: an index has no value in 64 bits; needed by linalg.generic
func.func @far(%x: tensor<?xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 9223372036854775807 + (d0 mod 2) * 9223372036854775807 + d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// TILE: tally-run: check failed: {{.*}}linalg-invalid.mlir:[[#@LINE+4]]:8: 1 <= 0 does not hold; the size of a tile; needed by linalg.pack
// TILE-2: tally-run: check failed: {{.*}}linalg-invalid.mlir:[[#@LINE+3]]:8: 2 == 3 does not hold; the size of a tile; needed by linalg.pack
// TILE-3: tally-run: check failed: {{.*}}linalg-invalid.mlir:[[#@LINE+2]]:8: 4 == 6 does not hold; the elements of the tiles; needed by linalg.pack
func.func @tile(%x: tensor<?xf32>, %d: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %r = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %d : tensor<?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// PADDED: tally-run: check failed: {{.*}}linalg-invalid.mlir:[[#@LINE+3]]:8: 2 == 3 does not hold; the number of tiles; needed by linalg.pack
func.func @padded(%x: tensor<?xf32>, %d: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [%n] into %d : tensor<?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// UNPACK: tally-run: check failed: {{.*}}linalg-invalid.mlir:[[#@LINE+2]]:8: 8 <= 6 does not hold; the elements of the tiles; needed by linalg.unpack
func.func @unpack(%x: tensor<?x?xf32>, %d: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [%n] into %d : tensor<?x?xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
