//===- SymbolicShapeOpInterface.td - Sizes as expressions --*- tablegen -*-===//

#ifndef TALLY_INTERFACES_SYMBOLICSHAPEOPINTERFACE_TD
#define TALLY_INTERFACES_SYMBOLICSHAPEOPINTERFACE_TD

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

    `inferSymbolicShapes` must be implemented. The other methods have a default:
    an operation that implements one of them lists it,
    `DeclareOpInterfaceMethods<SymbolicShapeOpInterface, ["collectPreconditions"]>`.
  }];
  let methods = [
    InterfaceMethod<
      "Sets what is known of the sizes (`setDim`) and integer values "
      "(`setValue`) of the results. Called after the operands are known and "
      "before the regions are visited. Must be implemented.",
      "void", "inferSymbolicShapes", (ins "::tally::SymbolicShapes &":$shapes)>,
    InterfaceMethod<
      "Adds what must hold of the operands for the operation to be right. "
      "`tally-propagate-shapes` turns each into a check before the operation. "
      "By default nothing must.",
      "void", "collectPreconditions",
      (ins "::tally::SymbolicShapes &":$shapes, "::tally::Preconditions &":$preconditions),
      /*methodBody=*/"", /*defaultImplementation=*/[{ return; }]>,
    InterfaceMethod<
      "Returns what holds before the operation if it is going to run region "
      "`index` (at least once), and only then: true if it always does. By "
      "default (null) that is what `LoopLikeOpInterface` and "
      "`RegionBranchOpInterface` tell: the bounds of a loop that runs are apart, "
      "and a boolean operand decides which region runs.",
      "::tally::symbolic::Expr", "getRegionCondition",
      (ins "unsigned":$index, "::tally::SymbolicShapes &":$shapes),
      /*methodBody=*/"", /*defaultImplementation=*/[{ return {}; }]>,
    InterfaceMethod<
      "Returns what each induction variable of a loop starts from and stays "
      "below. Only asked where `LoopLikeOpInterface` tells the variables and "
      "their steps, but no values that are the bounds: one of `affine.for` may "
      "be the least of several expressions. By default nothing is known.",
      "::llvm::SmallVector<::tally::LoopBounds>", "getLoopBounds",
      (ins "::tally::SymbolicShapes &":$shapes),
      /*methodBody=*/"", /*defaultImplementation=*/[{ return {}; }]>,
  ];
}

#endif // TALLY_INTERFACES_SYMBOLICSHAPEOPINTERFACE_TD
