// Accesses that have no meaning.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} outside --input i64=4 | FileCheck %s --check-prefix=OUTSIDE
// RUN: %{refuse} outside --input i64=-1 | FileCheck %s --check-prefix=BEFORE
// RUN: %{refuse} behind --input i64=8 | FileCheck %s --check-prefix=BEHIND
// RUN: %{refuse} freed | FileCheck %s --check-prefix=FREED
// RUN: %{refuse} freed_twice | FileCheck %s --check-prefix=TWICE
// RUN: %{refuse} frees_argument --input 'f32[1]=1' | FileCheck %s --check-prefix=ARGUMENT
// RUN: %{refuse} writes_argument --input 'f32[1]=1' | FileCheck %s --check-prefix=WRITES
// RUN: %{refuse} unwritten | FileCheck %s --check-prefix=UNWRITTEN
// RUN: %{refuse} claims --input i64=3 | FileCheck %s --check-prefix=CLAIMS
// RUN: %{refuse} gap | FileCheck %s --check-prefix=GAP
// RUN: %{refuse} expands --input i64=3 | FileCheck %s --check-prefix=EXPANDS
// RUN: %{refuse} no_dim --input i64=2 | FileCheck %s --check-prefix=NO-DIM
// RUN: %{refuse} layout | FileCheck %s --check-prefix=LAYOUT
// RUN: %{refuse} variable | FileCheck %s --check-prefix=VARIABLE
// RUN: %{refuse} unaligned --input 'f32[8]=0,0,0,0,0,0,0,0' --input i64=2 | FileCheck %s --check-prefix=UNALIGNED
// RUN: %{refuse} wide | FileCheck %s --check-prefix=WIDE
// RUN: %{refuse} row | FileCheck %s --check-prefix=ROW
// RUN: %{refuse} rows | FileCheck %s --check-prefix=ROWS
// RUN: %{refuse} update | FileCheck %s --check-prefix=UPDATE
// RUN: %{refuse} thread | FileCheck %s --check-prefix=THREAD
// RUN: %{refuse} reads_back | FileCheck %s --check-prefix=READ-BACK
// RUN: %{refuse} matmul | FileCheck %s --check-prefix=MATMUL
// RUN: %{refuse} contract | FileCheck %s --check-prefix=CONTRACT
// RUN: %{refuse} prologue | FileCheck %s --check-prefix=PROLOGUE
// RUN: %{refuse} poison | FileCheck %s --check-prefix=POISON

// POISON: the interpreter has no buffer that is poison
func.func @poison() -> index {
  %c0 = arith.constant 0 : index
  %a = ub.poison : memref<?xf32>
  %r = memref.dim %a, %c0 : memref<?xf32>
  return %r : index
}

// OUTSIDE: tally-run: {{.*}}buffers-invalid.mlir:[[#@LINE+4]]:8: 'memref.load' accesses element [4] of a buffer of 4, in an allocation of 4
// BEFORE: 'memref.load' accesses element [-1] of a buffer of 4, in an allocation of 4
func.func @outside(%i: index) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  %r = memref.load %a[%i] : memref<4xf32>
  return %r : f32
}

// A view may be larger than what it sees.
// BEHIND: tally-run: {{.*}}:[[#@LINE+6]]:3: 'memref.store' accesses element [0, 8] of a buffer of 1x100, in an allocation of 8
func.func @behind(%i: index) {
  %a = memref.alloc() : memref<8xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [1, 100], strides: [100, 1] : memref<8xf32> to memref<1x100xf32, strided<[100, 1]>>
  memref.store %z, %v[%c0, %i] : memref<1x100xf32, strided<[100, 1]>>
  return
}

// FREED: tally-run: {{.*}}:[[#@LINE+6]]:8: 'memref.load' uses a buffer that has been freed
func.func @freed() -> f32 {
  %a = memref.alloc() : memref<f32>
  %z = arith.constant 0.0 : f32
  memref.store %z, %a[] : memref<f32>
  memref.dealloc %a : memref<f32>
  %r = memref.load %a[] : memref<f32>
  return %r : f32
}

// TWICE: 'memref.dealloc' uses a buffer that has been freed
func.func @freed_twice() {
  %a = memref.alloc() : memref<f32>
  memref.dealloc %a : memref<f32>
  memref.dealloc %a : memref<f32>
  return
}

// ARGUMENT: 'memref.dealloc' frees what the program has not allocated
func.func @frees_argument(%x: memref<1xf32>) {
  memref.dealloc %x : memref<1xf32>
  return
}

// WRITES: 'memref.store' writes to a buffer that may only be read
func.func @writes_argument(%x: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  memref.store %z, %x[%c0] : memref<1xf32>
  return
}

// UNWRITTEN: tally-run: {{.*}}element 1 of result 0 is poison; poison was first made at {{.*}}:[[#@LINE+6]]:8 by memref.load: the element was never written
func.func @unwritten() -> memref<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2xf32>
  %e = memref.load %a[%c1] : memref<2xf32>
  memref.store %z, %a[%c0] : memref<2xf32>
  memref.store %e, %a[%c1] : memref<2xf32>
  return %a : memref<2xf32>
}

// CLAIMS: 'memref.cast' has size 3 where its type says 4
func.func @claims(%n: index) -> memref<4xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %r = memref.cast %a : memref<?xf32> to memref<4xf32>
  return %r : memref<4xf32>
}

