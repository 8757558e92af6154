//===- TallyDataDependentOps.td - Ops that make symbols ----*- tablegen -*-===//

#ifndef TALLY_IR_TALLYDATADEPENDENTOPS_TD
#define TALLY_IR_TALLYDATADEPENDENTOPS_TD

include "tally/IR/Attributes/TallyAttrs.td"
include "tally/Interfaces/UnbackedBindingOpInterface.td"
include "tally/IR/TallySymbolOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tally_BindingOp<string mnemonic, list<Trait> traits = []>
    : Tally_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        UnbackedBindingOpInterface]> {
  code bindingDeclaration = [{
    ::tally::BindingsAttr getSymbolBindings() { return getBindingsAttr(); }
    void setSymbolBindings(::tally::BindingsAttr bindings) {
      setBindingsAttr(bindings);
    }
  }];
  let extraClassDeclaration = bindingDeclaration;
}

/// An operation that has no effect but that it makes symbols.
class Tally_DataDependentOp<string mnemonic, list<Trait> traits = []>
    : Tally_BindingOp<mnemonic, traits> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      if (getBindingsAttr()) // writes what names mean
        effects.emplace_back(::mlir::MemoryEffects::Write::get(),
                             ::tally::SymbolResource::get());
    }
  }];
}

def Tally_ItemOp : Tally_DataDependentOp<"item", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    TypesMatchWith<"the result is an element of the source", "source", "result",
      "::llvm::cast<::mlir::ShapedType>($_self).getElementType()">]> {
  let summary = "The only element of a tensor, as a scalar.";
  let description = [{
    Reads a tensor of one element, of any rank. A program whose sizes or control
    flow depend on the value binds it to a symbol. One that binds none folds
    where the element is known.

    ```mlir
    %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs ScalarType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) (`bind` custom<BindingList>($bindings)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tally_NonzeroOp : Tally_DataDependentOp<"nonzero", [
    AlwaysSpeculatable]> {
  let summary = "The indices of the elements that are not zero.";
  let description = [{
    One row for each element that is not zero (for floats, NaN is not zero), in
    row-major order, one column for each dimension of the source. The number of
    rows is at most the number of elements.

    ```mlir
    %i = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64> bind #tally.bindings<u0 = result(0).size(0)>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs 2DTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` type($result)
    (`bind` custom<BindingList>($bindings)^)?
  }];
  let hasVerifier = 1;
}

def Tally_MaskedSelectOp : Tally_DataDependentOp<"masked_select", [
    InferTypeOpAdaptor]> {
  let summary = "The elements where a mask is true.";
  let description = [{
    The elements come in row-major order. The mask has the shape of the source:
    who makes the operation broadcasts operands that differ. The result has at
    most as many elements as the source.

    ```mlir
    %r = tally.masked_select %x, %m : tensor<?x?xf32>, tensor<?x?xi1> bind #tally.bindings<u0 = result(0).size(0)>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       RankedTensorOf<[I1]>:$mask,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs 1DTensorOf<[AnyType]>:$result);
  let assemblyFormat = [{
    $source `,` $mask attr-dict `:` type($source) `,` type($mask)
    (`bind` custom<BindingList>($bindings)^)?
  }];
  let hasVerifier = 1;
}

def Tally_UniqueOp : Tally_DataDependentOp<"unique", [
    AlwaysSpeculatable, InferTypeOpAdaptor]> {
  let summary = "The distinct elements, sorted.";
  let description = [{
    Gives the elements of a tensor of any rank, each once and in ascending order;
    for each element of the source the place of its equal among them; and how
    often each occurs. Integers are signed, and `false` comes before `true`. As in PyTorch,
    a NaN equals nothing, so that each has a place of its own, behind all
    numbers (NumPy makes them one unless `equal_nan=False`). The zeros are
    equal; the one that comes first in the source is kept.

    The number of values is at most that of elements, and not 0 if there is an
    element. Values and counts have the same size: one symbol stands for both.

    ```mlir
    %values, %inverse, %counts = tally.unique %x : tensor<?x?xf32> bind #tally.bindings<u0 = result(0).size(0)>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs 1DTensorOf<[AnyType]>:$values,
                      RankedTensorOf<[I64]>:$inverse,
                      1DTensorOf<[I64]>:$counts);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) (`bind` custom<BindingList>($bindings)^)?
  }];
  let hasVerifier = 1;
}

