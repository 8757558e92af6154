// Scans that the interpreter does not run, and divisors that are 0.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: %{refuse} divides --input 'i32[4]=4,2,0,1' | FileCheck %s --check-prefix=DIVIDES
// RUN: tally-run %s --interpret --entry divides --input 'i32[3]=4,2,1'
// RUN: %{refuse} sizes --input 'i32[3]=1' --input 'i32[4]=1' | FileCheck %s --check-prefix=SIZES

// BUFFERS: tally-run: {{.*}}scans-invalid.mlir:[[#@LINE+4]]:3: scans of buffers are not interpreted
func.func @buffers() {
  %zero = arith.constant 0 : i32
  %x = memref.alloc() : memref<4xi32>
  tally.prefix_scan ins(%x : memref<4xi32>) outs(%x : memref<4xi32>) starts(%zero : i32) dim 0 {
  ^bb0(%i: index, %a: i32):
    %s = tally.accumulate %a : i32 {
    ^bb0(%l: i32, %an: i32):
      tally.yield %an : i32
    }
    tally.yield %s : i32
  }
  return
}

// DIVIDES: scans-invalid.mlir:[[#@LINE+7]]:12: {{.*}}division by zero
func.func @divides(%x: tensor<?xi32>) -> tensor<?xi32> {
  %start = arith.constant 100 : i32
  %r = tally.prefix_scan ins(%x : tensor<?xi32>) outs(%x : tensor<?xi32>) starts(%start : i32) dim 0 {
  ^bb0(%i: index, %a: i32):
    %s = tally.accumulate %a : i32 {
    ^bb0(%l: i32, %an: i32):
      %q = arith.divsi %l, %an : i32
      tally.yield %q : i32
    }
    tally.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// SIZES: scans-invalid.mlir:[[#@LINE+3]]:8: 3 == 4
func.func @sizes(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %start = arith.constant 0 : i32
  %r = tally.prefix_scan ins(%y : tensor<?xi32>) outs(%x : tensor<?xi32>) starts(%start : i32) dim 0 {
  ^bb0(%i: index, %a: i32):
    %s = tally.accumulate %a : i32 {
    ^bb0(%l: i32, %an: i32):
      tally.yield %an : i32
    }
    tally.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