// GAP: 'memref.collapse_shape' collapses dimensions with a gap between them
func.func @gap() -> f32 {
  %a = memref.alloc() : memref<4x4xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %v = memref.subview %a[0, 0] [%c2, %c2] [1, 1] : memref<4x4xf32> to memref<?x?xf32, strided<[4, 1]>>
  %base, %o, %s:2, %t:2 = memref.extract_strided_metadata %v : memref<?x?xf32, strided<[4, 1]>> -> memref<f32>, index, index, index, index, index
  %w = memref.reinterpret_cast %base to offset: [0], sizes: [2, 2], strides: [%c4, 1] : memref<f32> to memref<2x2xf32, strided<[?, 1]>>
  %f = memref.collapse_shape %w [[0, 1]] : memref<2x2xf32, strided<[?, 1]>> into memref<4xf32, strided<[1]>>
  %r = memref.load %f[%c0] : memref<4xf32, strided<[1]>>
  return %r : f32
}

// EXPANDS: check failed: {{.*}} 6 == 4 does not hold; size 0; needed by memref.expand_shape
func.func @expands(%n: index) -> memref<?x2xf32> {
  %a = memref.alloc() : memref<4xf32>
  %d = memref.cast %a : memref<4xf32> to memref<?xf32>
  %r = memref.expand_shape %d [[0, 1]] output_shape [%n, 2] : memref<?xf32> into memref<?x2xf32>
  return %r : memref<?x2xf32>
}

// NO-DIM: check failed: {{.*}} 0 <= 2 < 1 does not hold; needed by memref.dim
func.func @no_dim(%i: index) -> index {
  %a = memref.alloc() : memref<4xf32>
  %d = memref.cast %a : memref<4xf32> to memref<?xf32>
  %r = memref.dim %d, %i : memref<?xf32>
  return %r : index
}

// LAYOUT: the interpreter allocates no buffers with a layout
func.func @layout() -> index {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32, strided<[2]>>
  %r = memref.dim %a, %c0 : memref<4xf32, strided<[2]>>
  return %r : index
}

// VARIABLE: the interpreter has no memory that lives longer than a call
memref.global "private" @counter : memref<2xi64> = dense<[5, 7]>
func.func @variable() -> i64 {
  %c0 = arith.constant 0 : index
  %t = memref.get_global @counter : memref<2xi64>
  %r = memref.load %t[%c0] : memref<2xi64>
  return %r : i64
}

// UNALIGNED: tally-run: {{.*}}:[[#@LINE+2]]:8: 'vector.load' accesses address {{[0-9]+}}, which is no multiple of 16
func.func @unaligned(%x: memref<8xf32>, %i: index) -> f32 {
  %v = vector.load %x[%i] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>
  %r = vector.extract %v[0] : f32 from vector<4xf32>
  return %r : f32
}

// WIDE: the interpreter loads and stores only vectors of one dimension
func.func @wide() -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4x4xf32>
  %v = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<2x2xf32>
  %r = vector.extract %v[0, 0] : f32 from vector<2x2xf32>
  return %r : f32
}

// ROW: the interpreter extracts only scalars
func.func @row() -> f32 {
  %v = arith.constant dense<0.0> : vector<2x2xf32>
  %w = vector.extract %v[0] : vector<2xf32> from vector<2x2xf32>
  %r = vector.extract %w[0] : f32 from vector<2xf32>
  return %r : f32
}

// ROWS: the interpreter broadcasts only scalars
func.func @rows() -> f32 {
  %v = arith.constant dense<0.0> : vector<2xf32>
  %w = vector.broadcast %v : vector<2xf32> to vector<2x2xf32>
  %r = vector.extract %w[0, 0] : f32 from vector<2x2xf32>
  return %r : f32
}

// UPDATE: the interpreter does not know this kind of update
func.func @update() -> i32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %a = memref.alloc() : memref<1xi32>
  memref.store %z, %a[%c0] : memref<1xi32>
  %r = memref.atomic_rmw xori %z, %a[%c0] : (i32, memref<1xi32>) -> i32
  return %r : i32
}

// THREAD: there are threads only in a kernel
func.func @thread() -> index {
  %r = gpu.thread_id x
  return %r : index
}

// READ-BACK: what the host reads is poison
func.func @reads_back() -> i64 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xi64>
  %r = tally.read_back %a[%c0] : memref<1xi64>
  return %r : i64
}

// MATMUL: a matmul needs buffers and a kernel
func.func @matmul() {
  %a = memref.alloc() : memref<2x2xf32>
  %c = memref.alloc() : memref<2x2xf32>
  tally.matmul ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%c : memref<2x2xf32>)
  return
}

// PROLOGUE: a matmul on a GPU has no prologue
func.func @prologue() {
  %a = memref.alloc() : memref<2x2xf32>
  %b = memref.alloc() : memref<2x2xi8>
  %c = memref.alloc() : memref<2x2xf32>
  tally.matmul ins(%a, %b : memref<2x2xf32>, memref<2x2xi8>) outs(%c : memref<2x2xf32>) prologue {
  ^bb0(%byte: i8):
    %f = arith.sitofp %byte : i8 to f32
    tally.yield %f : f32
  } {fallback = @kernels::@product}
  return
}

// CONTRACT: a contraction needs buffers and kernels
func.func @contract() {
  %w = memref.alloc() : memref<2x2x1xf32>
  %a = memref.alloc() : memref<2x2x2xf32>
  %c = memref.alloc() : memref<2x2x2xf32>
  tally.contract ins(%w, %a : memref<2x2x1xf32>, memref<2x2x2xf32>) outs(%c : memref<2x2x2xf32>)
      maps [affine_map<(n, o, x, c, i) -> (o, c, i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>,
            affine_map<(n, o, x, c, i) -> (n, o, x)>]
  return
}
