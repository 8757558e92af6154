// From -3 to 1: what is negative is counted from the end, which may not be there.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %v: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %size = arith.index_cast %a : index to i64
  %b = tensor.dim %v, %c0 : tensor<?xi64>
  %e = tensor.empty(%b) : tensor<?xi64>
  %at = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%w: i64, %o: i64):
    %zero = arith.constant 0 : i64
    %three = arith.constant 3 : i64
    %five = arith.constant 5 : i64
    %q = arith.floordivsi %w, %five : i64
    %times = arith.muli %q, %five : i64
    %rest = arith.subi %w, %times : i64
    %small = arith.remsi %rest, %five : i64
    %moved = arith.subi %small, %three : i64
    %is = arith.cmpi slt, %moved, %zero : i64
    %up = arith.addi %moved, %size : i64
    %h = arith.select %is, %up, %moved : i64
    linalg.yield %h : i64
  } -> tensor<?xi64>
  %m = tensor.dim %at, %c0 : tensor<?xi64>
  %f = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %y = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
