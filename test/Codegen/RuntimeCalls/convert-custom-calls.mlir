// RUN: tally-opt %s --tally-convert-custom-calls --canonicalize | FileCheck %s

// CHECK: llvm.func @f(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32 attributes {tally.custom}
// CHECK: llvm.mlir.global internal constant @tally_custom_call_0("?=\00f\00{{.*}}convert-custom-calls.mlir\0023\0011\00")
// CHECK: func.func private @tally_rt_custom_call(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32{{$}}

// Three tensors of six words, three pointers, then 2 sizes and strides of one,
// a number, 4 of the result.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: memref<?xi16>, %[[V:[^:]*]]: f32, %[[Y:[^:]*]]: memref<?x4xf64>)
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x !llvm.array<28 x i64>
// The data type and the rank: an i16 of rank 1, a float of 32 bits of rank 0, a
// float of 64 bits of rank 2.
// CHECK: llvm.store %c299067162755073_i64, %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.store %[[V]]
// CHECK: llvm.store %c316667938734080_i64, %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.store %c351852310822914_i64, %{{.*}} : i64, !llvm.ptr
// CHECK: call @tally_rt_custom_call(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %c2_i32, %{{.*}}, %c1_i32) {tally.status}
// CHECK: %[[S:.*]] = llvm.load
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[S]] : i64 to index
// CHECK: return %[[SIZE]]
func.func @main(%ctx: !llvm.ptr, %x: memref<?xi16>, %v: f32, %y: memref<?x4xf64>) -> index {
  %size = tally.custom_call_dps @f ins(%x, %v : memref<?xi16>, f32) outs(%y : memref<?x4xf64>) is_scalar [false] sizes(index)
  return %size : index
}
