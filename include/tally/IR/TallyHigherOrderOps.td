//===- TallyHigherOrderOps.td - Ops that own subgraphs -----*- tablegen -*-===//

#ifndef TALLY_IR_TALLYHIGHERORDEROPS_TD
#define TALLY_IR_TALLYHIGHERORDEROPS_TD

include "tally/IR/TallyDataDependentOps.td"
include "tally/Interfaces/HigherOrderOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tally_CondOp : Tally_Op<"cond", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    UnbackedBindingOpInterface, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<HigherOrderOpInterface, [
      "getSubgraphs", "getSubgraphOperands", "appendCaptures", "getResultJoin"]>]> {
  let summary = "Runs one of two subgraphs.";
  let description = [{
    Runs the first region where the predicate is true, the second otherwise; the
    operands are the arguments of both. A size of a result in which the branches
    differ is a new symbol, which `bind` names. In the named form a region may
    use values from outside; `tally-lift-free-symbols` makes them operands.

    It does not implement `RegionBranchOpInterface`: through that, passes of MLIR
    would drop results that are not used, and with them what `bind` counts by.

    ```mlir
    %r = tally.cond %p (%x) : (tensor<?xf32>) -> tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)> {
    ^bb0(%a: tensor<?xf32>):
      tally.yield %a : tensor<?xf32>
    } else {
    ^bb0(%a: tensor<?xf32>):
      %b = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      tally.yield %b : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins I1:$predicate, Variadic<AnyType>:$inputs,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $predicate (`(` $inputs^ `)`)? attr-dict
    `:` functional-type($inputs, $results)
    (`bind` custom<BindingList>($bindings)^)?
    $thenRegion `else` $elseRegion
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::tally::BindingsAttr getSymbolBindings() { return getBindingsAttr(); }
    void setSymbolBindings(::tally::BindingsAttr bindings) {
      setBindingsAttr(bindings);
    }
    /// The terminator of the first (true) or second region.
    ::tally::YieldOp getYield(bool branch);
  }];
}

def Tally_InvokeSubgraphOp : Tally_Op<"invoke_subgraph", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    UnbackedBindingOpInterface,
    DeclareOpInterfaceMethods<HigherOrderOpInterface, [
      "getSubgraphs", "getSubgraphOperands", "appendCaptures", "getResultJoin"]>]> {
  let summary = "Calls a subgraph that is shared by several call sites.";
  let description = [{
    The callee is a function with a size table of its own: its symbols are known
    at each call from the sizes of the operands. A size of a result that is not
    determined by them is a new symbol, which `bind` names.

    ```mlir
    %r = tally.invoke_subgraph @block(%x) : (tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
    OptionalAttr<Tally_BindingsAttr>:$bindings,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
    (`bind` custom<BindingList>($bindings)^)?
  }];
  let extraClassDeclaration = [{
    ::tally::BindingsAttr getSymbolBindings() { return getBindingsAttr(); }
    void setSymbolBindings(::tally::BindingsAttr bindings) {
      setBindingsAttr(bindings);
    }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() { return getInputs(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getInputsMutable();
    }
  }];
}

def Tally_YieldOp : Tally_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends a subgraph and gives its results.";
  let description = [{
    ```mlir
    tally.yield %r : tensor<?xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = [{ ($operands^ `:` type($operands))? attr-dict }];
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
}

#endif // TALLY_IR_TALLYHIGHERORDEROPS_TD
