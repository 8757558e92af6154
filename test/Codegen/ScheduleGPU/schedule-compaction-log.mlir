// The debug log tells how each of the two operations runs.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-schedule-compaction --debug-only=tally-schedule-compaction -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-schedule-compaction {{.*}}tally.count_nonzero at schedule-compaction-log.mlir:[[#@LINE+3]]: tiles of 1024 elements are counted by a warp each, and summed up by one block
// CHECK: [tally-schedule-compaction {{.*}}tally.write_nonzero at schedule-compaction-log.mlir:[[#@LINE+3]]: tiles of 1024 elements are written by a warp each
func.func @compact(%x: memref<?xf32>, %before: memref<?xi64>, %rows: memref<?x1xi64>) {
  tally.count_nonzero ins(%x : memref<?xf32>) outs(%before : memref<?xi64>) tile 1024
  tally.write_nonzero ins(%x, %before : memref<?xf32>, memref<?xi64>) outs(%rows : memref<?x1xi64>) tile 1024
  return
}
