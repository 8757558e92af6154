// RUN: tally-opt %s -tally-lower-data-dependent -canonicalize -cse | FileCheck %s
// RUN: tally-opt %s -tally-lower-data-dependent \
// RUN:   -canonicalize -cse -eliminate-empty-tensors -empty-tensor-to-alloc-tensor \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops" \
// RUN:   -canonicalize -cse | FileCheck %s --check-prefix=BUFFER

// The size of the result is what was counted; one allocation, no copy.
// CHECK-LABEL: func.func @masked_select(
// CHECK-SAME:    %[[X:.*]]: tensor<?x3xf32>, %[[M:.*]]: tensor<?x3xi1>)
// CHECK:       linalg.generic {{.*}} ins(%[[M]] : tensor<?x3xi1>) outs(%{{.*}} : tensor<i64>)
// CHECK:       %[[COUNT:.*]] = arith.minsi
// CHECK:       tensor.empty(%[[COUNT]]) : tensor<?xf32>
// CHECK:       arith.cmpi ult, %{{.*}}, %[[COUNT]]
// CHECK:       scf.if
// CHECK:         %[[E:.*]] = tensor.extract %[[X]]
// CHECK:         tensor.insert %[[E]]
// CHECK:       return %{{.*}}, %[[COUNT]]
// BUFFER-LABEL: func.func @masked_select(
// BUFFER:       memref.alloc() {{.*}} : memref<i64>
// BUFFER:       memref.alloc({{.*}} : memref<?xf32>
// BUFFER-NOT:   memref.alloc
// BUFFER-NOT:   memref.copy
// BUFFER:       return
func.func @masked_select(%x: tensor<?x3xf32>, %m: tensor<?x3xi1>) -> (tensor<?xf32>, index) {
  %r = tally.masked_select %x, %m : tensor<?x3xf32>, tensor<?x3xi1>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %n : tensor<?xf32>, index
}

// A negative count counts for nothing; the sum stops at what an index can hold.
// CHECK-LABEL: func.func @repeat_interleave(
// CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:   %[[MAX:.*]] = arith.constant 9223372036854775807 : index
// CHECK:       scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[C0]])
// CHECK:         %[[ROOM:.*]] = arith.subi %[[MAX]], %[[SUM]]
// CHECK:         %[[NATURAL:.*]] = arith.maxsi %{{.*}}, %[[C0]]
// CHECK:         arith.minsi %[[NATURAL]], %[[ROOM]]
// CHECK:       %[[TOTAL:.*]] = arith.maxsi
// CHECK:       tensor.empty(%[[TOTAL]]) : tensor<?xi64>
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           arith.cmpi ult, %{{.*}}, %[[TOTAL]]
// CHECK:       return %{{.*}}, %[[TOTAL]]
// BUFFER-LABEL: func.func @repeat_interleave(
// BUFFER:       memref.alloc
// BUFFER-NOT:   memref.alloc
// BUFFER-NOT:   memref.copy
// BUFFER:       return
func.func @repeat_interleave(%n: tensor<?xi64>) -> (tensor<?xi64>, index) {
  %r = tally.repeat_interleave %n : tensor<?xi64>
  %c0 = arith.constant 0 : index
  %s = tensor.dim %r, %c0 : tensor<?xi64>
  return %r, %s : tensor<?xi64>, index
}

// CHECK-LABEL: func.func @bincount(
// CHECK-SAME:    %{{.*}}: tensor<?xi64>, %[[W:.*]]: tensor<?xf32>, %[[LEAST:.*]]: index)
// CHECK:       %[[NATURAL:.*]] = arith.maxsi %[[LEAST]]
// CHECK:       %[[SIZE:.*]] = arith.maxsi %{{.*}}, %[[NATURAL]]
// CHECK:       linalg.fill
// CHECK:       %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[SIZE]]
// CHECK:       scf.if %[[IN]]
// CHECK:         %[[OLD:.*]] = tensor.extract
// CHECK:         %[[ADDEND:.*]] = tensor.extract %[[W]]
// CHECK:         arith.addf %[[OLD]], %[[ADDEND]] : f32
// CHECK:       return %{{.*}}, %[[SIZE]]
// BUFFER-LABEL: func.func @bincount(
// BUFFER:       memref.alloc
// BUFFER-NOT:   memref.alloc
// BUFFER-NOT:   memref.copy
// BUFFER:       return
func.func @bincount(%v: tensor<?xi64>, %w: tensor<?xf32>, %k: index) -> (tensor<?xf32>, index) {
  %r = tally.bincount %v minlength %k weights %w : tensor<?xi64>, tensor<?xf32>
  %c0 = arith.constant 0 : index
  %s = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %s : tensor<?xf32>, index
}

