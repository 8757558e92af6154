// RUN: tally-opt %s --tally-lower-asserts --split-input-file | FileCheck %s

// CHECK: llvm.mlir.global internal constant @tally_assert_table_records("\00\00\00\00{{.*}}lower-asserts.mlir\0042\003\001\00b\00b0\00\00s0 == s1\00must agree\00linalg.add\00x\00{{.*}}lower-asserts.mlir\0041\008\003\00i\00s0\00x.size(0)\00i\00s1\00\00f\00f0\00\00")
// CHECK: llvm.mlir.global internal constant @tally_assert_table_offsets(dense<[0, {{[0-9]+}}]> : tensor<2xi64>)
// CHECK: llvm.mlir.global internal constant @tally_assert_table()

// Each assert has a block that stores what it reports; what else nobody needs is
// computed there. One block calls the runtime, with the index of the assert.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[OK:.*]]: i1, %[[A:.*]]: index, %[[B:.*]]: index, %[[F:.*]]: f32) -> (i32, index)
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x !llvm.array<3 x i64>
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[A]], %[[B]]
// CHECK-NEXT: cf.cond_br %[[OK]] weights([1048576, 1]), ^[[NEXT:.*]], ^[[REPORT1:bb[0-9]+]]
// CHECK-NEXT: ^[[NEXT]]:
// CHECK-NEXT: cf.cond_br %[[OK]] weights([1048576, 1]), ^[[LAST:.*]], ^[[REPORT0:bb[0-9]+]]
// CHECK-NEXT: ^[[LAST]]:
// CHECK: return %{{.*}}, %[[SUM]] : i32, index
// CHECK: ^[[EXIT:.*]](%[[STATUS:.*]]: i32):
// CHECK: %[[P:.*]] = ub.poison : index
// CHECK: return %[[STATUS]], %[[P]] : i32, index
// CHECK: ^[[COLD:.*]](%[[I:.*]]: i32, %[[N:.*]]: i32):
// CHECK: %[[S:.*]] = call @tally_rt_fail(%[[CTX]], %{{.*}}, %[[I]], %[[N]], %[[ROOM]])
// CHECK: cf.br ^[[EXIT]](%[[S]] : i32)
// CHECK: ^[[REPORT0]]:
// CHECK: %[[B0:.*]] = arith.extui %[[OK]] : i1 to i64
// CHECK: llvm.store %[[B0]]
// CHECK: cf.br ^[[COLD]](%c0_i32{{.*}}, %c1_i32{{.*}} : i32, i32)
// CHECK: ^[[REPORT1]]:
// CHECK: %[[SUM64:.*]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: llvm.store %[[SUM64]], %{{.*}} : i64, !llvm.ptr
// CHECK: %[[TWICE:.*]] = arith.muli %[[B]], %[[B]] : index
// CHECK: %[[MORE:.*]] = arith.addi %[[TWICE]], %[[B]] : index
// CHECK: arith.index_cast %[[MORE]] : index to i64
// CHECK: %[[D:.*]] = arith.extf %[[F]] : f32 to f64
// CHECK: arith.bitcast %[[D]] : f64 to i64
// CHECK: cf.br ^[[COLD]](%c1_i32{{.*}}, %c3_i32{{.*}} : i32, i32)
func.func @main(%ctx: !llvm.ptr, %ok: i1, %a: index, %b: index, %f: f32) -> index {
  %sum = arith.addi %a, %b : index
  %twice = arith.muli %b, %b : index
  %more = arith.addi %twice, %b : index
  %g = tally.assert %ok, <s0 == s1> (s0 = %sum, s1 = %more, f0 = %f : index, index, f32) message("must agree") sources({s0 = "x.size(0)"}) required_by("linalg.add") declared_by("x") guards(%sum : index)
  tally.assert %ok (b0 = %ok : i1) message("")
  return %g : index
}

// -----

// A call, and an allocation, that fails returns its status.
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME: -> i32
func.func private @callee(%ctx: !llvm.ptr) {
  return
}
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: -> (i32, memref<?xf32>)
// CHECK: %[[S:.*]] = call @callee
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[S]]
// CHECK: cf.cond_br %[[OK]] weights([1048576, 1]), ^{{.*}}, ^[[EXIT:.*]](%[[S]] : i32)
// CHECK: %[[M:.*]] = memref.alloc
// CHECK: memref.extract_aligned_pointer_as_index %[[M]]
// CHECK: cf.cond_br %{{.*}} weights([1048576, 1]), ^{{.*}}, ^[[EXIT]](%c2_i32
// CHECK-NOT: tally_assert_table
func.func @caller(%ctx: !llvm.ptr, %n: index) -> memref<?xf32> {
  call @callee(%ctx) : (!llvm.ptr) -> ()
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}
