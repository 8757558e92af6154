// Running sums of each type, and whether one was true so far.
func.func @main(%x0: tensor<?x?xf16> {tally.shape = #tally.shape<s0, s1>}, %x1: tensor<?x?xbf16> {tally.shape = #tally.shape<s0, s1>}, %x2: tensor<?x?xf64> {tally.shape = #tally.shape<s0, s1>}, %x3: tensor<?x?xi1> {tally.shape = #tally.shape<s0, s1>}, %x4: tensor<?x?xi8> {tally.shape = #tally.shape<s0, s1>}, %x5: tensor<?x?xi16> {tally.shape = #tally.shape<s0, s1>}, %x6: tensor<?x?xi32> {tally.shape = #tally.shape<s0, s1>}, %x7: tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf16>, tensor<?x?xbf16>, tensor<?x?xf64>, tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>, tensor<?x?xi32>, tensor<?x?xi64>)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %zero0 = arith.constant 0.0 : f32
  %e0 = tensor.empty(%m, %n) : tensor<?x?xf16>
  %r0 = tally.prefix_scan ins(%x0 : tensor<?x?xf16>) outs(%e0 : tensor<?x?xf16>) starts(%zero0 : f32) dim 1 associative {
  ^bb0(%i: index, %a: f16):
    %wide = arith.extf %a : f16 to f32
    %sum = tally.accumulate %wide : f32 {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      tally.yield %s : f32
    }
    %narrow = arith.truncf %sum : f32 to f16
    tally.yield %narrow : f16
  } -> tensor<?x?xf16>
  %zero1 = arith.constant 0.0 : f32
  %e1 = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %r1 = tally.prefix_scan ins(%x1 : tensor<?x?xbf16>) outs(%e1 : tensor<?x?xbf16>) starts(%zero1 : f32) dim 1 associative {
  ^bb0(%i: index, %a: bf16):
    %wide = arith.extf %a : bf16 to f32
    %sum = tally.accumulate %wide : f32 {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      tally.yield %s : f32
    }
    %narrow = arith.truncf %sum : f32 to bf16
    tally.yield %narrow : bf16
  } -> tensor<?x?xbf16>
  %zero2 = arith.constant 0.0 : f64
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf64>
  %r2 = tally.prefix_scan ins(%x2 : tensor<?x?xf64>) outs(%e2 : tensor<?x?xf64>) starts(%zero2 : f64) dim 1 associative {
  ^bb0(%i: index, %a: f64):
    %sum = tally.accumulate %a : f64 {
    ^bb0(%before: f64, %next: f64):
      %s = arith.addf %before, %next : f64
      tally.yield %s : f64
    }
    tally.yield %sum : f64
  } -> tensor<?x?xf64>
  %zero3 = arith.constant false
  %e3 = tensor.empty(%m, %n) : tensor<?x?xi1>
  %r3 = tally.prefix_scan ins(%x3 : tensor<?x?xi1>) outs(%e3 : tensor<?x?xi1>) starts(%zero3 : i1) dim 1 associative {
  ^bb0(%i: index, %a: i1):
    %sum = tally.accumulate %a : i1 {
    ^bb0(%before: i1, %next: i1):
      %s = arith.ori %before, %next : i1
      tally.yield %s : i1
    }
    tally.yield %sum : i1
  } -> tensor<?x?xi1>
  %zero4 = arith.constant 0 : i8
  %e4 = tensor.empty(%m, %n) : tensor<?x?xi8>
  %r4 = tally.prefix_scan ins(%x4 : tensor<?x?xi8>) outs(%e4 : tensor<?x?xi8>) starts(%zero4 : i8) dim 1 associative {
  ^bb0(%i: index, %a: i8):
    %sum = tally.accumulate %a : i8 {
    ^bb0(%before: i8, %next: i8):
      %s = arith.addi %before, %next : i8
      tally.yield %s : i8
    }
    tally.yield %sum : i8
  } -> tensor<?x?xi8>
  %zero5 = arith.constant 0 : i32
  %e5 = tensor.empty(%m, %n) : tensor<?x?xi16>
  %r5 = tally.prefix_scan ins(%x5 : tensor<?x?xi16>) outs(%e5 : tensor<?x?xi16>) starts(%zero5 : i32) dim 1 associative {
  ^bb0(%i: index, %a: i16):
    %wide = arith.extsi %a : i16 to i32
    %sum = tally.accumulate %wide : i32 {
    ^bb0(%before: i32, %next: i32):
      %s = arith.addi %before, %next : i32
      tally.yield %s : i32
    }
    %narrow = arith.trunci %sum : i32 to i16
    tally.yield %narrow : i16
  } -> tensor<?x?xi16>
  %zero6 = arith.constant 0 : i32
  %e6 = tensor.empty(%m, %n) : tensor<?x?xi32>
  %r6 = tally.prefix_scan ins(%x6 : tensor<?x?xi32>) outs(%e6 : tensor<?x?xi32>) starts(%zero6 : i32) dim 1 associative {
  ^bb0(%i: index, %a: i32):
    %sum = tally.accumulate %a : i32 {
    ^bb0(%before: i32, %next: i32):
      %s = arith.addi %before, %next : i32
      tally.yield %s : i32
    }
    tally.yield %sum : i32
  } -> tensor<?x?xi32>
  %zero7 = arith.constant 0 : i64
  %e7 = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r7 = tally.prefix_scan ins(%x7 : tensor<?x?xi64>) outs(%e7 : tensor<?x?xi64>) starts(%zero7 : i64) dim 1 associative {
  ^bb0(%i: index, %a: i64):
    %sum = tally.accumulate %a : i64 {
    ^bb0(%before: i64, %next: i64):
      %s = arith.addi %before, %next : i64
      tally.yield %s : i64
    }
    tally.yield %sum : i64
  } -> tensor<?x?xi64>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<?x?xf16>, tensor<?x?xbf16>, tensor<?x?xf64>, tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>, tensor<?x?xi32>, tensor<?x?xi64>
}
