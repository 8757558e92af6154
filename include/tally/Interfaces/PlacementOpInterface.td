//===- PlacementOpInterface.td - Where operations may run --*- tablegen -*-===//

#ifndef TALLY_INTERFACES_PLACEMENTOPINTERFACE_TD
#define TALLY_INTERFACES_PLACEMENTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def PlacementOpInterface : OpInterface<"PlacementOpInterface"> {
  let cppNamespace = "::tally";
  let description = [{
    An operation that uses memory and tells `tally-place-on-device` where that
    may be done. Most operations need not tell: one without memory effects runs
    anywhere, and so does a loop or branch that implements
    `RegionBranchOpInterface` and has no effects but those of its regions; host
    code may allocate and free memory, and pass it to functions.

    ```c++
    // my.increment %x[%i] : memref<?xi64>, one element of memory
    tally::Placement MyIncrementOp::getPlacement() {
      return tally::Placement::Thread;
    }
    ```
  }];
  let methods = [
    InterfaceMethod<
      "Returns where the operation may use memory of the device. Must be "
      "implemented.",
      "::tally::Placement", "getPlacement">,
  ];
}

#endif // TALLY_INTERFACES_PLACEMENTOPINTERFACE_TD
