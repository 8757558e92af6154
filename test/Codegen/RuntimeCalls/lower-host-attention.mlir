// RUN: tally-opt %s --tally-lower-host-attention | FileCheck %s

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#o = affine_map<(b, i, j, e, c) -> (i, b, c)>

// Products are scores: nothing is called back. The offsets of the keys that a
// query sees are unlimited; the heads of keys are those of queries (-1).
// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr, %[[Q:[a-z0-9]+]]: memref<?x?x?xf32>
// CHECK-DAG:     %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, i64, i64, i64)>
// CHECK-DAG:     %[[BATCH:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64)>
// CHECK:         %[[HEADS:.*]] = memref.dim %[[Q]], %c0
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[HEADS]]
// CHECK:         %[[FIRST:.*]] = arith.constant -9223372036854775808 : i64
// CHECK:         %[[LAST:.*]] = arith.constant 9223372036854775807 : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[BATCH]][0, 0]
// CHECK-NEXT:    llvm.store %[[SIZE]], %[[FIELD]]
// CHECK:         %[[UNGROUPED:.*]] = arith.constant -1 : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 16]
// CHECK-NEXT:    llvm.store %[[FIRST]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 17]
// CHECK-NEXT:    llvm.store %[[LAST]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 19]
// CHECK-NEXT:    llvm.store %[[BATCH]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 20]
// CHECK-NEXT:    llvm.store %[[UNGROUPED]], %[[FIELD]]
// CHECK:         %[[NO_SCORES:.*]] = llvm.mlir.zero
// CHECK:         %[[NO_DATA:.*]] = llvm.mlir.zero
// CHECK:         call @tally_rt_host_attention(%[[CTX]], %[[ARGS]], %[[NO_SCORES]], %[[NO_DATA]]) {tally.status}
func.func @plain(%ctx: !llvm.ptr, %q: memref<?x?x?xf32>, %k: memref<?x?x?xf32>, %v: memref<?x?x?xf32>, %r: memref<?x?x?xf32>) {
  tally.attention ins(%q, %k, %v : memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>)
      outs(%r : memref<?x?x?xf32>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      }
  return
}

// The function takes what it uses from outside; what differs only from query to
// query is read once for each. Distances are 3 in front to %n - 1 behind.
// CHECK-LABEL: func.func private @window_scores_1(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[BLOCK:[a-z0-9]+]]: !llvm.ptr, %[[DATA:[a-z0-9]+]]: !llvm.ptr) -> i32 attributes {tally.status}
// CHECK:         llvm.load %[[DATA]]
// CHECK:         %[[BIAS:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x?xf32>
// CHECK:         %[[ROW:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1x?xf32>
// CHECK:         %[[FIELDS:.*]] = llvm.load %[[BLOCK]] : !llvm.ptr -> !llvm.struct<(ptr, i64, i64, i64, i64, i64, ptr)>
// CHECK:         %[[HEAD:.*]] = arith.index_cast %{{.*}}
// CHECK:         %[[SCORES:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x?xf32, strided<[?, 1]>>
// CHECK:         scf.for %[[R:.*]] = %c0
// CHECK:           %[[I:.*]] = arith.addi %{{.*}}, %[[R]]
// CHECK:           %[[Y:.*]] = memref.load %[[ROW]][%{{.*}}, %[[I]]]
// CHECK:           scf.for %[[C:.*]] = %c0
// CHECK:             %[[J:.*]] = arith.addi %{{.*}}, %[[C]]
// CHECK:             %[[X:.*]] = memref.load %[[BIAS]][%[[J]], %{{.*}}]
// CHECK:             %[[P:.*]] = memref.load %[[SCORES]][%[[R]], %[[C]]]
// CHECK:             arith.addf %[[P]], %[[X]]
// CHECK:             %[[MASKED:.*]] = arith.select
// CHECK:             memref.store %[[MASKED]], %[[SCORES]][%[[R]], %[[C]]]
// CHECK:         return %c0_i32
// CHECK-LABEL: func.func @window(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index)
// CHECK:         %[[MINUS1:.*]] = arith.constant -1 : index
// CHECK:         arith.addi %[[MINUS1]], %[[N]]
// CHECK:         arith.constant -3 : index
// CHECK:         %[[F:.*]] = constant @window_scores_1
// CHECK:         %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[F]]
// CHECK:         call @tally_rt_host_attention(%{{.*}}, %{{.*}}, %[[POINTER]], %{{.*}})
func.func @window(%ctx: !llvm.ptr, %q: memref<?x?x?xf32>, %k: memref<?x?x?xf32>, %v: memref<?x?x?xf32>, %bias: memref<?x?xf32>, %row: memref<1x?xf32>, %r: memref<?x?x?xf32>, %n: index) {
  %c3 = arith.constant 3 : index
  %lowest = arith.constant 0xFF800000 : f32
  tally.attention ins(%q, %k, %v : memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>)
      elements(%bias, %row : memref<?x?xf32>, memref<1x?xf32>) outs(%r : memref<?x?x?xf32>)
      maps [#q, #k, #v, affine_map<(b, i, j, e, c) -> (j, b)>, affine_map<(b, i, j, e, c) -> (0, i)>, #o] grouped
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %x: f32, %y: f32):
        %s = arith.addf %p, %x : f32
        %t = arith.addf %s, %y : f32
        %last = arith.addi %i, %n : index
        %low = arith.cmpi slt, %j, %last : index
        %near = arith.addi %j, %c3 : index
        %high = arith.cmpi sge, %near, %i : index
        %sees = arith.andi %low, %high : i1
        %masked = arith.select %sees, %t, %lowest : f32
        tally.yield %masked : f32
      }
  return
}

// One function for both.
// CHECK-LABEL: func.func @again(
// CHECK:         constant @again_scores_2
// CHECK:         constant @again_scores_2
// CHECK-NOT:     @again_scores_3
func.func @again(%ctx: !llvm.ptr, %q: memref<?x?x?xf32>, %k: memref<?x?x?xf32>, %v: memref<?x?x?xf32>, %r: memref<?x?x?xf32>) {
  tally.attention ins(%q, %k, %v : memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>)
      outs(%r : memref<?x?x?xf32>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        %s = arith.mulf %p, %p : f32
        tally.yield %s : f32
      }
  tally.attention ins(%q, %k, %v : memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>)
      outs(%r : memref<?x?x?xf32>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        %s = arith.mulf %p, %p : f32
        tally.yield %s : f32
      }
  return
}

// A strict softmax looks at all keys, whatever weights they have.
// CHECK-LABEL: func.func @strict(
// CHECK-NOT:     arith.subi
// CHECK:         %[[FIRST:.*]] = arith.constant -9223372036854775808 : i64
// CHECK:         %[[LAST:.*]] = arith.constant 9223372036854775807 : i64
// CHECK:         %[[STRICT:.*]] = arith.constant 1 : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS:.*]][0, 16]
// CHECK-NEXT:    llvm.store %[[FIRST]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 17]
// CHECK-NEXT:    llvm.store %[[LAST]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 22]
// CHECK-NEXT:    llvm.store %[[STRICT]], %[[FIELD]]
func.func @strict(%ctx: !llvm.ptr, %x: memref<?x?xf32>, %r: memref<?x?xf32>) {
  tally.attention ins(%x, %x, %x : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) outs(%r : memref<?x?xf32>)
      maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
            affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>] strict
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        %lowest = arith.constant 0xFF800000 : f32
        %sees = arith.cmpi sle, %j, %i : index
        %s = arith.select %sees, %p, %lowest : f32
        tally.yield %s : f32
      }
  return
}
