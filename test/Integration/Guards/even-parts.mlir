// Programs like `x[:n//2*2].view(-1, 2, 4)`, which PyTorch refuses to export: they
// compile, with the one assert that is truly needed, or none.
// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s
// RUN: tally-run %s --compare --cases %S/Inputs/pairs_of_rows.json --entry pairs_of_rows
// RUN: tally-run %s --compare --cases %S/Inputs/pairs_of_a_vector.json --entry pairs_of_a_vector
// RUN: tally-run %s --compare --cases %S/Inputs/halves.json --entry halves
// RUN: tally-run %s --compare --cases %S/Inputs/even_halves.json --entry even_halves
// RUN: tally-run %s --compare --cases %S/Inputs/padded_to_eights.json --entry padded_to_eights
// RUN: tally-run %s --compare --cases %S/Inputs/every_second.json --entry every_second
// RUN: tally-run %s --compare --cases %S/Inputs/pairs_by_number.json --entry pairs_by_number

// x[:n//2*2].view(-1, 2, 4): two rows of four at a time. Needs nothing.

// CHECK-LABEL: func.func @pairs_of_rows
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @pairs_of_rows(%x: tensor<?x4xf32> {tally.name = "x", tally.shape = #tally.shape<n, 4>}) -> tensor<?x2x4xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %even = tally.size <n floordiv 2 * 2> : index
  %half = tally.size <n floordiv 2> : index
  %front = tensor.extract_slice %x[0, 0] [%even, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %r = tensor.expand_shape %front [[0, 1], [2]] output_shape [%half, 2, 4] : tensor<?x4xf32> into tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}

// The same of a vector: what is cut to pairs has to be whole eights.

// CHECK-LABEL: func.func @pairs_of_a_vector
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <n - n mod 2 == n - n mod 8> {{.*}}required_by("tensor.expand_shape")
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @pairs_of_a_vector(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?x2x4xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %even = tally.size <n floordiv 2 * 2> : index
  %blocks = tally.size <n floordiv 8> : index
  %front = tensor.extract_slice %x[0] [%even] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.expand_shape %front [[0, 1, 2]] output_shape [%blocks, 2, 4] : tensor<?xf32> into tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}

// x[:n//8*8].view(-1, 2, 4)

// CHECK-LABEL: func.func @whole_eights
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @whole_eights(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?x2x4xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %whole = tally.size <n floordiv 8 * 8> : index
  %blocks = tally.size <n floordiv 8> : index
  %front = tensor.extract_slice %x[0] [%whole] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.expand_shape %front [[0, 1, 2]] output_shape [%blocks, 2, 4] : tensor<?xf32> into tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}

// x[n % 2:].view(-1, 2)

// CHECK-LABEL: func.func @without_the_odd_one
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @without_the_odd_one(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?x2xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %first = tally.size <n mod 2> : index
  %rest = tally.size <n - n mod 2> : index
  %half = tally.size <n floordiv 2> : index
  %back = tensor.extract_slice %x[%first] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.expand_shape %back [[0, 1]] output_shape [%half, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// x[:n//2] + x[(n + 1)//2:]

// CHECK-LABEL: func.func @halves
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @halves(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %half = tally.size <n floordiv 2> : index
  %at = tally.size <(n + 1) floordiv 2> : index
  %rest = tally.size <n - (n + 1) floordiv 2> : index
  %front = tensor.extract_slice %x[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
  %back = tensor.extract_slice %x[%at] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  %sum = arith.addf %front, %back : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// x[:n//2] + x[n//2:]: only where n is even.

// CHECK-LABEL: func.func @even_halves
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <n floordiv 2 == n ceildiv 2> {{.*}}required_by("arith.addf")
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @even_halves(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %half = tally.size <n floordiv 2> : index
  %rest = tally.size <n - n floordiv 2> : index
  %front = tensor.extract_slice %x[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
  %back = tensor.extract_slice %x[%half] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  %sum = arith.addf %front, %back : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// F.pad(x, (0, -n % 8)).view(-1, 8)

// CHECK-LABEL: func.func @padded_to_eights
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @padded_to_eights(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?x8xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %zero = arith.constant 0.0 : f32
  %more = tally.size <(-n) mod 8> : index
  %blocks = tally.size <n ceildiv 8> : index
  %wide = tensor.pad %x low[0] high[%more] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %r = tensor.expand_shape %wide [[0, 1]] output_shape [%blocks, 8] : tensor<?xf32> into tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// torch.cat([x, x]).view(2, -1)

// CHECK-LABEL: func.func @twice
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @twice(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<2x?xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %n = tally.size <n> : index
  %both = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.expand_shape %both [[0, 1]] output_shape [2, %n] : tensor<?xf32> into tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

// x[::2][:n//2] + x[1::2]

// CHECK-LABEL: func.func @every_second
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @every_second(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n>} {
  %half = tally.size <n floordiv 2> : index
  %more = tally.size <(n + 1) floordiv 2> : index
  %even = tensor.extract_slice %x[0] [%more] [2] : tensor<?xf32> to tensor<?xf32>
  %front = tensor.extract_slice %even[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
  %odd = tensor.extract_slice %x[1] [%half] [2] : tensor<?xf32> to tensor<?xf32>
  %sum = arith.addf %front, %odd : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// x[:k//2*2].view(-1, 2) for a number k that is read from a tensor: only that there
// are so many is asserted.

// CHECK-LABEL: func.func @pairs_by_number
// CHECK-NOT:     tally.assert
// CHECK:         tally.assert %{{.*}}, <0 <= u0 - u0 mod 2 <= n> {{.*}}required_by("tensor.extract_slice")
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @pairs_by_number(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>},
                           %t: tensor<i64> {tally.name = "t"}) -> tensor<?x2xf32>
    attributes {tally.symbols = #tally.symbols<n, u0 : unbacked>} {
  %k = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %even = tally.size <u0 floordiv 2 * 2> : index
  %half = tally.size <u0 floordiv 2> : index
  %front = tensor.extract_slice %x[0] [%even] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.expand_shape %front [[0, 1]] output_shape [%half, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
