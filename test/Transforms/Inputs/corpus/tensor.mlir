func.func @slices(%x: tensor<?x?xf32>, %a: index, %b: index, %c: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[%a, 0] [1, %b] [1, %c] : tensor<?x?xf32> to tensor<?xf32>
  %1 = tensor.extract_slice %x[2, 3] [4, 5] [2, 2] : tensor<?x?xf32> to tensor<4x5xf32>
  %2 = tensor.insert_slice %1 into %x[%a, %b] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<?x?xf32>
  %3 = tensor.insert_slice %0 into %2[0, %a] [1, %b] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
  return %0 : tensor<?xf32>
}
func.func @reshapes(%x: tensor<?x?x4xf32>, %n: index, %shape: tensor<2xindex>, %shape3: tensor<?xi32>, %u: tensor<*xf32>) -> tensor<?x?xf32> {
  %0 = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x?x4xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%n, 16] : tensor<?xf32> into tensor<?x16xf32>
  %2 = tensor.reshape %1(%shape) : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %3 = tensor.reshape %1(%shape3) : (tensor<?x16xf32>, tensor<?xi32>) -> tensor<*xf32>
  %4 = tensor.cast %u : tensor<*xf32> to tensor<?x?xf32>
  %5 = tensor.cast %2 : tensor<?x?xf32> to tensor<*xf32>
  %6 = tensor.dim %u, %n : tensor<*xf32>
  %7 = tensor.rank %u : tensor<*xf32>
  return %4 : tensor<?x?xf32>
}
func.func @rank0(%x: tensor<f32>, %n: index) -> tensor<?x?xf32> {
  %0 = tensor.extract %x[] : tensor<f32>
  %1 = tensor.splat %0[%n, %n] : tensor<?x?xf32>
  %2 = tensor.from_elements %0 : tensor<1xf32>
  %3 = tensor.collapse_shape %2 [] : tensor<1xf32> into tensor<f32>
  %4 = tensor.expand_shape %3 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %1 : tensor<?x?xf32>
}
func.func @pads(%x: tensor<?x?xf32>, %a: index, %f: f32) -> tensor<?x?xf32> {
  %0 = tensor.pad %x low[%a, 1] high[2, %a] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.pad %0 nofold low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %x[%i, %j] : tensor<?x?xf32>
    tensor.yield %v : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @others(%x: tensor<?x?xf32>, %i: tensor<?x1xindex>, %s: tensor<?x1x?xf32>, %d: index) -> tensor<?x?xi32> {
  %0 = tensor.bitcast %x : tensor<?x?xf32> to tensor<?x?xi32>
  %1 = tensor.dim %x, %d : tensor<?x?xf32>
  %2 = tensor.generate %1, %d {
  ^bb0(%a: index, %b: index):
    %v = tensor.extract %0[%a, %b] : tensor<?x?xi32>
    tensor.yield %v : i32
  } : tensor<?x?xi32>
  %3 = tensor.concat dim(1) %2, %0, %2 : (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  return %3 : tensor<?x?xi32>
}
func.func @encoding(%x: tensor<?x?xf32, "layout">) -> tensor<?x?xf32, "layout"> {
  %0 = arith.negf %x : tensor<?x?xf32, "layout">
  return %0 : tensor<?x?xf32, "layout">
}
func.func private @declaration(tensor<?x?xf32>, index) -> tensor<?xf32>
