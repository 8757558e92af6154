// RUN: tally-opt %s --tally-lower-host-matmul | FileCheck %s

// Places for constants, of which the last functions tell: a null pointer, and the
// hash of what is packed there, if that is a constant.
// CHECK:         llvm.mlir.global internal @bytes_packed(dense<0> : tensor<5xi64>)
// CHECK-NEXT:    llvm.mlir.global internal @other_weights_packed(dense<[0, {{-?[1-9][0-9]+, -?[0-9]+, -?[0-9]+, -?[0-9]+}}]> : tensor<5xi64>) {addr_space = 0 : i32, alignment = 8 : i64} : !llvm.array<5 x i64>
// CHECK-NEXT:    llvm.mlir.global internal @same_weights_packed(dense<[0, [[HASH:-?[0-9]+]], [[REST:.*]]]> : tensor<5xi64>)
// CHECK-NEXT:    llvm.mlir.global internal @[[TURNED:weights_packed_[0-9]+]](dense<[0, [[HASH]], [[REST]]]>
// CHECK-NOT:     [[HASH]]
// CHECK:         llvm.mlir.global internal @[[PART:weights_packed_[0-9]+]](dense<[0,
// CHECK-NEXT:    llvm.mlir.global internal @[[WHOLE:weights_packed]](dense<[0, [[HASH]], [[REST]]]>

// Transpositions and views are strides; the sizes of the batch lie in a structure
// of their own.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr, %[[A:[a-z0-9]+]]: memref<?x?x?xf32>,
// CHECK-DAG:     %[[BATCH:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64)>
// CHECK-DAG:     %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, ptr, i64, i64, ptr)>
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:3, %[[BSTRIDES:.*]]:3 = memref.extract_strided_metadata %arg2
// CHECK:         %[[BROW:.*]] = arith.index_cast %[[BSTRIDES]]#1
// CHECK:         %[[BCOLUMN:.*]] = arith.index_cast %[[BSTRIDES]]#2
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 8]
// CHECK-NEXT:    llvm.store %[[BCOLUMN]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 9]
// CHECK-NEXT:    llvm.store %[[BROW]], %[[FIELD]]
// CHECK:         %[[STATUS:.*]] = call @tally_rt_host_matmul(%[[CTX]], %[[ARGS]]) {tally.status}
func.func @batch(%ctx: !llvm.ptr, %a: memref<?x?x?xf32>, %b: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, %c: memref<?x?x?xf32>) {
  tally.matmul ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>)
               outs(%c : memref<?x?x?xf32>) {transpose_b}
  return
}

// CHECK-LABEL: func.func @matrix(
// CHECK:         %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         llvm.store %[[NONE]]
// CHECK:         call @tally_rt_host_matmul
func.func @matrix(%ctx: !llvm.ptr, %a: memref<?x?xbf16>, %b: memref<?x8xbf16>, %c: memref<?x8xbf16>) {
  tally.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x8xbf16>) outs(%c : memref<?x8xbf16>)
  return
}

// The types of operands and of the result, as codes: 1040 is bf16, 544 f32, 8 i8
// and 32 i32.
// CHECK-LABEL: func.func @wide_results(
// CHECK-DAG:     %[[BF16:.*]] = arith.constant 1040 : i64
// CHECK-DAG:     %[[F32:.*]] = arith.constant 544 : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %{{.*}}[0, 14]
// CHECK-NEXT:    llvm.store %[[BF16]], %[[FIELD]]
// CHECK-NEXT:    %[[FIELD:.*]] = llvm.getelementptr %{{.*}}[0, 15]
// CHECK-NEXT:    llvm.store %[[F32]], %[[FIELD]]
// CHECK:         call @tally_rt_host_matmul
// CHECK-DAG:     %[[I8:.*]] = arith.constant 8 : i64
// CHECK-DAG:     %[[I32:.*]] = arith.constant 32 : i64
// CHECK:         llvm.store %[[I8]]
// CHECK:         llvm.store %[[I32]]
// CHECK:         call @tally_rt_host_matmul
func.func @wide_results(%ctx: !llvm.ptr, %a: memref<?x?xbf16>, %b: memref<?x8xbf16>, %c: memref<?x8xf32>,
                        %x: memref<?x?xi8>, %y: memref<?x8xi8>, %z: memref<?x8xi32>) {
  tally.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x8xbf16>) outs(%c : memref<?x8xf32>)
  tally.matmul ins(%x, %y : memref<?x?xi8>, memref<?x8xi8>) outs(%z : memref<?x8xi32>)
  return
}

