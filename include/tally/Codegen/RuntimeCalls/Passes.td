//===- Passes.td - Calls of the runtime and of libraries ---*- tablegen -*-===//

#ifndef TALLY_CODEGEN_RUNTIMECALLS_PASSES
#define TALLY_CODEGEN_RUNTIMECALLS_PASSES

include "mlir/Pass/PassBase.td"

def LowerCustomCalls : Pass<"tally-lower-custom-calls"> {
  let summary = "Allocate buffers for the results of custom functions";
  let description = [{
    A `tally.custom_call` becomes a `tally.custom_call_dps` whose outputs have the
    sizes that it declares as bounds, and a result the part of its output that
    the function says it has filled.

    ```mlir
    // Before
    %y = tally.custom_call @keep(%x) bounds(%most) : (tensor<?xf32>) -> tensor<?xf32>
    // After
    %slot = bufferization.alloc_tensor(%most) : tensor<?xf32>
    %all, %size = tally.custom_call_dps @keep ins(%x : tensor<?xf32>) outs(%slot : tensor<?xf32>)
        is_scalar [false] -> (tensor<?xf32>) sizes(index)
    %y = tensor.extract_slice %all[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def RecognizeMatmul : Pass<"tally-recognize-matmul", "::mlir::func::FuncOp"> {
  let summary = "Find matmuls that a library computes";
  let description = [{
    A structured operation that multiplies two tensors and sums over one
    dimension, with one dimension of its own for each of them and leading ones
    that all share, becomes `tally.matmul`. Swapped dimensions are found in the
    indexing maps, and where another operation swaps them, also before a slice.
    Where one matrix is used for all batches, these are more rows. A product of f16 or bf16 that is
    rounded to its type at once is computed in it, with sums in f32; two of f16 or
    of bf16 stay as they are otherwise, too, and have a product of f32; operands
    of two types are converted to the type of the sum first. With `integers`,
    matmuls of integers are found, too: of i8 with sums of i32, and of i8, i16,
    i32 and i64 with sums of their type. What a sum starts with is added to the
    product.

    Input:
    ```mlir
    func.func @linear(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @linear(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %m = tensor.dim %e, %c0 : tensor<?x?xf32>
      %n = tensor.dim %e, %c1 : tensor<?x?xf32>
      %c = tensor.empty(%m, %n) : tensor<?x?xf32>
      %r = tally.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>)
                        outs(%c : tensor<?x?xf32>) {transpose_b} -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```
  }];
  let options = [
    Option<"integers", "integers", "bool", "false",
           "find matmuls of integers, too">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def RecognizeContractions : Pass<"tally-recognize-contractions", "::mlir::func::FuncOp"> {
  let summary = "Find contractions and convolutions that a library computes";
  let description = [{
    A structured operation that sums products of two tensors along any of its
    dimensions, or over windows that move along dimensions of one of them, becomes
    `tally.contract`: convolutions with any number of spatial dimensions, strides,
    dilations, groups and layouts, and contractions that are no matmul. Types, and
    what a sum starts with, are treated as `tally-recognize-matmul` does with
    `integers`; that runs first. Convolutions where nothing but the window of
    a channel is summed up for one channel (depthwise ones) stay as they are, as
    there is no matrix in them. With `convolutions-only` only convolutions of
    floats are found, these too, and gradients by their weights: in the order of
    dimensions that PyTorch has, with up to three spatial ones, for a library of
    a GPU. Such a library rounds what it computes from f16 or bf16, and pads: an
    image with as many zeros at both ends of a dimension is read as it was before.
    Where the image has zeros between its elements, and the weight was mirrored and
    its channels exchanged, as in transposed convolutions and gradients by images,
    windows move over the result, and the weight is read as it was before. Without
    `convolutions-only` such a weight, or a part of it, is read backwards from where
    it was.

    Input:
    ```mlir
    func.func @conv(%x: tensor<?x?x?xf32>, %w: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      %r = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
          ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      return %r : tensor<?x?x?xf32>
    }
    ```

    Output:
    ```mlir
    #w = affine_map<(n, o, x, c, i) -> (o, c, i)>
    #x = affine_map<(n, o, x, c, i) -> (n, c, x * 2 + i)>
    #r = affine_map<(n, o, x, c, i) -> (n, o, x)>
    func.func @conv(%x: tensor<?x?x?xf32>, %w: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %n = tensor.dim %e, %c0 : tensor<?x?x?xf32>
      %o = tensor.dim %e, %c1 : tensor<?x?x?xf32>
      %l = tensor.dim %e, %c2 : tensor<?x?x?xf32>
      %c = tensor.empty(%n, %o, %l) : tensor<?x?x?xf32>
      %r = tally.contract ins(%w, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
                          outs(%c : tensor<?x?x?xf32>) maps [#w, #x, #r] -> tensor<?x?x?xf32>
      return %r : tensor<?x?x?xf32>
    }
    ```
  }];
  let options = [
    Option<"convolutionsOnly", "convolutions-only", "bool", "false",
           "find convolutions of floats only, which give their type">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def SplitTransposedConvolutions : Pass<"tally-split-transposed-convolutions", "::mlir::func::FuncOp"> {
  let summary = "Compute transposed convolutions without the zeros between elements";
  let description = [{
    A convolution of an image with `stride - 1` zeros between its elements, as a transposed convolution is written, and the
    gradient of what a convolution reads, multiplies mostly zeros. It becomes a convolution of the image as it was for each
    remainder of the place of a result by the stride, with each `stride`-th element of the window. Windows of up to 64 elements along a dimension,
    whose elements are next to each other, and strides of up to 4 are treated so. For targets whose library has no transposed
    convolution. Here the first convolution has the second element of the window, and the other one the first.

    Input:
    ```mlir
    func.func @transposed(%x: tensor<1x2x5xf32>, %w: tensor<3x2x2xf32>, %e: tensor<1x3x10xf32>) -> tensor<1x3x10xf32> {
      %zero = arith.constant 0.0 : f32
      %p = tensor.empty() : tensor<1x2x11xf32>
      %z = linalg.fill ins(%zero : f32) outs(%p : tensor<1x2x11xf32>) -> tensor<1x2x11xf32>
      %i = tensor.insert_slice %x into %z[0, 0, 1] [1, 2, 5] [1, 1, 2] : tensor<1x2x5xf32> into tensor<1x2x11xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x10xf32>) -> tensor<1x3x10xf32>
      %r = linalg.conv_1d_ncw_fcw ins(%i, %w : tensor<1x2x11xf32>, tensor<3x2x2xf32>) outs(%f : tensor<1x3x10xf32>) -> tensor<1x3x10xf32>
      return %r : tensor<1x3x10xf32>
    }
    ```

    Output:
    ```mlir
    #x = affine_map<(n, o, x, c, k) -> (n, c, x + k)>
    #w = affine_map<(n, o, x, c, k) -> (o, c, k)>
    #r = affine_map<(n, o, x, c, k) -> (n, o, x)>
    func.func @transposed(%x: tensor<1x2x5xf32>, %w: tensor<3x2x2xf32>, %e: tensor<1x3x10xf32>) -> tensor<1x3x10xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x10xf32>) -> tensor<1x3x10xf32>
      %w0 = tensor.extract_slice %w[0, 0, 1] [3, 2, 1] [1, 1, 2] : tensor<3x2x2xf32> to tensor<3x2x1xf32>
      %e0 = tensor.empty() : tensor<1x3x5xf32>
      %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x3x5xf32>) -> tensor<1x3x5xf32>
      %r0 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
          ins(%x, %w0 : tensor<1x2x5xf32>, tensor<3x2x1xf32>) outs(%f0 : tensor<1x3x5xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %s, %m : f32
        linalg.yield %t : f32
      } -> tensor<1x3x5xf32>
      %i0 = tensor.insert_slice %r0 into %f[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
      %w1 = tensor.extract_slice %w[0, 0, 0] [3, 2, 1] [1, 1, 2] : tensor<3x2x2xf32> to tensor<3x2x1xf32>
      %e1 = tensor.empty() : tensor<1x3x5xf32>
      %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x3x5xf32>) -> tensor<1x3x5xf32>
      %r1 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
          ins(%x, %w1 : tensor<1x2x5xf32>, tensor<3x2x1xf32>) outs(%f1 : tensor<1x3x5xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %s, %m : f32
        linalg.yield %t : f32
      } -> tensor<1x3x5xf32>
      %i1 = tensor.insert_slice %r1 into %i0[0, 0, 1] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
      return %i1 : tensor<1x3x10xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseEpilogues : Pass<"tally-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Let matmuls add a bias and apply a ReLU";
  let description = [{
    Where the result of a matmul is used by nothing but an addition of a row, and
    perhaps a ReLU of what that gives, the matmul gets the row as its `bias` and
    the flag `relu`. It does so where that saves memory traffic: where a sum of f32
    is rounded to f16 or bf16 behind the addition, which then is never written, or
    where nothing else follows that a kernel would have to read the sum for.
    Arithmetic and rounding stay what they are. For a GPU, where cuBLASLt computes
    them.

    Input:
    ```mlir
    func.func @linear(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?xf16>, %f: tensor<?x?xf32>,
                      %e: tensor<?x?xf16>) -> tensor<?x?xf16> {
      %p = tally.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>)
                        outs(%f : tensor<?x?xf32>) {transpose_b} -> tensor<?x?xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%p, %v : tensor<?x?xf32>, tensor<?xf16>) outs(%e : tensor<?x?xf16>) {
      ^bb0(%sum: f32, %bias: f16, %o: f16):
        %b = arith.extf %bias : f16 to f32
        %s = arith.addf %sum, %b : f32
        %h = arith.truncf %s : f32 to f16
        linalg.yield %h : f16
      } -> tensor<?x?xf16>
      return %r : tensor<?x?xf16>
    }
    ```

    Output:
    ```mlir
    func.func @linear(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?xf16>, %f: tensor<?x?xf32>,
                      %e: tensor<?x?xf16>) -> tensor<?x?xf16> {
      %c0 = arith.constant 0 : index
      %m = tensor.dim %f, %c0 : tensor<?x?xf32>
      %c1 = arith.constant 1 : index
      %n = tensor.dim %f, %c1 : tensor<?x?xf32>
      %d = tensor.empty(%m, %n) : tensor<?x?xf16>
      %r = tally.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) bias(%v : tensor<?xf16>)
                        outs(%d : tensor<?x?xf16>) {transpose_b} -> tensor<?x?xf16>
      return %r : tensor<?x?xf16>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def FusePrologues : Pass<"tally-fuse-prologues", "::mlir::func::FuncOp"> {
  let summary = "Let matmuls compute what they multiply with";
  let description = [{
    Where the second operand of a matmul is computed element by element from a
    matrix of narrower elements, and by nothing else used, the matmul gets that
    matrix and a `prologue`: weights of bytes with a scale for each row, say,
    are not written to memory as floats. Arithmetic stays what it is, so results
    do as well. For the CPU.

    Input:
    ```mlir
    func.func @quantized(%x: tensor<?x?xf32>, %w: tensor<?x?xi8>, %s: tensor<?xf32>, %f: tensor<?x?xf32>,
                         %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %d = linalg.generic {
          indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n, k)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%w, %s : tensor<?x?xi8>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
      ^bb0(%byte: i8, %scale: f32, %o: f32):
        %number = arith.sitofp %byte : i8 to f32
        %r = arith.mulf %number, %scale : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %r = tally.matmul ins(%x, %d : tensor<?x?xf32>, tensor<?x?xf32>)
                        outs(%e : tensor<?x?xf32>) {transpose_b} -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @quantized(%x: tensor<?x?xf32>, %w: tensor<?x?xi8>, %s: tensor<?xf32>, %f: tensor<?x?xf32>,
                         %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = tally.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xi8>)
                        elements(%s : tensor<?xf32>) maps [affine_map<(n, k) -> (n)>]
                        outs(%e : tensor<?x?xf32>) prologue {
      ^bb0(%byte: i8, %scale: f32):
        %number = arith.sitofp %byte : i8 to f32
        %p = arith.mulf %number, %scale : f32
        tally.yield %p : f32
      } {transpose_b} -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```
  }];
  let dependentDialects = ["::tally::TallyDialect"];
}

def LowerMatmul : Pass<"tally-lower-matmul", "::mlir::ModuleOp"> {
  let summary = "Make matmuls calls of the runtime";
  let description = [{
    A `tally.matmul` becomes a call of `tally_rt_matmul` with a description of
    the three batches of matrices on the stack, and a `tally.contract`, which is
    a convolution, one of `tally_rt_convolution`, or of
    `tally_rt_weight_gradient`. Needs `tally-add-context` and
    `tally-add-matmul-fallbacks`. Runs on a module, which gets the declaration.

    ```mlir
    // Before
    tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
        {fallback = @kernels::@matmul_f32_nn}
    // After
    %kernel = tally.kernel_address @kernels::@matmul_f32_nn : !llvm.ptr
    %status = func.call @tally_rt_matmul(%ctx, %arguments, %kernel) {tally.status}
        : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::tally::TallyDialect"
  ];
}

def ConvertCustomCalls : Pass<"tally-convert-custom-calls", "::mlir::ModuleOp"> {
  let summary = "Call custom functions through the C interface";
  let description = [{
    A `tally.custom_call_dps` on buffers becomes a call of
    `tally_rt_custom_call`, which calls the function with `DLTensor`s on the
    stack, checks the sizes that it has written and gives a status. The function
    is declared; code in memory finds it in a library that was loaded, a
    compiled library when it is linked. Runs on a module, which gets the
    declarations, and constants that describe the calls.

    ```mlir
    // Before
    %n = tally.custom_call_dps @count ins(%x : memref<?xf32>) is_scalar [true] scalars(i64)
    // After
    %status = func.call @tally_rt_custom_call(%ctx, %record, %count, %arguments, %one, %results, %one)
        {tally.status} : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32
    %n = llvm.load %number : !llvm.ptr -> i64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerHostMatmul : Pass<"tally-lower-host-matmul", "::mlir::ModuleOp"> {
  let summary = "Make matmuls on the CPU calls of the runtime";
  let description = [{
    A `tally.matmul` becomes a call of `tally_rt_host_matmul` with a description
    of the three batches of matrices on the stack: sizes, and strides of every
    dimension, so that no operand is copied for its layout. Transpositions are
    strides. A `tally.contract` becomes a call of `tally_rt_host_contract` with
    the size of each loop and how it moves the operands. The prologue of a matmul
    becomes a function that computes parts of its second operand, which the
    runtime calls back (`tally_rt_host_matmul_computed`); what it computes from
    constants is packed once. Needs `tally-add-context`. Runs on a module, which
    gets the declarations, the functions, of which those that are alike are one,
    and the packed constants.

    ```mlir
    // Before
    tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {transpose_b}
    // After
    %status = func.call @tally_rt_host_matmul(%ctx, %arguments) {tally.status}
        : (!llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def LowerHostAttention : Pass<"tally-lower-host-attention", "::mlir::ModuleOp"> {
  let summary = "Make attention on the CPU calls of the runtime";
  let description = [{
    A `tally.attention` becomes a call of `tally_rt_host_attention` with a
    description of its operands on the stack: sizes, and strides of every
    dimension, so that nothing is copied for its layout. Its region `score`
    becomes a function that makes scores of a block of products, which the
    runtime calls back; attention that does the same shares one. Where a score
    is minus infinity unless the position of the key compares with that of the
    query, plus or minus what is the same for all of them, the runtime is told
    which keys a query sees at most, and leaves others out. Needs
    `tally-prepare-attention`, bufferization and `tally-add-context`. Runs on a
    module, which gets these functions; those that are alike are one.

    ```mlir
    // Before
    tally.attention ins(%q, %k, %v : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) outs(%r : memref<?x?xf32>)
        maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
              affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
        score {
        ^bb0(%i: index, %j: index, %product: f32):
          %s = arith.mulf %product, %scale : f32
          tally.yield %s : f32
        }
    // After
    %status = func.call @tally_rt_host_attention(%ctx, %arguments, %scores, %captures) {tally.status}
        : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def RecognizeAttention : Pass<"tally-recognize-attention", "::mlir::func::FuncOp"> {
  let summary = "Find attention that was written out";
  let description = [{
    A product of queries and keys, any arithmetic on each of its elements, a
    softmax of each row and the product of its weights and values become a
    `tally.attention`, whose softmax is strict. What is done to scores becomes its
    region, and what that reads beside the scores its elements; the region rounds
    where the program did. Reshapes in between may split dimensions of the batch:
    then all is done with the dimensions after the split.

    Nothing is changed where scores or weights have another use, where weights
    are changed after the softmax, or where elements are not of one float type;
    remarks of `tally-form-kernels` tell about it.

    Input:
    ```mlir
    func.func @attend(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
      %zero = arith.constant 0.0 : f32
      %half = arith.constant 0.5 : f32
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %p = linalg.contract
          indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
          ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
      %s = linalg.map { arith.mulf } ins(%p, %p : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)
      %w = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %a = tensor.empty(%m) : tensor<?x8xf32>
      %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
      %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```

    Output, once `tally-decompose-tensor-ops` has made the softmax several operations:
    ```mlir
    func.func @attend(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
      %a = tensor.empty(%m) : tensor<?x8xf32>
      %r = tally.attention ins(%q, %k, %v : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>)
          maps [affine_map<(i, j, d, c) -> (i, d)>, affine_map<(i, j, d, c) -> (j, d)>,
                affine_map<(i, j, d, c) -> (j, c)>, affine_map<(i, j, d, c) -> (i, c)>] strict
          score {
          ^bb0(%i: index, %j: index, %p: f32):
            %s = arith.mulf %p, %p : f32
            tally.yield %s : f32
          } -> tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
  ];
}

def PrepareAttention : Pass<"tally-prepare-attention"> {
  let summary = "Make masks, transposes and repeated heads a part of attention";
  let description = [{
    For targets that have a kernel for all of a `tally.attention` on tensors, which
    has the operands in any layout. The region `mask` becomes a part of the region
    `score`, which gives minus infinity where a key is not seen. Operations that
    only permute the dimensions of queries, keys, values or elements, and the one
    that permutes those of the result where there is no other use of it, become
    part of the maps. Where all heads of keys and values are repeated as often, one
    after the other, attention is `grouped` and reads them once.

    ```mlir
    // Before
    %t = linalg.transpose ins(%k : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
    %r = tally.attention ins(%q, %t, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>)
        maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
              affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
        score {
        ^bb0(%i: index, %j: index, %s: f32):
          tally.yield %s : f32
        } mask {
        ^bb0(%i: index, %j: index):
          %sees = arith.cmpi sle, %j, %i : index
          tally.yield %sees : i1
        } -> tensor<?x?xf32>
    // After
    %r = tally.attention ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>)
        maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (e, j)>,
              affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
        score {
        ^bb0(%i: index, %j: index, %s: f32):
          %sees = arith.cmpi sle, %j, %i : index
          %lowest = arith.constant 0xFF800000 : f32
          %masked = arith.select %sees, %s, %lowest : f32
          tally.yield %masked : f32
        } -> tensor<?x?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerHostSort : Pass<"tally-lower-host-sort", "::mlir::ModuleOp"> {
  let summary = "Make sorts on the CPU calls of the runtime";
  let description = [{
    A `tally.sort` becomes a call of `tally_rt_host_sort` with a description of
    source and destinations on the stack: sizes, and strides of every dimension,
    so that nothing is copied for its layout. Needs `tally-add-context`, and on
    tensors bufferization; element types that the runtime does not know have
    been lowered by `tally-lower-sort`. Runs on a module, which gets the
    declaration.

    ```mlir
    // Before
    tally.sort ins(%x : memref<?x?xf32>) values(%v : memref<?x?xf32>) indices(%i : memref<?x?xi64>) dim 1
    // After
    %status = func.call @tally_rt_host_sort(%ctx, %arguments) {tally.status}
        : (!llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerLinearAlgebra
    : Pass<"tally-lower-linear-algebra", "::mlir::ModuleOp"> {
  let summary = "Make factors of matrices on the CPU calls of the runtime";
  let description = [{
    A `tally.linear_algebra` becomes a call of `tally_rt_host_linear_algebra`
    with a description of its operands on the stack, strides of every dimension
    too: LAPACK, which the runtime opens, has matrices column by column, so that
    it makes copies in any case. Needs `tally-add-context`, and on tensors
    bufferization. Runs on a module, which gets the declaration.

    ```mlir
    // Before
    tally.linear_algebra cholesky ins(%a : memref<?x?xf32>) outs(%l, %i : memref<?x?xf32>, memref<i32>)
    // After
    %status = func.call @tally_rt_host_linear_algebra(%ctx, %arguments) {tally.status}
        : (!llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerFFT : Pass<"tally-lower-fft", "::mlir::ModuleOp"> {
  let summary = "Make Fourier transforms on the CPU calls of the runtime";
  let description = [{
    A `tally.fft` becomes a call of `tally_rt_host_fft` with a description of its
    operands on the stack, strides of every dimension too. Needs
    `tally-add-context`, and on tensors bufferization. Runs on a module, which
    gets the declaration.

    ```mlir
    // Before
    tally.fft forward dim(0) scale(none) ins(%x : memref<?x2xf32>) outs(%y : memref<?x2xf32>)
    // After
    %status = func.call @tally_rt_host_fft(%ctx, %arguments) {tally.status}
        : (!llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def PrepareFFT : Pass<"tally-prepare-fft"> {
  let summary = "Have Fourier transforms be of lines without gaps";
  let description = [{
    For targets whose library transforms lines that lie one after the other. A
    `tally.fft` on tensors transforms the last dimension then, that of parts
    aside: its operand and its result are permuted by operations of their own.
    What sums are divided by is multiplied with in such an operation, too, so that
    both are parts of kernels that compute something else of these tensors.

    ```mlir
    // Before
    %r = tally.fft forward dim(0) scale(none) ins(%x : tensor<?x4x2xf32>) outs(%y : tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
    // After
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x4x2xf32>
    %e0 = tensor.empty(%n) : tensor<4x?x2xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, a, c)>, affine_map<(a, b, c) -> (a, b, c)>],
                         iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x : tensor<?x4x2xf32>) outs(%e0 : tensor<4x?x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x?x2xf32>
    %c0_0 = arith.constant 0 : index
    %n_0 = tensor.dim %y, %c0_0 : tensor<?x4x2xf32>
    %e1 = tensor.empty(%n_0) : tensor<4x?x2xf32>
    %u = tally.fft forward dim(1) scale(none) ins(%t : tensor<4x?x2xf32>) outs(%e1 : tensor<4x?x2xf32>) -> tensor<4x?x2xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, a, c)>, affine_map<(a, b, c) -> (a, b, c)>],
                         iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%u : tensor<4x?x2xf32>) outs(%y : tensor<?x4x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x2xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerDeviceFFT : Pass<"tally-lower-device-fft", "::mlir::ModuleOp"> {
  let summary = "Make Fourier transforms on a GPU calls of the runtime";
  let description = [{
    A `tally.fft` of the last dimension, which divides by nothing, becomes a call
    of `tally_rt_fft` with a description of its operands on the stack. Needs
    `tally-prepare-fft` before bufferization, `tally-place-on-device`, which
    makes operands compact, and `tally-add-context`. Runs on a module, which gets
    the declaration.

    ```mlir
    // Before
    tally.fft forward dim(0) scale(none) ins(%x : memref<?x2xf32>) outs(%y : memref<?x2xf32>)
    // After
    %status = func.call @tally_rt_fft(%ctx, %arguments) {tally.status}
        : (!llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerLaunches : Pass<"tally-lower-launches", "::mlir::ModuleOp"> {
  let summary = "Turn launches of kernels into calls of the runtime";
  let description = [{
    A `gpu.binary` becomes a constant of the compiled program and a
    `gpu.launch_func` a call that returns a status; so do the operations that
    wait for a number, or for errors, and copies. A constant buffer is asked for
    on the device. Nothing runs when the program is loaded. An operation that
    would read or write memory of the device on the host is an error. Needs
    `tally-add-context`. Runs on a module, which gets the constants and
    declarations.

    ```mlir
    // Before
    func.func @f(%ctx: !llvm.ptr, %n: memref<i64>) -> i64 {
      %0 = tally.read_back %n[] : memref<i64>
      return %0 : i64
    }
    // After
    func.func private @tally_rt_read_back(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
    func.func @f(%ctx: !llvm.ptr, %n: memref<i64>) -> i64 {
      %one = llvm.mlir.constant(1 : i64) : i64
      %slot = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
      %table = llvm.mlir.zero : !llvm.ptr
      %index = memref.extract_aligned_pointer_as_index %n : memref<i64> -> index
      %address = arith.index_cast %index : index to i64
      %source = llvm.inttoptr %address : i64 to !llvm.ptr
      %bytes = llvm.mlir.constant(8 : i64) : i64
      %status = func.call @tally_rt_read_back(%ctx, %table, %source, %slot, %bytes) {tally.status}
          : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
      %0 = llvm.load %slot : !llvm.ptr -> i64
      return %0 : i64
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif // TALLY_CODEGEN_RUNTIMECALLS_PASSES
