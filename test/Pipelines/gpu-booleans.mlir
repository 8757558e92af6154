// A caller may pass any byte but 0 as true, on a GPU as well.
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{stop-after=binary format=isa})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s
// REQUIRES: libdevice

// CHECK: .visible .entry main_kernel_0(
// CHECK: ld.global.nc.b8 [[A:%rs[0-9]+]]
// CHECK: setp.ne.b16 {{.*}}, [[A]], 0;
// CHECK: ld.global.nc.b8 [[B:%rs[0-9]+]]
// CHECK: setp.ne.b16 {{.*}}, [[B]], 0;
// CHECK: xor.pred
// CHECK: st.global.b8
func.func @main(%x: tensor<?xi1> {tally.shape = #tally.shape<n>}, %y: tensor<?xi1> {tally.shape = #tally.shape<n>}) -> tensor<?xi1>
    attributes {tally.symbols = #tally.symbols<n>} {
  %n = tally.size <n> : index
  %e = tensor.empty(%n) : tensor<?xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xi1>, tensor<?xi1>) outs(%e : tensor<?xi1>) {
  ^bb0(%a: i1, %b: i1, %o: i1):
    %c = arith.xori %a, %b : i1
    linalg.yield %c : i1
  } -> tensor<?xi1>
  return %r : tensor<?xi1>
}
