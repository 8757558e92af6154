// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @arguments(%x: tensor<?xf32>, %e: tensor<?xf32>) {
  // expected-error @below {{'tally.kernel' op has 2 inputs and outputs, but 1 arguments of its body}}
  %r = tally.kernel() ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    tally.yield %o : tensor<?xf32>
  } -> tensor<?xf32>
  return
}

// -----

func.func @reduced(%n: index, %e: tensor<?xf32>) {
  // expected-error @below {{'tally.kernel' op reduces a dimension that it does not have}}
  %r = tally.kernel(%n) reduces [1] outs(%e : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    tally.yield %o : tensor<?xf32>
  } -> tensor<?xf32>
  return
}

// -----

func.func @dims(%n: index, %e: tensor<?xf32>) {
  %r = tally.kernel(%n) outs(%e : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    // expected-error @below {{'linalg.generic' op runs over a dimension that its kernel does not have}}
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 1>} {
    ^bb1(%u: f32):
      linalg.yield %u : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return
}

// -----

func.func @seen_as(%m: memref<4xf32>) {
  // expected-error @below {{'tally.kernel' op passes operand 0 of type 'memref<4xf32>' as 'tensor<5xf32>'}}
  tally.kernel() outs(%m : memref<4xf32>) {
  ^bb0(%o: tensor<5xf32>):
    tally.yield %o : tensor<5xf32>
  }
  return
}

// -----

func.func @number(%v: f32, %m: memref<4xf32>) {
  // expected-error @below {{'tally.kernel' op passes operand 0 of type 'f32' as 'f64'}}
  tally.kernel() ins(%v : f32) outs(%m : memref<4xf32>) {
  ^bb0(%w: f64, %o: tensor<4xf32>):
    tally.yield %o : tensor<4xf32>
  }
  return
}

// -----

func.func @terminator(%m: memref<4xf32>) {
  // expected-error @below {{'tally.kernel' op must end with 'tally.yield'}}
  tally.kernel() outs(%m : memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    llvm.unreachable
  }
  return
}

// -----

func.func @yields(%m: memref<4xf32>) {
  // expected-error @below {{'tally.kernel' op yields 0 values for 1 outputs}}
  tally.kernel() outs(%m : memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    tally.yield
  }
  return
}

// -----

func.func @writes(%v: memref<?xf64>, %m: memref<4xf32>) {
  // expected-error @below {{'tally.kernel' op writes 'tensor<?xf64>' to 'memref<4xf32>'}}
  tally.kernel() ins(%v : memref<?xf64>) outs(%m : memref<4xf32>) {
  ^bb0(%w: tensor<?xf64>, %o: tensor<4xf32>):
    tally.yield %w : tensor<?xf64>
  }
  return
}

// -----

func.func @mixed(%t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @below {{'tally.kernel' op writes to tensors and to memrefs}}
  %r = tally.kernel() outs(%t, %m : tensor<4xf32>, memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>, %p: tensor<4xf32>):
    tally.yield %o, %p : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @results(%t: tensor<4xf32>) {
  // expected-error @below {{'tally.kernel' op needs one result for each output that is a tensor, of its type}}
  tally.kernel() outs(%t : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    tally.yield %o : tensor<4xf32>
  }
  return
}

// -----

func.func @vectors(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error @below {{'tally.matmul' op needs operands of one rank, at least 2}}
  %r = tally.matmul ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @ranks(%a: tensor<2x4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tally.matmul' op needs operands of one rank, at least 2}}
  %r = tally.matmul ins(%a, %b : tensor<2x4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @elements(%a: tensor<4x4xf16>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tally.matmul' op multiplies 'f16' and 'f32'}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf16>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @flags(%a: tensor<4x4xi1>, %b: tensor<4x4xi1>, %c: tensor<4x4xi1>) {
  // expected-error @below {{'tally.matmul' op multiplies floats, i8, i16, i32 and i64 only, not 'i1'}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xi1>, tensor<4x4xi1>) outs(%c : tensor<4x4xi1>) -> tensor<4x4xi1>
  return
}

// -----

func.func @wider_integers(%a: tensor<4x4xi16>, %b: tensor<4x4xi16>, %c: tensor<4x4xi32>) {
  // expected-error @below {{'tally.matmul' op has a result of 'i32' for operands of 'i16'}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xi16>, tensor<4x4xi16>) outs(%c : tensor<4x4xi32>) -> tensor<4x4xi32>
  return
}

// -----

func.func @wider_result(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf64>) {
  // expected-error @below {{'tally.matmul' op has a result of 'f64' for operands of 'f32'}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf64>) -> tensor<4x4xf64>
  return
}

// -----

func.func @narrow_result(%a: tensor<4x4xi8>, %b: tensor<4x4xi8>, %c: tensor<4x4xi16>) {
  // expected-error @below {{'tally.matmul' op has a result of 'i16' for operands of 'i8'}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xi8>, tensor<4x4xi8>) outs(%c : tensor<4x4xi16>) -> tensor<4x4xi16>
  return
}

// -----

func.func @batches(%a: tensor<2x4x4xf32>, %b: tensor<3x4x4xf32>, %c: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has operands that differ in dimension 0}}
  %r = tally.matmul ins(%a, %b : tensor<2x4x4xf32>, tensor<3x4x4xf32>) outs(%c : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @inner(%a: tensor<4x5xf32>, %b: tensor<6x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has operands whose rows and columns do not fit}}
  %r = tally.matmul ins(%a, %b : tensor<4x5xf32>, tensor<6x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @transposed(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>) {
  // expected-error @below {{'tally.matmul' op has operands whose rows and columns do not fit}}
  %r = tally.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) {transpose_b} -> tensor<4x6xf32>
  return
}

// -----

func.func @rows(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<3x6xf32>) {
  // expected-error @below {{'tally.matmul' op has operands whose rows and columns do not fit}}
  %r = tally.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<3x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @product_results(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tally.matmul' op needs one result for each output that is a tensor, of its type}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @contract_elements(%a: tensor<?x?xf16>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op multiplies 'f16' and 'f32'}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_indices(%a: tensor<?x?xindex>, %b: tensor<?x?xindex>, %c: tensor<?x?xindex>) {
  // expected-error @below {{'tally.contract' op multiplies floats, i8, i16, i32 and i64 only, not 'index'}}
  %r = tally.contract ins(%a, %b : tensor<?x?xindex>, tensor<?x?xindex>) outs(%c : tensor<?x?xindex>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xindex>
  return
}

// -----

func.func @contract_maps(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs a map for each of three operands}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_map_rank(%a: tensor<?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op has a map with 2 results for 'tensor<?xf32>'}}
  %r = tally.contract ins(%a, %b : tensor<?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_symbols(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps of the same loops, without symbols}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k)[s] -> (i, k + s)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_loops(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps of the same loops, without symbols}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_offset(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps to sums of loops times positive constants}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k + 1)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_padded(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps to sums of loops times positive constants}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k - 1, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_padded_first(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps to sums of loops times positive constants}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i + k - 1, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_backwards(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps to sums of loops times positive constants}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k - j)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_backwards_from(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op reads dimension 1 of 'a' backwards from index 2, which is not known to be its last one}}
  %r = tally.contract ins(%a, %b : tensor<?x4xf32>, tensor<4x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, 2 - k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_backwards_unknown(%a: tensor<?x?xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op reads dimension 1 of 'a' backwards from index 3, which is not known to be its last one}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<4x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, 3 - k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_backwards_second(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs maps to sums of loops times positive constants}}
  %r = tally.contract ins(%a, %b : tensor<?x4xf32>, tensor<4x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (3 - k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_result_window(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs a loop of its own for each dimension of 'c'}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j + k)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_result_twice(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs a loop of its own for each dimension of 'c'}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, i)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_one_operand(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs two operands, one of them 'a' or 'b', that move with loop 2}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_no_operand(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs two operands, one of them 'a' or 'b', that move with loop 1}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_size(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op has no dimension with the size of loop 2}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k + j)>, affine_map<(i, j, k) -> (k * 2, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<?x?xf32>
  return
}

// -----

func.func @contract_many(%a: tensor<?x?x?x?x?x?x?x?x?xf32>, %b: tensor<?x?x?x?x?x?x?x?x?xf32>, %c: tensor<f32>) {
  // expected-error @below {{'tally.contract' op has more than 8 loops of one kind}}
  %r = tally.contract ins(%a, %b : tensor<?x?x?x?x?x?x?x?x?xf32>, tensor<?x?x?x?x?x?x?x?x?xf32>) outs(%c : tensor<f32>)
      maps [affine_map<(k0, k1, k2, k3, k4, k5, k6, k7, k8) -> (k0, k1, k2, k3, k4, k5, k6, k7, k8)>, affine_map<(k0, k1, k2, k3, k4, k5, k6, k7, k8) -> (k0, k1, k2, k3, k4, k5, k6, k7, k8)>, affine_map<(k0, k1, k2, k3, k4, k5, k6, k7, k8) -> ()>] -> tensor<f32>
  return
}

// -----

func.func @contract_differs(%a: tensor<4x5xf32>, %b: tensor<6x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tally.contract' op has loops that do not fit the sizes of 'b'}}
  %r = tally.contract ins(%a, %b : tensor<4x5xf32>, tensor<6x4xf32>) outs(%c : tensor<4x4xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<4x4xf32>
  return
}

// -----

func.func @contract_window(%a: tensor<8x3xf32>, %b: tensor<9xf32>, %c: tensor<8x4xf32>) {
  // expected-error @below {{'tally.contract' op has loops that do not fit the sizes of 'b'}}
  %r = tally.contract ins(%a, %b : tensor<8x3xf32>, tensor<9xf32>) outs(%c : tensor<8x4xf32>)
      maps [affine_map<(o, x, i) -> (o, i)>, affine_map<(o, x, i) -> (x * 2 + i * 2)>, affine_map<(o, x, i) -> (o, x)>] -> tensor<8x4xf32>
  return
}

// -----

func.func @contract_results(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error @below {{'tally.contract' op needs one result for each output that is a tensor, of its type}}
  %r = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>)
      maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] -> tensor<4x?xf32>
  return
}

