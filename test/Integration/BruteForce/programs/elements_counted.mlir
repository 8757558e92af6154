// A sum of as many zeros and ones as there are elements.
#q = affine_map<(d0, d1) -> (d0)>
#x = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xi64>, %q: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %n = tensor.dim %q, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %z = linalg.fill ins(%zero : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %counts = linalg.generic {indexing_maps = [#q, #x, #q], iterator_types = ["parallel", "reduction"]}
      ins(%q, %x : tensor<?xi64>, tensor<?xi64>) outs(%z : tensor<?xi64>) {
  ^bb0(%a: i64, %b: i64, %sum: i64):
    %is = arith.cmpi slt, %b, %a : i64
    %one = arith.extui %is : i1 to i64
    %next = arith.addi %sum, %one : i64
    linalg.yield %next : i64
  } -> tensor<?xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%counts : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%i: i64, %o: i64):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xi64>
    linalg.yield %v : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}
