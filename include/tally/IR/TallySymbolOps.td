//===- TallySymbolOps.td - Symbols, checks and constants ---*- tablegen -*-===//

#ifndef TALLY_IR_TALLYSYMBOLOPS_TD
#define TALLY_IR_TALLYSYMBOLOPS_TD

include "tally/IR/Attributes/TallyAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ScalarType : AnyTypeOf<[Index, AnySignlessInteger, AnyFloat],
                           "index, integer or float">;

def Tally_SymbolOp : Tally_Op<"symbol", [
    NoMemoryEffect, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Names a value: from here on it is a symbol.";
  let description = [{
    Returns its operand. What it declares (`in` a range, `divisible_by` a number) is a
    fact that holds after it; a check on the raw operand stands before it. It
    has no effect, so an unused symbol may go, and is not speculatable where it
    declares something, so that it stays behind its check.

    ```mlir
    %c0 = arith.constant 0 : index
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %s0 = tally.symbol "s0" = %d from "x.size(0)" in [0, 4096] divisible_by 8 : index
    ```
  }];
  let arguments = (ins
    StrAttr:$name, ScalarType:$source, OptionalAttr<StrAttr>:$origin,
    OptionalAttr<I64Attr>:$lower, OptionalAttr<I64Attr>:$upper,
    DefaultValuedAttr<I64Attr, "1">:$divisor);
  let results = (outs ScalarType:$result);
  let assemblyFormat = [{
    $name `=` $source (`from` $origin^)?
    `` custom<SymbolFacts>($lower, $upper, $divisor)
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tally_SizeOp : Tally_Op<"size", [
    MemoryEffects<[MemRead<SymbolResource>]>]> {
  let summary = "The value of an expression over names.";
  let description = [{
    Reads the names that the expression mentions; part of the named form only.
    `tally-bind-symbols` replaces it with arithmetic on the bound symbols.

    ```mlir
    %n = tally.size <s0 * s1> : index
    %nonempty = tally.size <"s0 > 0"> : i1
    ```
  }];
  let arguments = (ins Tally_ExprAttr:$expr);
  let results = (outs ScalarType:$result);
  let assemblyFormat = [{ custom<SizeBody>($expr, type($result)) attr-dict }];
  let hasVerifier = 1;
}

/// States a condition, with the values of its symbols.
def StatesCondition : NativeOpTrait<"StatesCondition"> {
  let cppNamespace = "::tally";
}

class Tally_StatementOp<string mnemonic> : Tally_Op<mnemonic, [
    StatesCondition,
    MemoryEffects<[MemRead<SymbolResource>, MemWrite<ErrorResource>]>]> {
  let arguments = (ins
    Tally_ExprAttr:$condition, Variadic<ScalarType>:$values,
    StrArrayAttr:$names, OptionalAttr<StrAttr>:$message,
    OptionalAttr<StrAttr>:$required_by, OptionalAttr<StrAttr>:$declared_by);
  let assemblyFormat = [{
    custom<ExprBody>($condition) (`,` $message^)?
    `` custom<NamedValues>($values, type($values), $names)
    (`required_by` `(` $required_by^ `)`)?
    (`declared_by` `(` $declared_by^ `)`)?
    attr-dict
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "ExprAttr":$condition, CArg<"::mlir::StringAttr", "{}">:$message)>,
    OpBuilder<(ins "ExprAttr":$condition, "::mlir::ValueRange":$values,
                   "::llvm::ArrayRef<::llvm::StringRef>":$names)>
  ];
}

def Tally_CheckOp : Tally_StatementOp<"check"> {
  let summary = "A statement that must hold: to be proven or asserted.";
  let description = [{
    States that the condition holds for every run. It comes from the user
    (`torch._check`), from a declaration, or from what an operation requires of
    its operands. A symbol of the condition is a name of the function's table,
    or is given as an operand. `tally-insert-runtime-asserts` proves each check,
    or turns it into a `tally.assert`.

    ```mlir
    tally.check <s0 * s1 == s2>, "sizes must fit" required_by("linalg.add")
    tally.check <s0 <= 4096> (s0 = %d : index) declared_by("x")
    ```
  }];
}

def Tally_AssumeOp : Tally_StatementOp<"assume"> {
  let summary = "A statement that the user vouches for: nobody checks it.";
  let description = [{
    A fact to prove other checks from. Where it does not hold, the behavior of
    the program is undefined.

    ```mlir
    tally.assume <s0 mod 8 == 0>
    ```
  }];
}

def Tally_AssertOp : Tally_Op<"assert", [
    StatesCondition, MemoryEffects<[MemWrite<ErrorResource>]>, AttrSizedOperandSegments]> {
  let summary = "Ends the call with an error unless the condition holds.";
  let description = [{
    The check that runs. The error tells the expression, the values given for
    its symbols and sub-expressions, where the symbols come from, and which
    operation needed it.

    The operands of `guards` are returned unchanged: what may only be done after
    the assert uses these results, so that no pass can move it above.

    ```mlir
    tally.assert %ok, <s0 * s1 == s2> (s0 = %s0, s1 = %s1, s2 = %s2, "s0 * s1" = %p : index, index, index, index)
        sources({s0 = "x.size(0)"}) required_by("linalg.add")
    %j = tally.assert %in message("the index is out of range") guards(%i : index)
    ```
  }];
  let arguments = (ins
    I1:$condition, OptionalAttr<Tally_ExprAttr>:$expr,
    Variadic<ScalarType>:$values, StrArrayAttr:$names,
    OptionalAttr<StrAttr>:$message, OptionalAttr<StrAttr>:$required_by,
    OptionalAttr<StrAttr>:$declared_by, OptionalAttr<DictionaryAttr>:$sources,
    Variadic<ScalarType>:$guarded);
  let results = (outs Variadic<ScalarType>:$results);
  let assemblyFormat = [{
    $condition (`,` custom<ExprBody>($expr)^)?
    `` custom<NamedValues>($values, type($values), $names)
    (`message` `(` $message^ `)`)?
    (`sources` `(` $sources^ `)`)?
    (`required_by` `(` $required_by^ `)`)?
    (`declared_by` `(` $declared_by^ `)`)?
    (`guards` `(` $guarded^ custom<GuardedTypes>(type($guarded), type($results)) `)`)?
    attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$condition, "::mlir::StringRef":$message,
                   CArg<"::mlir::ValueRange", "{}">:$guarded)>
  ];
}

def Tally_SpeculationBarrierOp : Tally_Op<"speculation_barrier", [
    NoMemoryEffect, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "A value for use in this place only.";
  let description = [{
    Returns its operand, and is not speculatable: what uses the result is not
    moved out of the loop that it stands in. `tally-insert-runtime-asserts` puts
    one before an access that is right in every iteration of a loop but need not be
    where the loop has none.

    ```mlir
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // n may be 0, and the tensor, of n elements, empty.
      %first = tally.speculation_barrier %c0 : index
      %v = tensor.extract %x[%first] : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins ScalarType:$source);
  let results = (outs ScalarType:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Tally_ConstantOp : Tally_Op<"constant", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A constant tensor kept in a data file.";
  let description = [{
    The elements, row-major, little-endian and without padding (a boolean is a
    byte), start at `offset` of the file. A relative path starts at the folder
    of the file that the operation was read from. It is constant-like: a closed
    subgraph may use it.

    A `range` says between which numbers, both included, elements of integers
    lie (read as signed ones; a boolean is 0 or 1), so that indices need no check
    where the range shows that they are in bounds. Compilation fails where the
    file has another element.

    ```mlir
    %w = tally.constant "model.bin" [4096] : tensor<64x64xf32>
    %i = tally.constant "model.bin" [20480] in [0, 48] : tensor<16x16xi64>
    ```
  }];
  let arguments = (ins StrAttr:$file, I64Attr:$offset,
                       OptionalAttr<DenseI64ArrayAttr>:$range);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $file `[` $offset `]` (`in` $range^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TALLY_IR_TALLYSYMBOLOPS_TD
