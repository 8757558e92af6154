func.func @loop(%x: tensor<?x?xf32>, %n: index, %c: i1) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.5 : f32
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %part = tensor.extract_slice %x[%c0, 0] [%n, %d] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %chosen = scf.if %c -> tensor<?x?xf32> {
    scf.yield %part : tensor<?x?xf32>
  } else {
    scf.yield %x : tensor<?x?xf32>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %chosen) -> tensor<?x?xf32> {
    %e = tensor.extract %x[%i, %c0] : tensor<?x?xf32>
    %f = linalg.map ins(%acc : tensor<?x?xf32>) outs(%acc : tensor<?x?xf32>) (%in: f32, %out: f32) {
      %s = arith.addf %in, %e : f32
      linalg.yield %s : f32
    }
    scf.yield %f : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
