// An access that no check can be made for is not compiled.
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i1=true --input i64=2 2>&1 | FileCheck %s

// CHECK: [[#@LINE+11]]:10: error: 'tensor.extract' op needs {{.*}} which neither follows from what is known here nor is asserted before it
func.func @main(%x: tensor<?xf32>, %p: i1, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = scf.if %p -> index {
      %k = arith.addi %n, %i : index
      scf.yield %k : index
    } else {
      scf.yield %i : index
    }
    // The index is made by an operation with regions.
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