// -----

func.func @indices(%m: memref<?x?xf32>, %i: index) {
  // expected-error @below {{'tally.read_back' op has 1 indices for a buffer of rank 2}}
  %v = tally.read_back %m[%i] : memref<?x?xf32>
  return
}

// -----

func.func @number_of_divisors(%n: index, %x: tensor<?xf32>) {
  // expected-error @below {{'tally.kernel' op has 2 divisors for 1 dimensions}}
  %r = tally.kernel (%n) divisible_by [4, 4] outs(%x : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    tally.yield %o : tensor<?xf32>
  } -> tensor<?xf32>
  return
}

// -----

func.func @no_divisor(%n: index, %x: tensor<?xf32>) {
  // expected-error @below {{'tally.kernel' op has a divisor that is not positive}}
  %r = tally.kernel (%n) divisible_by [0] outs(%x : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    tally.yield %o : tensor<?xf32>
  } -> tensor<?xf32>
  return
}

// -----

func.func @dims_of_another_type(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tally.kernel (%n) ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    // expected-error @+1 {{'tally.dims' must be an array of i64, not "x"}}
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) attrs = {tally.dims = "x"} {
    ^bb1(%p: f32, %unused: f32):
      linalg.yield %p : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @too_few_dims(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tally.kernel (%n) ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    // expected-error @+1 {{'tally.dims' has 0 dimensions for 1 loops}}
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) attrs = {tally.dims = array<i64>} {
    ^bb1(%p: f32, %unused: f32):
      linalg.yield %p : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @dim_twice(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tally.kernel (%n) ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    // expected-error @+1 {{'tally.dims' has dimension 0 twice; each loop runs over one of its own}}
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 0>} {
    ^bb1(%p: f32, %unused: f32):
      linalg.yield %p : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @two_prologues(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has more than one prologue}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32):
    tally.yield %x : f32
  }, {
  ^bb0(%x: f32):
    tally.yield %x : f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @elements_alone(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has elements, but no prologue that gets them}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) elements(%b : tensor<4x4xf32>)
      maps [affine_map<(k, n) -> (k, n)>] outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @several_matrices(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has a prologue of several matrices}}
  %r = tally.matmul ins(%m, %m : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%m : tensor<2x4x4xf32>) prologue {
  ^bb0(%x: f32):
    tally.yield %x : f32
  } -> tensor<2x4x4xf32>
  return
}

