//===- TallyDeviceOps.td - Ops that run on a device --------*- tablegen -*-===//
//
// In a program for a device every tensor, and every memref of a function, lives
// on the device, and every number on the host. What moves from one to the other
// is an operation of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_TALLYDEVICEOPS_TD
#define TALLY_IR_TALLYDEVICEOPS_TD

include "tally/IR/TallyDialect.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tally_KernelOp : Tally_Op<"kernel", [
    IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Structured operations that run as one kernel.";
  let description = [{
    The operands in parentheses are the sizes of the dimensions that the kernel
    runs over; those that it `reduces` are summed up (or the like), and
    `divisible_by` says what is known to divide each of them. The body says
    what is computed, on tensors: `linalg.generic` operations, each with the
    dimension of the kernel that each of its loops runs over (`tally.dims`), so
    that one point of the kernel is one point of each of them. How it is computed
    is the choice of `tally-schedule-gpu`, or `tally-schedule-cpu`.

    The arguments of the body are the inputs, then the outputs; a memref is seen
    there as a tensor of its contents. What the body yields is written to the
    outputs, all of it; what they held before is not read.

    ```mlir
    %r = tally.kernel (%n) ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>):
      %s = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"], tally.dims = array<i64: 0>}
          ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
      ^bb1(%p: f32, %q: f32, %unused: f32):
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      tally.yield %s : tensor<?xf32>
    } -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents, Variadic<AnyType>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$reduced,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$divisors);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $extents `)` (`reduces` $reduced^)? (`divisible_by` $divisors^)?
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    $body attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// The arguments of the body that stand for inputs, and those that stand
    /// for outputs, whose elements are undefined.
    ::mlir::Block::BlockArgListType getInputArguments() {
      return getBody().front().getArguments().take_front(getInputs().size());
    }
    ::mlir::Block::BlockArgListType getOutputArguments() {
      return getBody().front().getArguments().drop_front(getInputs().size());
    }
    /// The values that are written to the outputs.
    ::mlir::OperandRange getYielded() {
      return getBody().front().getTerminator()->getOperands();
    }
  }];
}

def Tally_MatmulOp : Tally_Op<"matmul", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A matmul that a library computes.";
  let description = [{
    Multiplies the last two dimensions, for each of the leading ones, which all
    operands share: `c[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]`.
    An operand that is `transpose`d has its last two dimensions swapped. The
    destination is not read; a sum over nothing is zero. Sums of f16 and bf16 are
    kept in f32, which the destination may have, too. On the CPU there are matmuls
    of i8, i16, i32 and i64, modulo a power of two; for i8 the destination may be
    i32. `fallback` names the kernel for where there is no library.

    ```mlir
    %c = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                      outs(%e : tensor<?x?xf32>) {transpose_b} -> tensor<?x?xf32>
    ```

    On the CPU, one matrix `b` may be computed when it is read: the region
    `prologue` gets an element of `b` and one of each of the `elements`, which
    run over dimensions of `b` as their `maps` say, or are scalars; it yields
    what is multiplied. It computes with scalars and has no effects. Weights of a
    byte, with a scale for each column of the result:

    ```mlir
    %c = tally.matmul ins(%a, %w : tensor<?x?xf32>, tensor<?x?xi8>)
                      elements(%scale : tensor<?xf32>) maps [affine_map<(n, k) -> (n)>]
                      outs(%e : tensor<?x?xf32>) prologue {
    ^bb0(%byte: i8, %s: f32):
      %f = arith.sitofp %byte : i8 to f32
      %r = arith.mulf %f, %s : f32
      tally.yield %r : f32
    } {transpose_b} -> tensor<?x?xf32>
    ```

    On a GPU, a `bias` may be added to each row of a matrix of f32, f16 or bf16,
    and negative elements may become 0 after that (`relu`; NaN stays NaN). Both
    are computed before the sum is rounded to the type of `c`, which that of the
    bias is, too:

    ```mlir
    %c = tally.matmul ins(%a, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) bias(%v : tensor<?xbf16>)
                      outs(%e : tensor<?x?xbf16>) {relu, transpose_b} -> tensor<?x?xbf16>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$a,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$b,
    Variadic<AnyType>:$elements,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$bias,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$c,
    OptionalAttr<AffineMapArrayAttr>:$maps,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$relu,
    OptionalAttr<SymbolRefAttr>:$fallback);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$prologues);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    (`elements` `(` $elements^ `:` type($elements) `)` `maps` $maps)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    `outs` `(` $c `:` type($c) `)` (`prologue` $prologues^)? attr-dict (`->` type($results)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b,
                   "::mlir::Value":$c, "bool":$transposeA, "bool":$transposeB)>
  ];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  // In Bytecode.cpp, as earlier versions have no prologue and no bias.
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCMutable(); }
    /// What computes elements of `b`, or null.
    ::mlir::Region *getPrologue() {
      return getPrologues().empty() ? nullptr : &getPrologues().front();
    }
    /// Whether anything is done with a sum before it is written.
    bool hasEpilogue() { return getBias() || getRelu(); }
  }];
}

