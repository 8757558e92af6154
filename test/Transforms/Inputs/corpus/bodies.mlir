func.func @deep(%x: tensor<?xf32>, %at: tensor<?xi32>, %n: index) -> tensor<?xf32> {
  %0 = tensor.generate %n {
  ^bb0(%i: index):
    %a = tensor.extract %at[%i] : tensor<?xi32>
    %j = arith.index_cast %a : i32 to index
    %b = tensor.extract %at[%j] : tensor<?xi32>
    %k = arith.index_castui %b : i32 to index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  %1 = tensor.pad %0 low[1] high[%n] {
  ^bb0(%i: index):
    %a = tensor.extract %at[%i] : tensor<?xi32>
    %j = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @branching(%x: tensor<?xf32>, %at: tensor<?xindex>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xindex>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: index, %b: f32):
    %p = arith.cmpf ogt, %b, %b : f32
    %v = scf.if %p -> f32 {
      %w = tensor.extract %x[%a] : tensor<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %b : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @shaped(%x: tensor<?x4xf32>, %s: tensor<3xi64>, %t: tensor<2xi1>, %u: tensor<0xindex>, %f: tensor<1xf32>) -> tensor<?x?x?xf32> {
  %0 = tensor.reshape %x(%s) : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %1 = tensor.reshape %f(%t) : (tensor<1xf32>, tensor<2xi1>) -> tensor<1x?xf32>
  %2 = tensor.reshape %f(%u) : (tensor<1xf32>, tensor<0xindex>) -> tensor<f32>
  return %0 : tensor<?x?x?xf32>
}
