// x.reshape(-1) + y, checked: the example that the C programs call. Rows run in
// parallel, and each checks its elements, so that a check can fail in any thread.
func.func @main(
    %x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
    %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s2, s3>})
    -> (tensor<?x?xf32> {tally.name = "sum", tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 100000] from "x.size(0)", s1 : from "x.size(1)", s2 : from "y.size(0)", s3 : from "y.size(1)">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 1000.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %e1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %ok0 = arith.cmpi eq, %d0, %e0 : index
  tally.assert %ok0, <s0 == s2> (s0 = %d0, s2 = %e0 : index, index) sources({s0 = "x.size(0)", s2 = "y.size(0)"}) required_by("linalg.add")
  %ok1 = arith.cmpi eq, %d1, %e1 : index
  tally.assert %ok1, <s1 == s3> (s1 = %d1, s3 = %e1 : index, index) sources({s1 = "x.size(1)", s3 = "y.size(1)"}) required_by("linalg.add")
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %sum = linalg.add ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.forall (%i) in (%d0) shared_outs(%o = %sum) -> tensor<?x?xf32> {
    scf.for %j = %c0 to %d1 step %c1 {
      %v = tensor.extract %sum[%i, %j] : tensor<?x?xf32>
      %in = arith.cmpf olt, %v, %limit : f32
      tally.assert %in, <v < 1000> (i = %i, j = %j, v = %v : index, index, f32) message("the sum is too large")
    }
    %row = tensor.extract_slice %sum[%i, 0] [1, %d1] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, %d1] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
    }
  }
  return %r : tensor<?x?xf32>
}
