// A constant in a data file beside the program.
// RUN: rm -rf %t && mkdir -p %t
// RUN: cp %s %t/program.mlir
// RUN: %python -c "import struct; open(r'%t/w.bin', 'wb').write(struct.pack('<8f', 0, 0, 1, 2, 3, 4, 5, 6))"
// RUN: tally-run %t/program.mlir --input f32[2,3]=10 | FileCheck %s
// RUN: cd %t && tally-run program.mlir --input f32[2,3]=10 | FileCheck %s
// RUN: rm %t/w.bin
// RUN: not tally-run %t/program.mlir --input f32[2,3]=10 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: {{\[\[}}11. 12. 13.]
// CHECK-NEXT: [14. 15. 16.]]
// MISSING: program.mlir:{{.*}}: error: cannot read data file '{{.*}}w.bin'
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = tally.constant "w.bin" [8] : tensor<2x3xf32>
  %r = linalg.map { arith.addf } ins(%x, %w : tensor<2x3xf32>, tensor<2x3xf32>) outs(%x : tensor<2x3xf32>)
  return %r : tensor<2x3xf32>
}
