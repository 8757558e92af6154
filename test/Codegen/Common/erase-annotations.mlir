// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import struct; open(r'%t/w.bin', 'wb').write(struct.pack('<4f4B', 1, 2, 3, 4, 1, 0, 1, 1))"
// RUN: tally-opt %s --tally-erase-annotations=data-directory=%t | FileCheck %s

// CHECK-LABEL: func.func @symbols
// CHECK: %[[D:.*]] = tensor.dim
// CHECK-NEXT: tensor.empty(%[[D]])
// CHECK-NOT: tally.
func.func @symbols(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %s0 = tally.symbol "s0" = %d : index
  tally.assume <s0 mod 8 == 0> (s0 = %s0 : index)
  %e = tensor.empty(%s0) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK: arith.constant dense_resource<[[R:.*]]> : tensor<3xf32>
// CHECK: arith.constant dense<[true, false, true, true]> : tensor<4xi1>
// CHECK: arith.constant dense<> : tensor<0xf32>
// CHECK: [[R]]: "0x01000000000000400000404000008040"
func.func @constants() -> (tensor<3xf32>, tensor<4xi1>, tensor<0xf32>) {
  %w = tally.constant "w.bin" [4] : tensor<3xf32>
  %b = tally.constant "w.bin" [16] : tensor<4xi1>
  %e = tally.constant "w.bin" [20] : tensor<0xf32>
  return %w, %b, %e : tensor<3xf32>, tensor<4xi1>, tensor<0xf32>
}
