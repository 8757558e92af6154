// RUN: tally-opt %s --tally-lower-host-sort | FileCheck %s

// The sizes of the loops over rows, and the strides of source, values and
// indices along them, lie in a structure of their own.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr, %[[X:[a-z0-9]+]]: memref<?x?x?xf32>
// CHECK-DAG:     %[[LOOPS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64, i64, i64, i64)>
// CHECK-DAG:     %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, ptr, i64, i64)>
// CHECK:         memref.dim %[[X]], %c0
// CHECK:         memref.dim %[[X]], %c2
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:3, %[[XSTRIDES:.*]]:3 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[OUTER:.*]] = arith.index_cast %[[XSTRIDES]]#0
// CHECK:         %[[ROW:.*]] = arith.index_cast %[[XSTRIDES]]#1
// CHECK:         %[[INNER:.*]] = arith.index_cast %[[XSTRIDES]]#2
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[LOOPS]][0, 2]
// CHECK-NEXT:    llvm.store %[[OUTER]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[LOOPS]][0, 3]
// CHECK-NEXT:    llvm.store %[[INNER]], %[[FIELD]]
// kDLFloat << 8 | 32
// CHECK:         %[[TYPE:.*]] = arith.constant 544 : i64
// CHECK:         %[[DESCENDING:.*]] = arith.constant 1 : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 6]
// CHECK-NEXT:    llvm.store %[[ROW]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 10]
// CHECK-NEXT:    llvm.store %[[LOOPS]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 11]
// CHECK-NEXT:    llvm.store %[[TYPE]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 12]
// CHECK-NEXT:    llvm.store %[[DESCENDING]], %[[FIELD]]
// CHECK:         %[[STATUS:.*]] = call @tally_rt_host_sort(%[[CTX]], %[[ARGS]]) {tally.status}
func.func @whole(%ctx: !llvm.ptr, %x: memref<?x?x?xf32>, %v: memref<?x?x?xf32>, %i: memref<?x?x?xi64>) {
  tally.sort ins(%x : memref<?x?x?xf32>) values(%v : memref<?x?x?xf32>) indices(%i : memref<?x?x?xi64>) dim 1 {descending}
  return
}

// A part, without loops over rows, and without values. Bytes of any sign, and
// booleans, are known by their type.
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[FROM:[a-z0-9]+]]: index)
// CHECK:         %[[NO_VALUES:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[FIRST:.*]] = arith.index_cast %[[FROM]]
// CHECK:         %[[NO_LOOPS:.*]] = llvm.mlir.zero : !llvm.ptr
// kDLUInt << 8 | 8
// CHECK:         %[[TYPE:.*]] = arith.constant 264 : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS:.*]][0, 1]
// CHECK-NEXT:    llvm.store %[[NO_VALUES]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 4]
// CHECK-NEXT:    llvm.store %[[FIRST]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 10]
// CHECK-NEXT:    llvm.store %[[NO_LOOPS]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 11]
// CHECK-NEXT:    llvm.store %[[TYPE]], %[[FIELD]]
// CHECK:         call @tally_rt_host_sort
// kDLBool << 8 | 8
// CHECK:         arith.constant 1544 : i64
// CHECK:         call @tally_rt_host_sort
func.func @part(%ctx: !llvm.ptr, %x: memref<?xi8>, %y: memref<?xi1>, %i: memref<2xi64>, %first: index) {
  tally.sort ins(%x : memref<?xi8>) indices(%i : memref<2xi64>) dim 0 from %first {is_unsigned}
  tally.sort ins(%y : memref<?xi1>) indices(%i : memref<2xi64>) dim 0 from %first
  return
}