// Values and counts have the size that was counted. What nobody asks for is not
// computed: without the inverse only the values are sorted.
// CHECK-LABEL: func.func @unique(
// CHECK:       tally.sort ins(%{{.*}} : tensor<?xf32>) values(%{{.*}} : tensor<?xf32>) dim 0 -> tensor<?xf32>
// CHECK:       linalg.fill {{.*}} -> tensor<?xi64>
// CHECK:       return %{{.*}}, %{{.*}}, %[[COUNT:.*]], %[[COUNT]] :
func.func @unique(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>, index, index) {
  %v, %i, %c = tally.unique %x : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %v, %c0 : tensor<?xf32>
  %m = tensor.dim %c, %c0 : tensor<?xi64>
  return %v, %c, %n, %m : tensor<?xf32>, tensor<?xi64>, index, index
}

// There are few values of a byte, so that whole blocks of 256 sorted elements are equal: a loop over a block writes only
// where one counted a change.
// CHECK-LABEL: func.func @bytes(
// CHECK:       tally.sort ins(%{{.*}} : tensor<?xi8>) values(%{{.*}} : tensor<?xi8>) dim 0 -> tensor<?xi8>
// CHECK:       scf.for
// CHECK-NOT:     scf.if
// CHECK:         arith.cmpi ne, %{{.*}}, %{{.*}} : i8
// CHECK:       %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?xi8>
// CHECK:       scf.for %{{.*}} iter_args(%{{.*}} = %[[EMPTY]], %{{.*}}) -> (tensor<?xi8>, index) {
// CHECK:         %[[CHANGES:.*]] = scf.for
// CHECK-NOT:       scf.if
// CHECK:           arith.cmpi ne, %{{.*}}, %{{.*}} : i8
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             tensor.insert
func.func @bytes(%x: tensor<?xi8>) -> tensor<?xi8> {
  %v, %i, %c = tally.unique %x : tensor<?xi8>
  return %v : tensor<?xi8>
}

// CHECK-LABEL: func.func @inverse(
// CHECK:       %[[FLAT:.*]] = tensor.collapse_shape
// CHECK:       tally.sort ins(%[[FLAT]] : tensor<?xi8>) values(%{{.*}} : tensor<?xi8>) indices(%{{.*}} : tensor<?xi64>) dim 0
// CHECK:       tensor.expand_shape
// BUFFER-LABEL: func.func @inverse(
// The sorted values and places, and the results that are used: no counts.
// Nothing is copied.
// BUFFER-NOT:   memref.copy
// BUFFER-COUNT-3: memref.alloc
// BUFFER:       tally.sort
// BUFFER:       memref.alloc
// BUFFER-NOT:   memref.alloc
// BUFFER-NOT:   memref.copy
// BUFFER:       return
// BUFFER-LABEL: func.func @parts(
func.func @inverse(%x: tensor<?x2xi8>) -> (tensor<?xi8>, tensor<?x2xi64>) {
  %v, %i, %c = tally.unique %x : tensor<?x2xi8>
  return %v, %i : tensor<?xi8>, tensor<?x2xi64>
}

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:       tensor.extract_slice %[[X]][0, %{{.*}}] [%{{.*}}, %[[N:.*]]] [1, 3] : tensor<?x8xf32> to tensor<?x?xf32>
// CHECK:       tensor.extract_slice %[[X]][%{{.*}}, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
// CHECK:       tensor.extract_slice %[[X]][0, 0] [%[[I]], 8] [1, 1]
// CHECK:       tensor.extract_slice %[[X]][%[[I]], 0] [%[[J]], 8] [1, 1]
func.func @parts(%x: tensor<?x8xf32>, %i: index, %j: index) -> (tensor<?x?xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = tally.slice %x[%i to %j step 3] dim 1 : tensor<?x8xf32>
  %b = tally.select %x[%i] dim 0 : tensor<?x8xf32>
  %c, %d = tally.split %x[%i, %j] dim 0 : tensor<?x8xf32>
  return %a, %b, %c, %d : tensor<?x?xf32>, tensor<8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
