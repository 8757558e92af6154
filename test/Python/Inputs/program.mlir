func.func @add(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
               %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s2, s3>})
    -> (tensor<?x?xf32> {tally.name = "sum"})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 1000], s1, s2, s3>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %init = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sum = linalg.add ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}

func.func @scalars(%n: i64 {tally.name = "n", tally.value = #tally.expr<s0>}, %f: f64 {tally.name = "f"},
                   %b: i1 {tally.name = "b"}, %u: i8 {tally.name = "u", tally.unsigned})
    -> (index, f64, i1, i8 {tally.unsigned})
    attributes {tally.symbols = #tally.symbols<s0 : [-5, 5]>} {
  tally.check <"s0 != 3">, "three is too many"
  %twice = tally.size <s0 * 2> : index
  %g = arith.addf %f, %f : f64
  %true = arith.constant true
  %c = arith.xori %b, %true : i1
  return %twice, %g, %c, %u : index, f64, i1, i8
}

func.func @update(%x: tensor<?xi64> {tally.name = "x"}) -> (tensor<?xi64> {tally.mutates = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %init = tensor.empty(%n) : tensor<?xi64>
  %sum = linalg.add ins(%x, %x : tensor<?xi64>, tensor<?xi64>) outs(%init : tensor<?xi64>) -> tensor<?xi64>
  return %sum : tensor<?xi64>
}

func.func @same(%x: tensor<?xbf16>, %y: tensor<?xi1>, %z: tensor<?x2xf16>) -> (tensor<?xbf16>, tensor<?xi1>, tensor<?x2xf16>) {
  return %x, %y, %z : tensor<?xbf16>, tensor<?xi1>, tensor<?x2xf16>
}

func.func @large(%n: index) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %init = tensor.empty(%n, %n) : tensor<?x?xf64>
  %filled = linalg.fill ins(%zero : f64) outs(%init : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %filled : tensor<?x?xf64>
}

func.func @layout(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                  %rows: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<s2>},
                  %columns: index {tally.hidden = #tally.path<argument(0).stride(1)>, tally.value = #tally.expr<s3>},
                  %offset: index {tally.hidden = #tally.path<argument(0).storage_offset>, tally.value = #tally.expr<s4>})
    -> (index, index, index, tensor<?x?xf32>)
    attributes {tally.symbols = #tally.symbols<s0, s1, s2 : [-100, 100], s3 : [-100, 100], s4 : [0, 40]>} {
  tally.check <s2 <= s1 * 3>, "the rows are too far apart"
  return %rows, %columns, %offset, %x : index, index, index, tensor<?x?xf32>
}

func.func @numbers(%n: i64, %f: f64, %b: i1) -> (i64, f64, i1) {
  return %n, %f, %b : i64, f64, i1
}

func.func @kinds(%a: tensor<?xi8>, %b: tensor<?xi16>, %c: tensor<?xi32>, %d: tensor<?xi64>,
                 %e: tensor<?xi8> {tally.unsigned}, %f: tensor<?xi16> {tally.unsigned}, %g: tensor<?xi32> {tally.unsigned},
                 %h: tensor<?xi64> {tally.unsigned}, %i: tensor<?xf16>, %j: tensor<?xf32>, %k: tensor<?xf64>, %l: tensor<?xi1>)
    -> (tensor<?xi8>, tensor<?xi16>, tensor<?xi32>, tensor<?xi64>, tensor<?xi8> {tally.unsigned}, tensor<?xi16> {tally.unsigned},
        tensor<?xi32> {tally.unsigned}, tensor<?xi64> {tally.unsigned}, tensor<?xf16>, tensor<?xf32>, tensor<?xf64>, tensor<?xi1>) {
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l
      : tensor<?xi8>, tensor<?xi16>, tensor<?xi32>, tensor<?xi64>, tensor<?xi8>, tensor<?xi16>, tensor<?xi32>, tensor<?xi64>,
        tensor<?xf16>, tensor<?xf32>, tensor<?xf64>, tensor<?xi1>
}

func.func @deep(%x: tensor<1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1xf32> {
  return %x : tensor<1x1x1x1x1x1x1x1xf32>
}
func.func @deeper(%x: tensor<1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1xf32> {
  return %x : tensor<1x1x1x1x1x1x1x1x1xf32>
}
