// Counts of tiles of 32 elements: a few elements have more tiles than the block that sums
// them up takes at once.
func.func @main(%x: memref<?xf32>) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %tiles = arith.ceildivui %n, %c32 : index
  %length = arith.addi %tiles, %c1 : index
  %before = memref.alloc(%length) : memref<?xi64>
  tally.count_nonzero ins(%x : memref<?xf32>) outs(%before : memref<?xi64>) tile 32
  return %before : memref<?xi64>
}
