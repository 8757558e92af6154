//===- TallyFFTOps.td - Fourier transforms -----------------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYFFTOPS_TD
#define TALLY_IR_TALLYFFTOPS_TD

include "tally/IR/TallyDialect.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tally_FFTKind
    : I32EnumAttr<"FFTKind", "a Fourier transform", [
        I32EnumAttrCase<"Forward", 0, "forward">,
        I32EnumAttrCase<"Backward", 1, "backward">,
        I32EnumAttrCase<"RealToComplex", 2, "real_to_complex">,
        I32EnumAttrCase<"ComplexToReal", 3, "complex_to_real">]> {
  let cppNamespace = "::tally";
}

def Tally_FFTScaling
    : I32EnumAttr<"FFTScaling", "what the sums are divided by", [
        I32EnumAttrCase<"None", 0, "none">,
        I32EnumAttrCase<"Root", 1, "root">,
        I32EnumAttrCase<"Length", 2, "length">]> {
  let cppNamespace = "::tally";
}

def Tally_FFTOp : Tally_Op<"fft", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Discrete Fourier transforms along a dimension.";
  let description = [{
    Transforms each line of numbers along the dimension `dim`. Complex numbers
    are pairs of f32 or f64, the last dimension, of size 2, which `dim` does not
    count. With n for the number of elements along `dim`:

    | kind | computes | sizes along `dim` |
    |---|---|---|
    | `forward` | y[k] = sum of x[j] exp(-2 pi i j k / n) | n of both |
    | `backward` | y[k] = sum of x[j] exp(2 pi i j k / n) | n of both |
    | `real_to_complex` | what `forward` does of real numbers, the first half | n real ones; n / 2 + 1 complex ones |
    | `complex_to_real` | what `backward` does of the numbers whose first half these are | n / 2 + 1 complex ones; n real ones |

    The imaginary parts of the first number, and of the last one of an even n,
    are not read by `complex_to_real`. Sums are divided by 1 (`none`), by the
    square root of n (`root`) or by n (`length`). The destination is not read.

    ```mlir
    %r = tally.fft real_to_complex dim(1) scale(none) ins(%x : tensor<?x?xf32>)
        outs(%y : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
    ```
  }];
  let arguments = (ins
    Tally_FFTKind:$kind,
    I64Attr:$dim,
    Tally_FFTScaling:$scaling,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$input,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$output);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $kind `dim` `(` $dim `)` `scale` `(` $scaling `)`
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputMutable();
    }
    bool takesComplex() { return getKind() != FFTKind::RealToComplex; }
    bool givesComplex() { return getKind() != FFTKind::ComplexToReal; }
    /// The number of dimensions without that of the parts.
    int64_t getSignalRank() {
      return ::llvm::cast<::mlir::ShapedType>(getInput().getType()).getRank() -
             takesComplex();
    }
  }];
}

#endif // TALLY_IR_TALLYFFTOPS_TD
