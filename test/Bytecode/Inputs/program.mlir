// Everything that the dialect can say; version-N.mlirbc is its bytecode of each version.

module @ops {
  func.func @named(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1*2>},
                   %n: i64 {tally.value = #tally.expr<s2>},
                   %t: tensor<i64>, %b: tensor<1x1xi1>, %f: tensor<f32>) -> index
      attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8 hint 64 from "x.size(1)", s2,
                                                 u0 : unbacked [0, inf], u1 : unbacked, b0 : bool unbacked, zf0 : unbacked float,
                                                 a0 : [1, 7] assumed>} {
    %size = tally.size <s0*s1+1> : index
    %size2 = tally.size #tally.expr<s0 floordiv 2 + s1 mod 8> : index
    %size3 = tally.size <max( s0 ,s1 ) - (-s2)*2> : index
    %size4 = tally.size <s0 < s1 or not s0 == 3> : i1
    tally.check #tally.expr<"s0 == s1 and s0 <= 64">
    tally.check <"s0 > s1">, "more rows than columns" required_by("linalg.add")
    %size5 = tally.size <"zf0/1e+34 < 2.5e-07"> : i1
    tally.assume <s0 mod 8 == 0>
    tally.check <"s0!=1">
    tally.check <s0 * d == s2> (d = %size : index) declared_by("x")
    %i = tally.item %t : tensor<i64> bind #tally.bindings<u1 = result(0)>
    %p = tally.item %b : tensor<1x1xi1> bind #tally.bindings<b0=result(0)>
    %g = tally.item %f : tensor<f32>
    %nz = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64> bind #tally.bindings<u0 = result(0).size(0)>
    return %size : index
  }

  func.func @definitions(%x: tensor<?x?xf32>, %t: tensor<i64> {tally.value = #tally.expr<s1>},
                    %f: tensor<f32> {tally.value = #tally.expr<zf0>}, %p: i1 {tally.value = #tally.expr<s2>},
                    %pitch: index {tally.hidden = #tally.path< argument( 0 ) .stride(0)>, tally.value = #tally.expr<s3*2>},
                    %start: index {tally.hidden = #tally.path<argument(0).storage_offset>, tally.name = "start"})
      attributes {tally.symbols = #tally.symbols<s1 : [-4, 8], s2 : [0, 1], s3, zf0 : float>} {
    return
  }

  func.func @calls_definitions(%x: tensor<?x?xf32>, %t: tensor<i64>, %f: tensor<f32>, %p: i1) {
    %c4 = arith.constant 4 : index
    call @definitions(%x, %t, %f, %p, %c4, %c4) : (tensor<?x?xf32>, tensor<i64>, tensor<f32>, i1, index, index) -> ()
    return
  }

  func.func @bound(%x: tensor<?xf32>, %i: index, %f: f64) -> index {
    %c0 = arith.constant 0 : index
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %s0 = tally.symbol "s0" = %d from "x.size(0)" in [0, 4096] divisible_by 8 : index
    %u0 = tally.symbol "u0" = %i in [-inf, 3] : index
    %u1 = tally.symbol "u1" = %i in [-100, 100] : index
    %zf0 = tally.symbol "zf0" = %f : f64
    %ok = arith.cmpi ule, %s0, %i : index
    tally.assert %ok, <s0 <= i> (s0 = %s0, i = %i : index, index) message("too long") sources({s0 = "x.size(0)"}) required_by("linalg.add")
    %g = tally.assert %ok message("the index is out of range") guards(%i : index)
    tally.assert %ok, <s0 * i == 4> (s0 = %s0, "s0 * i" = %g : index, index)
    %w = tally.constant "weights.bin" [64] : tensor<4x4xf32>
    %indices = tally.constant "weights.bin" [128] in [-1, 48] : tensor<4xi64>
    return %g : index
  }

  func.func @subgraphs(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32>
      attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
    %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
    ^bb0(%a: tensor<?xf32>):
      tally.yield %a : tensor<?xf32>
    } else {
    ^bb0(%a: tensor<?xf32>):
      %b = tally.invoke_subgraph @block(%a) : (tensor<?xf32>) -> tensor<?xf32>
      tally.yield %b : tensor<?xf32>
    }
    return %r : tensor<?xf32>
  }

  func.func private @block(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
      attributes {tally.symbols = #tally.symbols<s0>} {
    return %x : tensor<?xf32>
  }

  func.func @booleans(%b: i1, %n: index) attributes {tally.symbols = #tally.symbols<s0, b0 : bool, b1 : bool>} {
    tally.check <b0 and s0 <= 3>
    tally.check <s0 == select(v, s0, n)> (v = %b, n = %n : i1, index)
    tally.check <b0 == b1>
    tally.check <not b0 or (s0 < 3) == b1>
    %0 = tally.size <b0 and b1> : i1
    return
  }
}

module @data_dependent_ops {
  func.func @ops(%x: tensor<?x4xf32>, %m: tensor<?x4xi1>, %n: tensor<?xi64>, %w: tensor<?xbf16>, %i: index, %j: index)
      -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xbf16>,
          tensor<?x4xf32>, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked, u4 : unbacked, u5 : unbacked, u6 : unbacked>} {
    %a = tally.masked_select %x, %m : tensor<?x4xf32>, tensor<?x4xi1> bind #tally.bindings<u0 = result(0).size(0)>
    %v, %p, %c = tally.unique %x : tensor<?x4xf32> bind #tally.bindings<u1 = result(0).size(0)>
    %r = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u2 = result(0).size(0)>
    %b = tally.bincount %n minlength %i : tensor<?xi64> bind #tally.bindings<u3 = result(0).size(0)>
    %bw = tally.bincount %n minlength %i weights %w : tensor<?xi64>, tensor<?xbf16>
    %s = tally.slice %x[%i to %j] dim 0 : tensor<?x4xf32> bind #tally.bindings<u4 = result(0).size(0)>
    %t = tally.slice %x[%i to %j step 3] dim 1 : tensor<?x4xf32>
    %e = tally.select %x[%i] dim 0 : tensor<?x4xf32>
    %f = tally.select %x[%i] dim 1 : tensor<?x4xf32>
    %g:2 = tally.split %x[%i, %j] dim 0 : tensor<?x4xf32> bind #tally.bindings<u5 = result(0).size(0), u6 = result(1).size(0)>
    tally.split %x[] dim 1 : tensor<?x4xf32>
    return %a, %v, %p, %c, %r, %b, %bw, %s, %t, %e, %f, %g#0, %g#1
      : tensor<?xf32>, tensor<?xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xbf16>,
        tensor<?x4xf32>, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  }

  func.func @effects(%x: tensor<?xf32>, %m: tensor<?xi1>, %n: tensor<?xi64>, %i: index)
      attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked, u4 : unbacked, u5 : unbacked>} {
    %a = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi1> bind #tally.bindings<u0 = result(0).size(0)>
    %v, %p, %c = tally.unique %x : tensor<?xf32> bind #tally.bindings<u1 = result(2).size(0)>
    %r = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u2 = result(0).size(0)>
    %b = tally.bincount %n minlength %i : tensor<?xi64> bind #tally.bindings<u3 = result(0).size(0)>
    %s = tally.slice %x[%i to %i] dim 0 : tensor<?xf32> bind #tally.bindings<u4 = result(0).size(0)>
    %g = tally.split %x[%i] dim 0 : tensor<?xf32> bind #tally.bindings<u5 = result(0).size(0)>
    %a1 = tally.masked_select %x, %m : tensor<?xf32>, tensor<?xi1>
    %v1, %p1, %c1 = tally.unique %x : tensor<?xf32>
    %r1 = tally.repeat_interleave %n : tensor<?xi64>
    %b1 = tally.bincount %n minlength %i : tensor<?xi64>
    %s1 = tally.slice %x[%i to %i] dim 0 : tensor<?xf32>
    %e1 = tally.select %x[%i] dim 0 : tensor<?xf32>
    %g1 = tally.split %x[%i] dim 0 : tensor<?xf32>
    return
  }
}

module @device_ops {
  func.func @kernel_on_tensors(%m: index, %n: index, %x: tensor<?x?xf32>, %v: f32, %e: tensor<?xf32>) -> tensor<?xf32> {
    %r = tally.kernel(%m, %n) reduces [1] ins(%x, %v : tensor<?x?xf32>, f32) outs(%e : tensor<?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %b: f32, %o: tensor<?xf32>):
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %start = tensor.cast %zero : tensor<4xf32> to tensor<?xf32>
      %s = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<?x?xf32>) outs(%start : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
      ^bb1(%p: f32, %q: f32):
        %t = arith.addf %p, %q : f32
        %u = arith.mulf %t, %b : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      tally.yield %s : tensor<?xf32>
    } -> tensor<?xf32>
    return %r : tensor<?xf32>
  }

  func.func @kernel_on_memrefs(%m: memref<1xf32, strided<[?], offset: ?>>) {
    tally.kernel() outs(%m : memref<1xf32, strided<[?], offset: ?>>) {
    ^bb0(%o: tensor<?xf32>):
      tally.yield %o : tensor<?xf32>
    }
    return
  }

  func.func @products(%a: tensor<?x4xbf16>, %b: tensor<8x?xbf16>, %c: tensor<?x?xbf16>, %m: memref<?x?x?xf64>) -> tensor<?x?xbf16> {
    %r = tally.matmul ins(%a, %b : tensor<?x4xbf16>, tensor<8x?xbf16>) outs(%c : tensor<?x?xbf16>) {transpose_b} -> tensor<?x?xbf16>
    tally.matmul ins(%m, %m : memref<?x?x?xf64>, memref<?x?x?xf64>) outs(%m : memref<?x?x?xf64>) {transpose_a, fallback = @kernels::@product}
    return %r : tensor<?x?xbf16>
  }

  func.func @contractions(%w: tensor<?x?x3x3xf16>, %x: tensor<?x?x?x?xf16>, %e: tensor<?x?x?x?xf16>,
                          %a: memref<4x?xf64>, %b: memref<?xf64>, %c: memref<4xf64>) -> tensor<?x?x?x?xf16> {
    %r = tally.contract ins(%w, %x : tensor<?x?x3x3xf16>, tensor<?x?x?x?xf16>) outs(%e : tensor<?x?x?x?xf16>)
        maps [affine_map<(n, o, y, x, c, i, j) -> (o, c, i, j)>,
              affine_map<(n, o, y, x, c, i, j) -> (n, c, y * 2 + i, x * 2 + j * 3)>,
              affine_map<(n, o, y, x, c, i, j) -> (n, o, y, x)>] -> tensor<?x?x?x?xf16>
    tally.contract ins(%a, %b : memref<4x?xf64>, memref<?xf64>) outs(%c : memref<4xf64>)
        maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>] {note}
    return %r : tensor<?x?x?x?xf16>
  }

  func.func @compaction(%x: tensor<?x?xf32>, %e: tensor<?xi64>, %rows: tensor<?x2xi64>, %m: memref<?xi1>, %n: memref<?xi64>) -> tensor<?x2xi64> {
    %before = tally.count_nonzero ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xi64>) tile 1024 -> tensor<?xi64>
    %r = tally.write_nonzero ins(%x, %before : tensor<?x?xf32>, tensor<?xi64>) outs(%rows : tensor<?x2xi64>) tile 1024 -> tensor<?x2xi64>
    tally.count_nonzero ins(%m : memref<?xi1>) outs(%n : memref<?xi64>) tile 32
    return %r : tensor<?x2xi64>
  }

  func.func @host(%x: memref<?xindex>, %p: memref<i1>, %i: index) -> (index, i1, memref<1xi64>, !llvm.ptr) {
    %0 = tally.read_back %x[%i] : memref<?xindex>
    %1 = tally.read_back %p[] : memref<i1>
    %2 = tally.device_errors : memref<1xi64>
    tally.check_device
    %3 = tally.kernel_address @kernels::@product : !llvm.ptr
    return %0, %1, %2, %3 : index, i1, memref<1xi64>, !llvm.ptr
  }
}

module @custom_call {
  func.func @named(%x: tensor<?xf32>, %b: i1, %n: index) -> tensor<?x4xf16>
      attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
    %y, %m, %z = tally.custom_call @f(%x, %b) bounds(%n, %n) : (tensor<?xf32>, i1) -> (tensor<?x4xf16>, index, tensor<?xi1>)
        bind #tally.bindings<u0 = result(0).size(0), u1 = result(1)>
    return %y : tensor<?x4xf16>
  }

  func.func @pure() -> f64 {
    %y = tally.custom_call @g() pure {note = 1} : () -> f64
    return %y : f64
  }

  func.func @foreign(%x: tensor<?xf32>, %b: i1) -> index {
    %y, %s, %n = tally.custom_call_dps @f ins(%x, %b : tensor<?xf32>, i1) outs(%x : tensor<?xf32>) is_scalar [false, true] pure
        -> (tensor<?xf32>) sizes(index) scalars(i64)
    tally.custom_call_dps @g is_scalar []
    return %s : index
  }
}
