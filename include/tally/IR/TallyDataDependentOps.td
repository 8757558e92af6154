//===- TallyDataDependentOps.td - Ops that make symbols ----*- tablegen -*-===//

#ifndef TALLY_IR_TALLYDATADEPENDENTOPS_TD
#define TALLY_IR_TALLYDATADEPENDENTOPS_TD

include "tally/IR/TallyAttrs.td"
include "tally/IR/TallyInterfaces.td"
include "tally/IR/TallySymbolOps.td"
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

def Tally_ItemOp : Tally_BindingOp<"item", [
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

def Tally_NonzeroOp : Tally_BindingOp<"nonzero", [
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

#endif // TALLY_IR_TALLYDATADEPENDENTOPS_TD
