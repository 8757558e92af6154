func.func @identity(%x: tensor<?xi1>) -> tensor<?xi1> { return %x : tensor<?xi1> }

func.func @negated(%x: tensor<?xi1>) -> tensor<?xi1> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi1>
  %e = tensor.empty(%n) : tensor<?xi1>
  %one = arith.constant true
  %r = linalg.map ins(%x : tensor<?xi1>) outs(%e : tensor<?xi1>) (%b: i1, %o: i1) {
    %not = arith.xori %b, %one : i1
    linalg.yield %not : i1
  }
  return %r : tensor<?xi1>
}

// Rows of one piece, and columns, are copied.
func.func @joined(%x: tensor<?xi1>) -> (tensor<?xi1>, tensor<?x2xi1>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi1>
  %r = tensor.concat dim(0) %x, %x : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %columns = tensor.expand_shape %x [[0, 1]] output_shape [%n, 1] : tensor<?xi1> into tensor<?x1xi1>
  %s = tensor.concat dim(1) %columns, %columns : (tensor<?x1xi1>, tensor<?x1xi1>) -> tensor<?x2xi1>
  return %r, %s : tensor<?xi1>, tensor<?x2xi1>
}

func.func @sorted(%x: tensor<?xi1>) -> tensor<?xi1> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi1>
  %e = tensor.empty(%n) : tensor<?xi1>
  %r = tally.sort ins(%x : tensor<?xi1>) values(%e : tensor<?xi1>) dim 0 -> tensor<?xi1>
  return %r : tensor<?xi1>
}

func.func @summed(%x: tensor<?xi1>) -> i64 {
  %n = tally.custom_call @sum_bytes(%x) : (tensor<?xi1>) -> i64
  return %n : i64
}
