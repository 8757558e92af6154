//===- TallyInterfaces.td - Interfaces of the tally dialect -*- tablegen -*-===//

#ifndef TALLY_IR_TALLYINTERFACES_TD
#define TALLY_IR_TALLYINTERFACES_TD

include "mlir/IR/OpBase.td"

def SymbolicShapeOpInterface : OpInterface<"SymbolicShapeOpInterface"> {
  let cppNamespace = "::tally";
  let description = [{
    An operation that tells the sizes of its results as expressions of the sizes
    of its operands, and what it requires of its operands.

    Operations of other dialects take part through external models; one that has
    none but implements `ReifyRankedShapedTypeOpInterface` is asked through that.
    What an operation does not tell is a symbol of its own: nothing is lost by
    leaving a size out.

    ```c++
    // Result 0 is the concatenation of the operands along dimension 0.
    void MyConcatOp::inferSymbolicShapes(tally::SymbolicShapes &shapes) {
      tally::symbolic::Expr sum = shapes.getContext().constant(0);
      for (mlir::Value input : getInputs())
        sum = shapes.getContext().add(sum, shapes.getDim(input, 0));
      shapes.setDim(getResult(), 0, sum);
      shapes.setDim(getResult(), 1, shapes.getDim(getInputs()[0], 1));
    }

    // All inputs have the same size along dimension 1.
    void MyConcatOp::collectPreconditions(tally::SymbolicShapes &shapes,
                                    tally::Preconditions &preconditions) {
      for (mlir::Value input : getInputs().drop_front())
        preconditions.addEqualDims(getInputs()[0], 1, input, 1);
    }
    ```
  }];
  let methods = [
    InterfaceMethod<
      "Sets what is known of the sizes (`setDim`) and integer values "
      "(`setValue`) of the results. Called after the operands are known.",
      "void", "inferSymbolicShapes", (ins "::tally::SymbolicShapes &":$shapes),
      /*methodBody=*/"", /*defaultImplementation=*/[{ return; }]>,
    InterfaceMethod<
      "Adds what must hold of the operands for the operation to be right. "
      "`tally-propagate-shapes` turns each into a check before the operation.",
      "void", "collectPreconditions",
      (ins "::tally::SymbolicShapes &":$shapes, "::tally::Preconditions &":$preconditions),
      /*methodBody=*/"", /*defaultImplementation=*/[{ return; }]>,
  ];
}

def UnbackedBindingOpInterface : OpInterface<"UnbackedBindingOpInterface"> {
  let cppNamespace = "::tally";
  let description = [{
    An operation that makes symbols: values that are known only when it has run.
    In the named form its bindings say which symbols these are and where each is
    read; `tally-bind-symbols` turns each into a `tally.symbol` after the
    operation and clears the bindings.

    ```mlir
    %r = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    ```

    The operation must write `SymbolResource` while it has bindings.
  }];
  let methods = [
    InterfaceMethod<"The bindings, or null if it makes no symbols.",
      "::tally::BindingsAttr", "getSymbolBindings">,
    InterfaceMethod<"Replaces the bindings; null removes them.",
      "void", "setSymbolBindings", (ins "::tally::BindingsAttr":$bindings)>,
  ];
  let verify = [{ return ::tally::detail::verifyBindings($_op); }];
}

def HigherOrderOpInterface : OpInterface<"HigherOrderOpInterface"> {
  let cppNamespace = "::tally";
  let description = [{
    An operation that owns or calls subgraphs. `tally-lift-free-symbols` closes
    each subgraph: what it used from outside becomes an operand of the operation
    and an argument of the subgraph.

    An implementation gives the regions, tells which operands feed their
    arguments, how results come about, and whether a subgraph may write to or
    return an alias of an argument. An operation from elsewhere also lowers
    itself, for `tally-lower-hops`:

    ```c++
    // my.repeat %n (%x) { ^bb0(%a): ... my.yield %b }
    LogicalResult MyRepeatOp::lowerToControlFlow(PatternRewriter &rewriter) {
      auto loop = scf::ForOp::create(rewriter, getLoc(), zero, getN(), one,
                                     getInputs());
      // ... move the body ...
      rewriter.replaceOp(*this, loop);
      return success();
    }
    ```
  }];
  let methods = [
    InterfaceMethod<
      "The regions of the subgraphs. For an operation that calls a function, "
      "the body of the callee, or nothing if it cannot be found.",
      "::llvm::SmallVector<::mlir::Region *>", "getSubgraphs">,
    InterfaceMethod<
      "The operands that become the arguments of subgraph `index`, in order.",
      "::mlir::OperandRange", "getSubgraphOperands", (ins "unsigned":$index)>,
    InterfaceMethod<
      "Passes `captures` to every subgraph: appends them to the operands and an "
      "argument for each to every region. Returns, for each subgraph, the new "
      "arguments.",
      "::llvm::SmallVector<::llvm::SmallVector<::mlir::Value>>",
      "appendCaptures", (ins "::mlir::ValueRange":$captures)>,
    InterfaceMethod<
      "How the results come about from what the subgraphs yield.",
      "::tally::ResultJoin", "getResultJoin">,
    InterfaceMethod<"Whether a subgraph may write to its arguments.",
      "bool", "mayMutateOperands", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Whether a result may alias an operand.",
      "bool", "mayAliasOperands", (ins), "", [{ return false; }]>,
    InterfaceMethod<
      "Replaces the operation by operations of upstream dialects, such as `scf` "
      "and `func`, or by other higher-order operations. Called by "
      "`tally-lower-hops`, on a closed operation whose symbols are bound; "
      "nothing may have been changed where it fails.",
      "::llvm::LogicalResult", "lowerToControlFlow",
      (ins "::mlir::PatternRewriter &":$rewriter), "",
      [{ return ::mlir::failure(); }]>,
  ];
}

#endif // TALLY_IR_TALLYINTERFACES_TD
