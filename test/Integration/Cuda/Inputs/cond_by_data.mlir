// Twice x where the flag says so, else x squared.
func.func @main(%flag: tensor<i1> {tally.name = "flag"},
                %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %value = tally.item %flag : tensor<i1>
  %result = tally.cond %value (%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %zero = arith.constant 0 : index
    %n = tensor.dim %a, %zero : tensor<?xf32>
    %empty = tensor.empty(%n) : tensor<?xf32>
    %doubled = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %doubled : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    %zero = arith.constant 0 : index
    %n = tensor.dim %a, %zero : tensor<?xf32>
    %empty = tensor.empty(%n) : tensor<?xf32>
    %squared = linalg.mul ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    tally.yield %squared : tensor<?xf32>
  }
  return %result : tensor<?xf32>
}
