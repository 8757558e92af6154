func.func @unregistered(%x: tensor<?xf32>, %n: index) -> tensor<?x?xf32> {
  %0:3 = "other.many"(%x, %n) ({
  ^bb0(%a: tensor<?xf32>, %i: index):
    %1 = arith.addf %a, %x : tensor<?xf32>
    %v = tensor.extract %1[%i] : tensor<?xf32>
    "other.yield"(%1, %v) : (tensor<?xf32>, f32) -> ()
  }, {
  }) {some = "attribute"} : (tensor<?xf32>, index) -> (tensor<?x?xf32>, !other.type, index)
  %2 = tensor.empty(%0#2) : tensor<?xf32>
  %3 = "other.branch"(%2)[^next] : (tensor<?xf32>) -> tensor<?xf32>
^next:
  return %0#0 : tensor<?x?xf32>
}
"other.module"() ({
  func.func @inside(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}) : () -> ()
