//===- UnbackedBindingOpInterface.td - Who makes symbols ---*- tablegen -*-===//

#ifndef TALLY_INTERFACES_UNBACKEDBINDINGOPINTERFACE_TD
#define TALLY_INTERFACES_UNBACKEDBINDINGOPINTERFACE_TD

include "mlir/IR/OpBase.td"

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

    Both methods must be implemented, and the operation must write
    `SymbolResource` while it has bindings.
  }];
  let methods = [
    InterfaceMethod<"Returns the bindings, or null if it makes no symbols.",
      "::tally::BindingsAttr", "getSymbolBindings">,
    InterfaceMethod<"Replaces the bindings; null removes them.",
      "void", "setSymbolBindings", (ins "::tally::BindingsAttr":$bindings)>,
  ];
  let verify = [{ return ::tally::detail::verifyBindings($_op); }];
}

#endif // TALLY_INTERFACES_UNBACKEDBINDINGOPINTERFACE_TD
