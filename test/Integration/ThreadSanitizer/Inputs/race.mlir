// Every iteration writes one place: what ThreadSanitizer has to find.
func.func @main(%x: tensor<?xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = memref.alloc() : memref<1xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %value = tensor.extract %x[%i] : tensor<?xf32>
    memref.store %value, %last[%c0] : memref<1xf32>
    scf.reduce
  }
  %result = bufferization.to_tensor %last restrict : memref<1xf32> to tensor<1xf32>
  return %result : tensor<1xf32>
}
