// RUN: tally-opt %s --tally-lower-bfloats | FileCheck %s
// RUN: tally-opt %s --tally-lower-bfloats | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: bfloat

// CHECK: @weights(dense<[16256, -16384]> : tensor<2xi16>) {{.*}} : !llvm.array<2 x i16>
llvm.mlir.global private constant @weights(dense<[1.0, -2.0]> : tensor<2xbf16>) : !llvm.array<2 x bf16>
// CHECK: @resource(dense_resource<data> : tensor<2xi16>) {{.*}} : !llvm.array<2 x i16>
llvm.mlir.global private constant @resource(dense_resource<data> : tensor<2xbf16>) : !llvm.array<2 x bf16>

// What describes the program keeps its types.
// CHECK: llvm.func @main(%{{.*}}: !llvm.ptr, %{{.*}}: i16) -> !llvm.struct<(i32, i16)>
// CHECK-SAME: described = bf16
llvm.func @main(%p: !llvm.ptr, %x: bf16) -> !llvm.struct<(i32, bf16)> attributes {described = bf16} {
  // CHECK-DAG: llvm.mlir.constant(16256 : i16) : i16
  // CHECK-DAG: llvm.mlir.poison : !llvm.struct<(i32, i16)>
  // CHECK: llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, i16
  // CHECK: %[[Y:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
  // CHECK-NOT: llvm.bitcast
  // CHECK: llvm.icmp "eq" %[[Y]]
  // CHECK: llvm.call @same(%{{.*}}) : (i16) -> i16
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  %bits = llvm.mlir.constant(1 : i16) : i16
  %init = llvm.mlir.poison : !llvm.struct<(i32, bf16)>
  %at = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  %y = llvm.load %at : !llvm.ptr -> bf16
  %i = llvm.bitcast %y : bf16 to i16
  %is = llvm.icmp "eq" %i, %bits : i16
  %z = llvm.select %is, %one, %x : i1, bf16
  %r = llvm.call @same(%z) : (bf16) -> bf16
  %s = llvm.insertvalue %r, %init[1] : !llvm.struct<(i32, bf16)>
  llvm.return %s : !llvm.struct<(i32, bf16)>
}
// CHECK: llvm.func @same(i16) -> i16
llvm.func @same(bf16) -> bf16

{-#
  dialect_resources: {
    builtin: {
      data: "0x02000000803F00C0"
    }
  }
#-}