def Tally_ContractOp : Tally_Op<"contract", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A contraction or a convolution that is computed as matmuls.";
  let description = [{
    For all iterations of the loops that its `maps` share, the product of an
    element of `a` and one of `b` is added to an element of `c`, which starts as
    zero: the destination is not read, and a sum over nothing is zero. Types are
    those of `tally.matmul` on the CPU. The map of `c` gives each dimension a loop of its
    own; the loops that it leaves out are summed over. A dimension of `a` or `b`
    is a loop, or a sum of loops times positive constants, as the window of a
    convolution is. A dimension of `a` whose size is known may be read backwards, from its last element: as a constant
    minus a loop. Where a constant is subtracted from a sum, the dimension
    of `b` is padded: what lies outside of it is zero. In one case the windows are those of `c`: the gradient of a
    convolution by its image, or a transposed convolution, of a weight `a` and a result `b` in the order of dimensions that
    PyTorch has. What they write outside of `c` is left out. Each loop is a dimension of some operand, alone; a loop that
    is summed over moves both `a` and `b`, any other one moves at least one of
    them.

    A convolution with a stride of 2, dilations of 1 and 3, and rows that are
    padded by 1:

    ```mlir
    %c = tally.contract ins(%weight, %image : tensor<?x?x3x3xf32>, tensor<?x?x?x?xf32>)
                        outs(%e : tensor<?x?x?x?xf32>)
                        maps [affine_map<(n, o, y, x, c, i, j) -> (o, c, i, j)>,
                              affine_map<(n, o, y, x, c, i, j) -> (n, c, y * 2 + i - 1, x * 2 + j * 3)>,
                              affine_map<(n, o, y, x, c, i, j) -> (n, o, y, x)>] -> tensor<?x?x?x?xf32>
    ```

    A transposed convolution with a stride of 2 and a padding of 1:

    ```mlir
    %c = tally.contract ins(%weight, %in : tensor<?x?x3xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>)
                        maps [affine_map<(n, c, o, x, k) -> (o, c, k)>,
                              affine_map<(n, c, o, x, k) -> (n, o, x)>,
                              affine_map<(n, c, o, x, k) -> (n, c, x * 2 + k - 1)>] -> tensor<?x?x?xf32>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$a,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$b,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$c,
    AffineMapArrayAttr:$maps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    `outs` `(` $c `:` type($c) `)` `maps` $maps attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCMutable(); }
  }];
}

class Tally_CompactionOp<string mnemonic> : Tally_Op<mnemonic, [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def Tally_CountNonzeroOp : Tally_CompactionOp<"count_nonzero"> {
  let summary = "How many elements are not zero before each tile.";
  let description = [{
    The elements of the source, in row-major order, are divided into tiles of
    `tile` elements. Element `i` of the destination is the number of elements
    that are not zero before tile `i`; its last element is that of all. It has
    one element more than there are tiles.

    ```mlir
    %before = tally.count_nonzero ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xi64>) tile 1024 -> tensor<?xi64>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$source,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$before, I64Attr:$tile);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $before `:` type($before) `)`
    `tile` $tile attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getBeforeMutable();
    }
  }];
}

def Tally_WriteNonzeroOp : Tally_CompactionOp<"write_nonzero"> {
  let summary = "The indices of the elements that are not zero.";
  let description = [{
    One row for each element that is not zero, in row-major order, one column for
    each dimension of the source. `before` is what `tally.count_nonzero` counted
    with the same `tile`. No row is written behind the last one of the
    destination, whatever the source holds by now.

    ```mlir
    %rows = tally.write_nonzero ins(%x, %before : tensor<?x?xf32>, tensor<?xi64>) outs(%e : tensor<?x2xi64>) tile 1024 -> tensor<?x2xi64>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$source,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$before,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$rows, I64Attr:$tile);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $source `,` $before `:` type($source) `,` type($before) `)`
    `outs` `(` $rows `:` type($rows) `)` `tile` $tile attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getRowsMutable(); }
  }];
}

def Tally_KernelAddressOp : Tally_Op<"kernel_address", [Pure]> {
  let summary = "What the runtime knows a kernel by.";
  let description = [{
    Gives the address of a `tally_rt_kernel`, for functions of the runtime that
    launch a kernel themselves.

    ```mlir
    %k = tally.kernel_address @kernels::@matmul_f32_nn : !llvm.ptr
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kernel attr-dict `:` type($result)";
}

def Tally_ReadBackOp : Tally_Op<"read_back", [
    TypesMatchWith<"the result is an element of the source", "source", "result",
      "::llvm::cast<::mlir::ShapedType>($_self).getElementType()">]> {
  let summary = "Waits for an element that the host needs.";
  let description = [{
    Reads an element of a buffer on the device into a number on the host: the
    host waits until everything before it has run. `tally_rt_get_counters` counts
    these waits.

    ```mlir
    %n = tally.read_back %count[%c0] : memref<?xi64>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tally_AnyOrderOp : Tally_Op<"any_order", [Pure]> {
  let summary = "Whether results may depend on the order in which threads come.";
  let description = [{
    Tells what the caller of this call lets it do: add floats up in any order,
    or leave any of the values that are written to one element. On a GPU,
    `tally_rt_set_deterministic` says so; in the interpreter the seed of the
    order in which threads run.

    ```mlir
    %any = tally.any_order : i1
    ```
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tally_DeviceErrorsOp : Tally_Op<"device_errors", [
    MemoryEffects<[MemRead<ErrorResource>]>]> {
  let summary = "Where the kernels of this call report failed asserts.";
  let description = [{
    ```mlir
    %errors = tally.device_errors : memref<1xi64>
    ```
  }];
  let results = (outs MemRefRankOf<[I64], [1]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tally_CheckDeviceOp : Tally_Op<"check_device", [
    MemoryEffects<[MemRead<ErrorResource>,
                   MemWrite<ErrorResource>]>]> {
  let summary = "Ends the call if an assert failed in a kernel.";
  let description = [{
    Waits for the kernels of this call and turns what they reported into the
    error of the call.

    ```mlir
    tally.check_device
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TALLY_IR_TALLYDEVICEOPS_TD
