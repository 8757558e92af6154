// RUN: split-file %s %t
// RUN: tally-run %t/main.mlir --cases %t/main.json | FileCheck %s

// Symbols that stand only inside of expressions, elements of tensors of rank 0,
// booleans as 0 or 1: found from the arguments, and checked on what was found.

// CHECK-NOT: FAIL
// CHECK:     PASS fits
// CHECK-NOT: FAIL
// CHECK:     PASS not true

//--- main.mlir
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 + s1, s0 - s1>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<3 * s4>},
                %t: tensor<i32> {tally.name = "t", tally.value = #tally.expr<s2>},
                %q: i1 {tally.name = "q", tally.value = #tally.expr<s3>}) -> (i64, i64, i64)
    attributes {tally.symbols = #tally.symbols<s0, s1 : [0, 5], s2 : [-4, 4], s3 : [1, 1], s4 : [0, inf] % 2>} {
  %a = tally.size <s0> : i64
  %b = tally.size <s1> : i64
  %c = tally.size <s0 * s1 + s2 + s3 + s4> : i64
  return %a, %b, %c : i64, i64, i64
}

//--- main.json
[{"name": "fits", "inputs": ["f32[7,3]=random", "f32[6]=random", "i32[]=-4", "i1=true"], "expect": ["i64=5", "i64=2", "i64=9"]},
 {"name": "empty", "inputs": ["f32[0,0]=random", "f32[0]=random", "i32[]=4", "i1=true"], "expect": ["i64=0", "i64=0", "i64=5"]},
 {"name": "odd", "inputs": ["f32[7,2]=random", "f32[6]=random", "i32[]=0", "i1=true"], "raises": "(x.size(0) + x.size(1)) mod 2 == 0 does not hold"},
 {"name": "negative", "inputs": ["f32[3,7]=random", "f32[6]=random", "i32[]=0", "i1=true"], "raises": "0 <= s1 does not hold: s1 = -2 (s1 = x.size(0) - s0)"},
 {"name": "far apart", "inputs": ["f32[13,1]=random", "f32[6]=random", "i32[]=0", "i1=true"], "raises": "s1 <= 5 does not hold: s1 = 6"},
 {"name": "no multiple of three", "inputs": ["f32[7,3]=random", "f32[7]=random", "i32[]=0", "i1=true"], "raises": "mod 3 == 0 does not hold"},
 {"name": "not even", "inputs": ["f32[7,3]=random", "f32[9]=random", "i32[]=0", "i1=true"], "raises": "s4 mod 2 == 0 does not hold"},
 {"name": "element too large", "inputs": ["f32[7,3]=random", "f32[6]=random", "i32[]=5", "i1=true"], "raises": "s2 <= 4 does not hold: s2 = 5 (s2 = t.item())"},
 {"name": "not true", "inputs": ["f32[7,3]=random", "f32[6]=random", "i32[]=0", "i1=false"], "raises": "1 <= s3 does not hold: s3 = 0 (s3 = q)"}]
