// Asserts in loops that run in parallel, with buffers of their own; and the same
// without threads.
// RUN: tally-run %s --input f32[300000]=0.5 --output-dir %t
// RUN: not tally-run %s --input f32[300000]=5 2>&1 | FileCheck %s
// RUN: not tally-run %s --input f32[1]=5 2>&1 | FileCheck %s
// RUN: not tally-run %s --input f32[300000]=5 --repeat 20 2>&1 | FileCheck %s
// RUN: tally-run %s --input f32[3]=5 --checks=none | FileCheck %s --check-prefix=NONE

// CHECK: tally-run: check failed: {{.*}}parallel.mlir:[[@LINE+10]]:5: v < 5 does not hold: v = 5; five or more
// NONE: [5. 5. 5.]
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 5.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> tensor<?xf32> {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %ok = arith.cmpf olt, %v, %limit : f32
    tally.assert %ok, <v < 5> (v = %v : f32) message("five or more")
    %t = tensor.from_elements %v, %v : tensor<2xf32>
    %s = tensor.extract_slice %t[1] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}