// A constant has a place where the runtime keeps it packed; two that read it the
// same way share one, another part of it has another, as has the constant
// transposed, and what depends on a size has none.
memref.global "private" constant @weights : memref<4x4xf32> = dense<1.0>
// CHECK-LABEL: func.func @constants(
// CHECK:         llvm.mlir.addressof @[[WHOLE]]
// CHECK:         call @tally_rt_host_matmul
// CHECK:         llvm.mlir.addressof @[[WHOLE]]
// CHECK:         call @tally_rt_host_matmul
// CHECK:         llvm.mlir.addressof @[[PART]]
// CHECK:         call @tally_rt_host_matmul
// CHECK:         llvm.mlir.addressof @[[TURNED]]
// CHECK:         call @tally_rt_host_matmul
// CHECK-NOT:     llvm.mlir.addressof
// CHECK:         call @tally_rt_host_matmul
func.func @constants(%ctx: !llvm.ptr, %a: memref<?x4xf32>, %a2: memref<?x2xf32>, %an: memref<?x?xf32>, %c: memref<?x4xf32>, %n: index) {
  %w = memref.get_global @weights : memref<4x4xf32>
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  %part = memref.subview %w[2, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  tally.matmul ins(%a2, %part : memref<?x2xf32>, memref<2x4xf32, strided<[4, 1], offset: 8>>) outs(%c : memref<?x4xf32>)
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>) {transpose_b}
  %rows = memref.subview %w[0, 0] [%n, 4] [1, 1] : memref<4x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  tally.matmul ins(%an, %rows : memref<?x?xf32>, memref<?x4xf32, strided<[4, 1]>>) outs(%c : memref<?x4xf32>)
  return
}

