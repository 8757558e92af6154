// A boolean that is extended with its sign is -1.
func.func @main(%p: i1, %q: i1, %x: tensor<?xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %a = arith.index_cast %p : i1 to index
  %b = arith.index_castui %q : i1 to index
  %sum = arith.addi %a, %b : index
  %at = arith.addi %sum, %c1 : index
  %r = tensor.extract %x[%at] : tensor<?xf32>
  return %r : f32
}
