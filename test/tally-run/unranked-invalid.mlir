// Upstream reads the size of an unranked reshape in the shape that it is given,
// behind its end where the rank is too small: what has no check is not compiled.
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[1]=3 2>&1 | FileCheck %s

// CHECK: [[#@LINE+5]]:8: error: 'tensor.extract' op needs 4 <= {{.*}}, which neither follows from what is known here nor is asserted before it
func.func @main(%x: tensor<?xf32>, %shape: tensor<?xindex>) -> index {
  %c3 = arith.constant 3 : index
  %u = tensor.cast %x : tensor<?xf32> to tensor<*xf32>
  %r = tensor.reshape %u(%shape) : (tensor<*xf32>, tensor<?xindex>) -> tensor<*xf32>
  %d = tensor.dim %r, %c3 : tensor<*xf32>
  return %d : index
}
