func.func @shapes(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %sx = shape.shape_of %x : tensor<?x?xf32> -> tensor<2xindex>
  %sy = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
  %w = shape.cstr_broadcastable %sx, %sy : tensor<2xindex>, tensor<1xindex>
  %r = shape.assuming %w -> (tensor<?x?xf32>) {
    %b = shape.broadcast %sx, %sy : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %c0 = arith.constant 0 : index
    %d = tensor.extract %b[%c0] : tensor<2xindex>
    %z = tensor.reshape %x(%b) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    shape.assuming_yield %z : tensor<?x?xf32>
  }
  %n = shape.num_elements %sx : tensor<2xindex> -> index
  %f = tensor.empty(%n) : tensor<?xf32>
  return %r : tensor<?x?xf32>
}