// Constants that are the same have the same hash, others another one.
memref.global "private" constant @same_weights : memref<4x4xf32> = dense<1.0>
memref.global "private" constant @other_weights : memref<4x4xf32> = dense<2.0>
func.func @equal_constants(%ctx: !llvm.ptr, %a: memref<?x4xf32>, %c: memref<?x4xf32>) {
  %w = memref.get_global @same_weights : memref<4x4xf32>
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  %v = memref.get_global @other_weights : memref<4x4xf32>
  tally.matmul ins(%a, %v : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// What may change between two calls is not packed.
memref.global "private" @variable : memref<4x4xf32> = dense<1.0>
// CHECK-LABEL: func.func @variable_weights(
// CHECK-NOT:     llvm.mlir.addressof
// CHECK:         call @tally_rt_host_matmul
func.func @variable_weights(%ctx: !llvm.ptr, %a: memref<?x4xf32>, %c: memref<?x4xf32>) {
  %w = memref.get_global @variable : memref<4x4xf32>
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// What computes elements is a function that is called back; its results are
// packed once where it reads constants.
memref.global "private" constant @bytes : memref<4x4xi8> = dense<1>
memref.global "private" constant @scales : memref<4xf32> = dense<1.0>
// CHECK-LABEL: func.func private @computed_operand_0(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[PART:[a-z0-9]+]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32 attributes {tally.status}
// CHECK:         llvm.load %[[PART]] : !llvm.ptr -> !llvm.struct<(ptr, i64, i64, i64, i64, i64)>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} {
// CHECK:           %[[N:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK:           %[[SCALE:.*]] = memref.load %{{.*}}[%[[N]]] : memref<4xf32>
// CHECK:           scf.for %[[J:.*]] = %{{.*}} {
// CHECK:             %[[K:.*]] = arith.addi %{{.*}}, %[[J]]
// CHECK:             %[[BYTE:.*]] = memref.load %{{.*}}[%[[N]], %[[K]]] : memref<4x4xi8>
// CHECK:             %[[F:.*]] = arith.sitofp %[[BYTE]] : i8 to f32
// CHECK:             %[[E:.*]] = arith.mulf %[[F]], %[[SCALE]] : f32
// CHECK:             memref.store %[[E]], %{{.*}}[%[[I]], %[[J]]] : memref<?x?xf32, strided<[?, 1]>>
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr
// CHECK:         llvm.store %{{.*}}, %[[CAPTURED:.*]] : !llvm.struct<
// CHECK:         %[[BODY:.*]] = constant @computed_operand_0
// CHECK:         %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK:         llvm.mlir.addressof @bytes_packed
// CHECK:         call @tally_rt_host_matmul_computed(%[[CTX]], %{{.*}}, %[[POINTER]], %[[CAPTURED]]) {tally.status}
// CHECK:         constant @computed_operand_0
// CHECK-NOT:     addressof
// CHECK:         call @tally_rt_host_matmul_computed
func.func @computed(%ctx: !llvm.ptr, %a: memref<?x4xf32>, %v: memref<4xf32>, %c: memref<?x4xf32>) {
  %w = memref.get_global @bytes : memref<4x4xi8>
  %s = memref.get_global @scales : memref<4xf32>
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xi8>) elements(%s : memref<4xf32>) maps [affine_map<(n, k) -> (n)>]
      outs(%c : memref<?x4xf32>) prologue {
  ^bb0(%byte: i8, %scale: f32):
    %f = arith.sitofp %byte : i8 to f32
    %r = arith.mulf %f, %scale : f32
    tally.yield %r : f32
  } {transpose_b}
  tally.matmul ins(%a, %w : memref<?x4xf32>, memref<4x4xi8>) elements(%v : memref<4xf32>) maps [affine_map<(n, k) -> (n)>]
      outs(%c : memref<?x4xf32>) prologue {
  ^bb0(%byte: i8, %scale: f32):
    %f = arith.sitofp %byte : i8 to f32
    %r = arith.mulf %f, %scale : f32
    tally.yield %r : f32
  } {transpose_b}
  return
}

// A loop of rows, two of columns, and two that are summed over; the input moves
// by two elements for each column.
// CHECK-LABEL: func.func @convolution(
// CHECK-DAG:     %[[LOOPS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)>
// CHECK-DAG:     %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, ptr, i64, i64, i64, i64, ptr, i64, i64, ptr)>
// CHECK:         memref.extract_strided_metadata %arg2
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-NEXT:    %[[STEP:.*]] = arith.muli %{{.*}}, %[[TWO]] : i64
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[LOOPS]][0, 10]
// CHECK-NEXT:    llvm.store %[[STEP]], %[[FIELD]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 7]
// CHECK-NEXT:    llvm.store %[[LOOPS]], %[[FIELD]]
// CHECK:         %[[STATUS:.*]] = call @tally_rt_host_contract(%[[CTX:.*]], %[[ARGS]]) {tally.status}
func.func @convolution(%ctx: !llvm.ptr, %w: memref<?x?x?xf32>, %x: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  tally.contract ins(%w, %x : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (o, c, i)>, affine_map<(n, o, x, c, i) -> (n, c, x * 2 + i)>, affine_map<(n, o, x, c, i) -> (n, o, x)>]
  return
}

// A weight that is read backwards begins with its last element.
// CHECK-LABEL: func.func @backwards(
// CHECK:         %[[START:.*]] = llvm.inttoptr
// CHECK:         %[[LAST:.*]] = arith.constant 2 : i64
// CHECK:         %[[OFFSET:.*]] = arith.muli %{{.*}}, %[[LAST]] : i64
// CHECK:         llvm.getelementptr %[[START]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         %[[MINUS:.*]] = arith.constant -1 : i64
// CHECK:         arith.muli %{{.*}}, %[[MINUS]] : i64
// CHECK:         call @tally_rt_host_contract
func.func @backwards(%ctx: !llvm.ptr, %w: memref<4x5x3xf32>, %x: memref<?x4x?xf32>, %c: memref<?x5x?xf32>) {
  tally.contract ins(%w, %x : memref<4x5x3xf32>, memref<?x4x?xf32>) outs(%c : memref<?x5x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (c, o, 2 - i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>, affine_map<(n, o, x, c, i) -> (n, o, x)>]
  return
}

// Constant weights have a place as well, another one where other dimensions of
// them are summed over.
memref.global "private" constant @filters : memref<4x4x3xf32> = dense<1.0>
// CHECK-LABEL: func.func @constant_filters(
// CHECK:         llvm.mlir.addressof @[[FILTERS:filters_packed.*]] :
// CHECK:         call @tally_rt_host_contract
// CHECK:         llvm.mlir.addressof @[[FILTERS]] :
// CHECK:         call @tally_rt_host_contract
// CHECK-NOT:     llvm.mlir.addressof @[[FILTERS]] :
// CHECK:         llvm.mlir.addressof @filters_packed
// CHECK:         call @tally_rt_host_contract
func.func @constant_filters(%ctx: !llvm.ptr, %x: memref<?x4x?xf32>, %c: memref<?x4x?xf32>) {
  %w = memref.get_global @filters : memref<4x4x3xf32>
  tally.contract ins(%w, %x : memref<4x4x3xf32>, memref<?x4x?xf32>) outs(%c : memref<?x4x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (o, c, i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>, affine_map<(n, o, x, c, i) -> (n, o, x)>]
  tally.contract ins(%w, %x : memref<4x4x3xf32>, memref<?x4x?xf32>) outs(%c : memref<?x4x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (o, c, i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>, affine_map<(n, o, x, c, i) -> (n, o, x)>]
  tally.contract ins(%w, %x : memref<4x4x3xf32>, memref<?x4x?xf32>) outs(%c : memref<?x4x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (c, o, i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>, affine_map<(n, o, x, c, i) -> (n, o, x)>]
  return
}
