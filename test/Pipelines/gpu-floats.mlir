// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=isa})' | FileCheck %s

// A float that goes from tensors into tensors is not read back: one kernel has
// all of it, which is launched with several lanes or with one. A float that a
// check looks at is.

// CHECK-LABEL: llvm.func internal @stays(
// CHECK-NOT:     tally_rt_read_back
// CHECK-COUNT-2: llvm.call @tally_rt_launch(
// CHECK-NOT:     tally_rt_read_back
// CHECK-NOT:     llvm.call @tally_rt_launch(
// CHECK-LABEL: llvm.func internal @checked(
// CHECK:         llvm.call @tally_rt_read_back
func.func @stays(%f: tensor<f32> {tally.name = "f"}, %x: tensor<?xf32> {tally.name = "x"}) -> tensor<?xf32> {
  %v = tally.item %f : tensor<f32>
  %c = arith.constant 3.0 : f32
  %s = arith.mulf %v, %c : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %splat = tensor.splat %s[%d] : tensor<?xf32>
  %r = arith.addf %x, %splat : tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @checked(%f: tensor<f32> {tally.name = "f"}, %x: tensor<?xf32> {tally.name = "x"}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<zuf0 : unbacked float>} {
  %v = tally.item %f : tensor<f32> bind #tally.bindings<zuf0 = result(0)>
  tally.check <"zuf0 > 0.0">
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %splat = tensor.splat %v[%d] : tensor<?xf32>
  %r = arith.addf %x, %splat : tensor<?xf32>
  return %r : tensor<?xf32>
}
