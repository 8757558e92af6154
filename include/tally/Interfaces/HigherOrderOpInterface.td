//===- HigherOrderOpInterface.td - Who owns subgraphs ------*- tablegen -*-===//

#ifndef TALLY_INTERFACES_HIGHERORDEROPINTERFACE_TD
#define TALLY_INTERFACES_HIGHERORDEROPINTERFACE_TD

include "mlir/IR/OpBase.td"

def HigherOrderOpInterface : OpInterface<"HigherOrderOpInterface"> {
  let cppNamespace = "::tally";
  let description = [{
    An operation that owns or calls subgraphs. `tally-lift-free-symbols` closes
    each subgraph: what it used from outside becomes an operand of the operation
    and an argument of the subgraph.

    An implementation gives the regions, tells which operands feed their
    arguments and how results come about. A loop also tells what it carries. An
    operation from elsewhere lowers itself, for `tally-lower-hops`:

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

    The first four methods must be implemented. The others have a default: an
    operation that implements one of them lists it,
    `DeclareOpInterfaceMethods<HigherOrderOpInterface, ["lowerToControlFlow"]>`.
  }];
  let methods = [
    InterfaceMethod<
      "Returns the regions of the subgraphs. For an operation that calls a "
      "function, that is the body of the callee, or nothing if it cannot be "
      "found. Must be implemented.",
      "::llvm::SmallVector<::mlir::Region *>", "getSubgraphs">,
    InterfaceMethod<
      "Returns the operands that become the last arguments of subgraph `index`, "
      "in order. Arguments before them are the operation's own, as the "
      "induction variable of a loop is. Must be implemented.",
      "::mlir::OperandRange", "getSubgraphOperands", (ins "unsigned":$index)>,
    InterfaceMethod<
      "Passes `captures` to every subgraph: appends them to the operands and an "
      "argument for each to every region. Returns, for each subgraph, the new "
      "arguments. Must be implemented.",
      "::llvm::SmallVector<::llvm::SmallVector<::mlir::Value>>",
      "appendCaptures", (ins "::mlir::ValueRange":$captures)>,
    InterfaceMethod<
      "Tells how the results come about from what the subgraphs yield. Must be "
      "implemented.",
      "::tally::ResultJoin", "getResultJoin">,
    InterfaceMethod<
      "Returns what a loop carries, for each result in order. Every other "
      "argument that an operand feeds is that operand in each iteration. "
      "Nothing is known of the arguments and results of a loop that does not "
      "say (`std::nullopt`). By default that is what `LoopLikeOpInterface` "
      "tells of one that implements it.",
      "::std::optional<::llvm::SmallVector<::tally::CarriedValue>>",
      "getCarriedValues", (ins), "",
      [{ return ::tally::detail::getLoopLikeCarriedValues($_op); }]>,
    InterfaceMethod<
      "Replaces the operation by operations of upstream dialects, such as `scf` "
      "and `func`, or by other higher-order operations. Called by "
      "`tally-lower-hops`, on a closed operation whose symbols are bound; "
      "nothing may have been changed where it fails. By default it fails.",
      "::llvm::LogicalResult", "lowerToControlFlow",
      (ins "::mlir::PatternRewriter &":$rewriter), "",
      [{ return ::mlir::failure(); }]>,
  ];
}

#endif // TALLY_INTERFACES_HIGHERORDEROPINTERFACE_TD
