//===- ElementRangeInterface.td - Ranges of elements --------*- tablegen -*-===//

#ifndef TALLY_ANALYSIS_ELEMENTRANGEINTERFACE_TD
#define TALLY_ANALYSIS_ELEMENTRANGEINTERFACE_TD

include "mlir/IR/OpBase.td"

def ElementRangeOpInterface : OpInterface<"ElementRangeOpInterface"> {
  let cppNamespace = "::tally";
  let description = [{
    An operation that tells between which values the elements of its results
    lie: of tensors of integers, and of integers, index and i1 (0 and 1). It is
    asked where an index is read from data, so that what is always in bounds is
    not checked.

    Operations of other dialects take part through external models. Structured
    operations, loops, branches and higher-order operations need none: their
    bodies are read. What an operation does not tell is not known.

    ```c++
    // Result 0 holds positions of the last dimension of the operand.
    tally::ElementRange
    MyArgTopKOp::inferElementRange(unsigned result, tally::ElementRanges &ranges) {
      unsigned last = getInput().getType().getRank() - 1;
      return ranges.getPositions(getInput(), last);
    }
    ```
  }];
  let methods = [
    InterfaceMethod<
      "The range of the elements of a result. It must hold whatever the operands "
      "are, and arithmetic that wraps around counts: `ElementRanges::fit` gives "
      "the range of the type where a bound may leave it.",
      "::tally::ElementRange", "inferElementRange",
      (ins "unsigned":$result, "::tally::ElementRanges &":$ranges)>,
  ];
}

#endif // TALLY_ANALYSIS_ELEMENTRANGEINTERFACE_TD