def Tally_RepeatInterleaveOp : Tally_DataDependentOp<"repeat_interleave", [
    InferTypeOpAdaptor]> {
  let summary = "Each index as often as its count says.";
  let description = [{
    The counts 2, 0 and 1 give the indices 0, 0 and 2, which a gather along a
    dimension takes to repeat its elements. The result has as many elements as
    the sum of the counts. That no count is negative is a check on the data,
    which `tally-propagate-shapes` puts before the operation.

    ```mlir
    %i = tally.repeat_interleave %counts : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
    ```
  }];
  let arguments = (ins 1DTensorOf<[I64]>:$counts,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs 1DTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $counts attr-dict `:` type($counts) (`bind` custom<BindingList>($bindings)^)?
  }];
}

def Tally_BincountOp : Tally_DataDependentOp<"bincount", [InferTypeOpAdaptor]> {
  let summary = "How often each number occurs.";
  let description = [{
    Element `i` of the result is how often `i` is among the values, or the sum
    of the weights of these. It is as long as the largest value needs, and at
    least `minlength`, which is not negative. That no value is negative is a
    check on the data, which `tally-propagate-shapes` puts before the operation.
    The weights are one for each value; the result has their type, or else i64.

    ```mlir
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %n = tally.bincount %v minlength %c0 : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %s = tally.bincount %v minlength %c8 weights %w : tensor<?xi64>, tensor<?xf32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[I64]>:$values, Index:$minlength,
                       Optional<1DTensorOf<[AnyType]>>:$weights,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs 1DTensorOf<[AnyType]>:$result);
  let assemblyFormat = [{
    $values `minlength` $minlength (`weights` $weights^)? attr-dict
    `:` type($values) (`,` type($weights)^)?
    (`bind` custom<BindingList>($bindings)^)?
  }];
  let hasVerifier = 1;
}

def Tally_SliceOp : Tally_DataDependentOp<"slice", [
    AlwaysSpeculatable, InferTypeOpAdaptor]> {
  let summary = "A part of a dimension, as Python slices.";
  let description = [{
    Gives the elements `start`, `start + step`, ... before `end`. A bound that is
    negative counts from the end of the dimension, and one that lies outside is
    moved to its edge, so that every pair of bounds is right. The size of the
    result is an expression of the bounds and the size of the source; a symbol
    that it is bound to is another word for that.

    ```mlir
    %r = tally.slice %x[%start to %end step 2] dim 1 : tensor<?x?xf32> bind #tally.bindings<u0 = result(0).size(1)>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Index:$start, Index:$end,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$step,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $start `to` $end (`step` $step^)? `]` `dim` $dim attr-dict
    `:` type($source) (`bind` custom<BindingList>($bindings)^)?
  }];
}

def Tally_SelectOp : Tally_DataDependentOp<"select", [InferTypeOpAdaptor]> {
  let summary = "One index of a dimension, which goes away.";
  let description = [{
    A negative index counts from the end of the dimension. It is in
    [-size, size).

    ```mlir
    %r = tally.select %x[%i] dim 0 : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Index:$index,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $index `]` `dim` $dim attr-dict
    `:` type($source) (`bind` custom<BindingList>($bindings)^)?
  }];
}

def Tally_SplitOp : Tally_DataDependentOp<"split", [InferTypeOpAdaptor]> {
  let summary = "The parts of a dimension, by their sizes.";
  let description = [{
    There is one result for each size, in order. No size is negative, and their sum is
    the size of the dimension.

    ```mlir
    %a, %b = tally.split %x[%n, %m] dim 0 : tensor<?x4xf32> bind #tally.bindings<u0 = result(0).size(0), u1 = result(1).size(0)>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$sizes,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $source `[` $sizes `]` `dim` $dim attr-dict
    `:` type($source) (`bind` custom<BindingList>($bindings)^)?
  }];
}

#endif // TALLY_IR_TALLYDATADEPENDENTOPS_TD
