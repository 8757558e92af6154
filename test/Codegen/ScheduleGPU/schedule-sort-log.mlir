// The debug log tells how an order is found.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-schedule-sort --debug-only=tally-schedule-sort -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-schedule-sort {{.*}}tally.sort at schedule-sort-log.mlir:[[#@LINE+2]]: rows of up to 32 elements are sorted by a warp, those of up to 4096 by a block, longer ones in 4 passes
func.func @order(%x: memref<?xf32>, %v: memref<?xf32>) {
  tally.sort ins(%x : memref<?xf32>) values(%v : memref<?xf32>) dim 0
  return
}
