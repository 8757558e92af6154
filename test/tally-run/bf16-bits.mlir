// A bf16 that only moves keeps its bits, if it is subnormal as well: through
// scalars, several results and functions.
// RUN: tally-run %s --compare --input bf16=9.1835496157991212e-41 --input f32=1 --input bf16[3]=1e-40,-1e-40,1
// RUN: tally-run %s --input bf16=9.1835496157991212e-41 --input f32=1 --input bf16[0]= | FileCheck %s
// RUN: tally-run %s --compare --input bf16=-0 --input f32=1 --input bf16[0]=

// CHECK:      out1: bf16 =
// CHECK-NEXT: {{[1-9].*}}e-41
// CHECK:      out2: f64 =
// CHECK-NEXT: {{[1-9].*}}e-41
// CHECK:      out3: bf16 =
// CHECK-NEXT: {{[1-9].*}}e-41
func.func @main(%x: bf16, %y: f32, %t: tensor<?xbf16>) -> (tensor<2xf32>, bf16, f64, bf16, tensor<?xbf16>) {
  %pair = tensor.from_elements %y, %y : tensor<2xf32>
  %wide = arith.extf %x : bf16 to f64
  %back = arith.truncf %wide : f64 to bf16
  %same = call @same(%back, %t) : (bf16, tensor<?xbf16>) -> bf16
  %r = linalg.map ins(%t : tensor<?xbf16>) outs(%t : tensor<?xbf16>) (%in: bf16, %init: bf16) {
    %is = arith.cmpf une, %in, %x : bf16
    %s = arith.select %is, %in, %x : bf16
    linalg.yield %s : bf16
  }
  return %pair, %x, %wide, %same, %r : tensor<2xf32>, bf16, f64, bf16, tensor<?xbf16>
}
func.func private @same(%x: bf16, %t: tensor<?xbf16>) -> bf16 {
  return %x : bf16
}
