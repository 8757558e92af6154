// One of three ways, each with a precondition of its own.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.index_switch %n -> tensor<?xf32>
  case 2 {
    %h = tensor.extract_slice %y[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %h : tensor<?xf32>
  }
  case 5 {
    %s = arith.addf %x, %y : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  default {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
