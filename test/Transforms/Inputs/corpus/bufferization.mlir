func.func @both(%m: memref<?x?xf32>, %n: index, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %x = bufferization.to_tensor %m restrict : memref<?x?xf32> to tensor<?x?xf32>
  %a = bufferization.alloc_tensor(%n) : tensor<?x4xf32>
  %b = bufferization.alloc_tensor() copy(%x) : tensor<?x?xf32>
  %c = bufferization.materialize_in_destination %b in %t : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = bufferization.to_buffer %c : tensor<?x?xf32> to memref<?x?xf32>
  %e = arith.addf %c, %x : tensor<?x?xf32>
  bufferization.dealloc_tensor %a : tensor<?x4xf32>
  return %e : tensor<?x?xf32>
}
