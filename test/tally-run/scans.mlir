// Scans give what they are defined to, compiled and interpreted: sums that are kept wider, pairs
// of the largest element and its place, and a combination that must keep its order.
// RUN: tally-run %s --entry sums --compare --input f32[2,5]=1,2,3,4,5,-1,-2,-3,-4,-5 | FileCheck %s --check-prefix=SUMS
// RUN: tally-run %s --entry sums --compare --input f32[0,5]=random
// RUN: tally-run %s --entry sums --compare --input f32[5,0]=random
// RUN: tally-run %s --entry sums --compare --input f32[1,1]=random
// RUN: tally-run %s --entry sums --compare --input f32[33,1027]=random
// SUMS:      {{\[}}[ 1. 3. 6. 10. 15.]
// SUMS-NEXT: [ -1. -3. -6. -10. -15.]]
// RUN: tally-run %s --entry largest --compare --input f32[4,2]=1,9,3,9,nan,2,7,1 | FileCheck %s --check-prefix=LARGEST
// RUN: tally-run %s --entry largest --compare --input f32[0,2]=random
// RUN: tally-run %s --entry largest --compare --input f32[1,33]=random
// RUN: tally-run %s --entry largest --compare --input f32[1027,33]=random
// LARGEST:      {{\[}}[ 1. 9.]
// LARGEST-NEXT: [ 3. 9.]
// LARGEST-NEXT: [nan 9.]
// LARGEST-NEXT: [nan 9.]]
// LARGEST:      {{\[}}[0 0]
// LARGEST-NEXT: [1 1]
// LARGEST-NEXT: [2 1]
// LARGEST-NEXT: [2 1]]
// RUN: tally-run %s --entry decays --compare --input f32[4]=8,4,2,1 --input f32[4]=1,2,1,2 | FileCheck %s --check-prefix=DECAYS
// RUN: tally-run %s --entry decays --compare --input f32[1027]=random --input f32[1027]=random
// DECAYS: [108. 62. 33. 18.5]

// Elements of 16 bits go in blocks of 64, and four rows at once: sums of bf16, and of f16 that are scaled
// before.
// RUN: tally-run %s --entry halves --compare --input f16[0,5]=random --input bf16[0,5]=random
// RUN: tally-run %s --entry halves --compare --input f16[5,0]=random --input bf16[5,0]=random
// RUN: tally-run %s --entry halves --compare --input f16[1,1]=random --input bf16[1,1]=random
// RUN: tally-run %s --entry halves --compare --input f16[4,63]=random --input bf16[4,63]=random
// RUN: tally-run %s --entry halves --compare --input f16[4,64]=random --input bf16[4,64]=random
// RUN: tally-run %s --entry halves --compare --input f16[5,65]=random --input bf16[5,65]=random
// RUN: tally-run %s --entry halves --compare --input f16[9,128]=random --input bf16[9,128]=random
// RUN: tally-run %s --entry halves --compare --input f16[7,129]=random --input bf16[7,129]=random
// RUN: tally-run %s --entry halves --compare --input f16[12,200]=random --input bf16[12,200]=random
// RUN: tally-run %s --entry halves --compare --input f16[4,2]=1,nan,2,3,inf,-inf,4,5 --input bf16[4,2]=1,2,nan,3,inf,-inf,4,5 | FileCheck %s --check-prefix=HALVES
// HALVES:      {{\[}}[ 3. nan]
// HALVES-NEXT: [ 6. 15.]
// HALVES-NEXT: [inf nan]
// HALVES-NEXT: [12. 27.]]
// HALVES:      {{\[}}[ 1. 3.]
// HALVES-NEXT: [nan nan]
// HALVES-NEXT: [inf nan]
// HALVES-NEXT: [ 4. 9.]]

func.func @sums(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) starts(%zero : f64) dim 1 associative {
  ^bb0(%i: index, %a: f32):
    %wide = arith.extf %a : f32 to f64
    %s = tally.accumulate %wide : f64 {
    ^bb0(%l: f64, %an: f64):
      %sn = arith.addf %l, %an : f64
      tally.yield %sn : f64
    }
    %narrow = arith.truncf %s : f64 to f32
    tally.yield %narrow : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @largest(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>}) -> (tensor<?x?xf32>, tensor<?x?xi64>)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%e, %p : tensor<?x?xf32>, tensor<?x?xi64>) starts(%low, %zero : f32, i64) dim 0 associative {
  ^bb0(%i: index, %a: f32):
    %place = arith.index_cast %i : index to i64
    %m1, %mp = tally.accumulate %a, %place : f32, i64 {
    ^bb0(%l: f32, %lp: i64, %an: f32, %apn: i64):
      %larger = arith.cmpf oge, %an, %l : f32
      %nan = arith.cmpf uno, %an, %an : f32
      %takes = arith.ori %larger, %nan : i1
      %m1n = arith.select %takes, %an, %l : f32
      %mpn = arith.select %takes, %apn, %lp : i64
      tally.yield %m1n, %mpn : f32, i64
    }
    tally.yield %m1, %mp : f32, i64
  } -> tensor<?x?xf32>, tensor<?x?xi64>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

func.func @decays(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %y: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %start = arith.constant 200.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = tally.prefix_scan ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) starts(%start : f32) dim 0 {
  ^bb0(%i: index, %a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    %s = tally.accumulate %product : f32 {
    ^bb0(%l: f32, %an: f32):
      %half = arith.constant 0.5 : f32
      %less = arith.mulf %l, %half : f32
      %sn = arith.addf %less, %an : f32
      tally.yield %sn : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @halves(%x: tensor<?x?xf16> {tally.shape = #tally.shape<s0, s1>}, %y: tensor<?x?xbf16> {tally.shape = #tally.shape<s0, s1>}) -> (tensor<?x?xf16>, tensor<?x?xbf16>)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %zero = arith.constant 0.0 : f32
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %f = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %r = tally.prefix_scan ins(%x : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) starts(%zero : f32) dim 1 associative {
  ^bb0(%i: index, %a: f16):
    %three = arith.constant 3.0 : f32
    %wide = arith.extf %a : f16 to f32
    %scaled = arith.mulf %wide, %three : f32
    %s = tally.accumulate %scaled : f32 {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      tally.yield %sum : f32
    }
    %narrow = arith.truncf %s : f32 to f16
    tally.yield %narrow : f16
  } -> tensor<?x?xf16>
  %t = tally.prefix_scan ins(%y : tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) starts(%zero : f32) dim 1 associative {
  ^bb0(%i: index, %a: bf16):
    %wide = arith.extf %a : bf16 to f32
    %s = tally.accumulate %wide : f32 {
    ^bb0(%before: f32, %next: f32):
      %sum = arith.addf %before, %next : f32
      tally.yield %sum : f32
    }
    %narrow = arith.truncf %s : f32 to bf16
    tally.yield %narrow : bf16
  } -> tensor<?x?xbf16>
  return %r, %t : tensor<?x?xf16>, tensor<?x?xbf16>
}
