// A number goes around a loop and indexes; what it is at the end slices.
func.func @main(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> index {
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %w = arith.fptosi %v : f32 to i64
    %step = arith.index_cast %w : i64 to index
    %next = arith.addi %at, %step : index
    scf.yield %next : index
  }
  %r = tensor.extract_slice %x[0] [%end] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
