func.func @buffers(%m: memref<?x?xf32>, %n: index) -> memref<?x?xf32, strided<[?, ?]>> {
  %c0 = arith.constant 0 : index
  %d = memref.dim %m, %c0 : memref<?x?xf32>
  %a = memref.alloc(%d, %n) : memref<?x?xf32>
  %s = memref.subview %a[%n, 0] [%d, 4] [1, 2] : memref<?x?xf32> to memref<?x4xf32, strided<[?, 2], offset: ?>>
  %v = memref.load %m[%n, %n] : memref<?x?xf32>
  memref.store %v, %a[%n, %n] : memref<?x?xf32>
  %u = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  %e = memref.dim %u, %n : memref<*xf32>
  %l = memref.subview %m[0, 0] [%n, %n] [%n, %n] : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?]>>
  memref.dealloc %a : memref<?x?xf32>
  return %l : memref<?x?xf32, strided<[?, ?]>>
}
func.func @atomic(%m: memref<?xf32>, %i: index, %f: f32) {
  %0 = memref.generic_atomic_rmw %m[%i] : memref<?xf32> {
  ^bb0(%old: f32):
    %s = arith.addf %old, %f : f32
    memref.atomic_yield %s : f32
  }
  return
}