// -----

func.func @number_of_maps(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has 2 maps for 1 elements}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) elements(%b : tensor<4x4xf32>)
      maps [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (k)>] outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32, %y: f32):
    tally.yield %x : f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @other_position(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has elements of 'tensor<4x4xf32>' that do not fit their map}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) elements(%b : tensor<4x4xf32>)
      maps [affine_map<(k, n) -> (0, n)>] outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32, %y: f32):
    tally.yield %x : f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @arguments_of_prologue(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has a prologue that does not get an element of 'b' and one of each of its elements}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32, %y: f32):
    tally.yield %x : f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @yields_two(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has a prologue that does not yield one element}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32):
    tally.yield %x, %x : f32, f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @yields_other_type(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @below {{'tally.matmul' op multiplies 'f32' and 'f64'}}
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32):
    %d = arith.extf %x : f32 to f64
    tally.yield %d : f64
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @effect(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %to: memref<f32>) {
  %r = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32):
    // expected-error @below {{'memref.store' op has an effect, in a prologue}}
    memref.store %x, %to[] : memref<f32>
    tally.yield %x : f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @bias_of_several(%m: tensor<2x4x4xf32>, %v: tensor<4xf32>) {
  // expected-error @below {{'tally.matmul' op has a bias or 'relu' for several matrices}}
  %r = tally.matmul ins(%m, %m : tensor<2x4x4xf32>, tensor<2x4x4xf32>) bias(%v : tensor<4xf32>) outs(%m : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @bias_and_prologue(%a: tensor<4x4xf32>, %v: tensor<4xf32>) {
  // expected-error @below {{'tally.matmul' op has a prologue, which only the CPU computes, and a bias or 'relu', which only a GPU does}}
  %r = tally.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) bias(%v : tensor<4xf32>) outs(%a : tensor<4x4xf32>) prologue {
  ^bb0(%x: f32):
    tally.yield %x : f32
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @relu_of_doubles(%a: tensor<4x4xf64>) {
  // expected-error @below {{'tally.matmul' op has a bias or 'relu' for a result of 'f64'}}
  %r = tally.matmul ins(%a, %a : tensor<4x4xf64>, tensor<4x4xf64>) outs(%a : tensor<4x4xf64>) {relu} -> tensor<4x4xf64>
  return
}

// -----

func.func @bias_of_rows(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %v: tensor<4xf32>, %c: tensor<4x6xf32>) {
  // expected-error @below {{'tally.matmul' op has a bias of 'tensor<4xf32>' for rows of 'tensor<4x6xf32>': it needs one 'f32' for each column}}
  %r = tally.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) bias(%v : tensor<4xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @bias_of_another_type(%a: tensor<4x4xf16>, %v: tensor<4xf16>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tally.matmul' op has a bias of 'tensor<4xf16>' for rows of 'tensor<4x4xf32>': it needs one 'f32' for each column}}
  %r = tally.matmul ins(%a, %a : tensor<4x4xf16>, tensor<4x4xf16>) bias(%v : tensor<4xf16>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
