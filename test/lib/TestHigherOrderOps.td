//===- TestHigherOrderOps.td - A dialect of somebody else --*- tablegen -*-===//
//
// Operations from outside of Tally: written from the documentation of its
// interfaces alone.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_LIB_TESTHIGHERORDEROPS_TD
#define TALLY_TEST_LIB_TESTHIGHERORDEROPS_TD

include "tally/Analysis/ElementRangeInterface.td"
include "tally/IR/Attributes/TallyAttrs.td"
include "tally/Interfaces/HigherOrderOpInterface.td"
include "tally/Interfaces/PlacementOpInterface.td"
include "tally/Interfaces/SymbolicShapeOpInterface.td"
include "tally/Interfaces/UnbackedBindingOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TestHop_Dialect : Dialect {
  let name = "test_hop";
  let cppNamespace = "::test_hop";
}

class TestHop_Op<string mnemonic, list<Trait> traits = []>
    : Op<TestHop_Dialect, mnemonic, traits>;

// Runs the body `count` times on values that it carries.
def TestHop_RepeatOp : TestHop_Op<"repeat", [
    AttrSizedOperandSegments, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<SymbolicShapeOpInterface, ["getRegionCondition"]>,
    DeclareOpInterfaceMethods<HigherOrderOpInterface, [
      "getCarriedValues", "lowerToControlFlow"]>]> {
  let arguments = (ins Index:$count, Variadic<AnyType>:$initial,
                       Variadic<AnyType>:$captured);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count `carries` `(` $initial `)` `uses` `(` $captured `)` attr-dict
    `:` functional-type(operands, results) $body
  }];
}

// Upstream's interface for loops tells what it carries, unless it `hides` that. The
// first argument of its body is its own: the number of the iteration.
def TestHop_RoundsOp : TestHop_Op<"rounds", [
    AttrSizedOperandSegments, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable"]>,
    DeclareOpInterfaceMethods<HigherOrderOpInterface>]> {
  let arguments = (ins Variadic<AnyType>:$initial, Variadic<AnyType>:$captured,
                       UnitAttr:$hides);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carries` `(` $initial `)` `uses` `(` $captured `)` attr-dict
    `:` functional-type(operands, results) $body
  }];
}

// Runs the first region where the index is 0, else the second; has no interface
// of its own: Tally's is attached from outside.
def TestHop_PickOp : TestHop_Op<"pick", [RecursiveMemoryEffects, SingleBlock]> {
  let arguments = (ins Index:$which, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$zero, SizedRegion<1>:$other);
  let assemblyFormat = [{
    $which `(` $inputs `)` attr-dict `:` functional-type(operands, results)
    $zero `or` $other
  }];
}

// Takes no captures and cannot be lowered.
def TestHop_OpaqueOp : TestHop_Op<"opaque", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<HigherOrderOpInterface>]> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{ attr-dict `:` type($results) $body }];
}

def TestHop_YieldOp : TestHop_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = [{ ($operands^ `:` type($operands))? attr-dict }];
}

// Runs the first region where the flag is true, else the second; only upstream's
// interface for branches tells so.
def TestHop_WhenOp : TestHop_Op<"when", [
    RecursiveMemoryEffects, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
      "getEntrySuccessorRegions"]>]> {
  let arguments = (ins I1:$flag);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$yes, SizedRegion<1>:$no);
  let assemblyFormat = "$flag attr-dict `:` type($results) $yes `or` $no";
}

// Runs the body, then again as often as it likes; only upstream's interface for
// branches tells so.
def TestHop_AgainOp : TestHop_Op<"again", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
      "getEntrySuccessorOperands"]>]> {
  let arguments = (ins Variadic<AnyType>:$initial);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $initial `)` attr-dict `:` functional-type($initial, $results) $body
  }];
}

// Goes on to the next region while the flag is true, else out of the operation.
def TestHop_GoOnOp : TestHop_Op<"go_on", [
    Pure, Terminator,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface, [
      "getSuccessorRegions"]>]> {
  let arguments = (ins I1:$flag, Variadic<AnyType>:$passed);
  let assemblyFormat = [{
    `while` $flag `with` `(` ($passed^ `:` type($passed))? `)` attr-dict
  }];
}

// Runs the first region, and as long as that says so the second and the first
// again; only upstream's interface for branches tells so.
def TestHop_DuringOp : TestHop_Op<"during", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
      "getEntrySuccessorOperands"]>]> {
  let arguments = (ins Variadic<AnyType>:$initial);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$check, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $initial `)` attr-dict `:` functional-type($initial, $results) $check
    `do` $body
  }];
}

// Runs the body for each number from `lower` up to `upper`; only upstream's interface
// for loops tells so.
def TestHop_CountOp : TestHop_Op<"count", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable",
      "getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
      "getLoopSteps"]>]> {
  let arguments = (ins Index:$lower, Index:$upper, Index:$step,
                       Variadic<AnyType>:$initial, UnitAttr:$unsignedCmp);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lower `to` $upper `step` $step `carries` `(` $initial `)` attr-dict
    `:` functional-type($initial, $results) $body
  }];
}

// Puts tensors of rank 1 behind each other.
def TestHop_AppendOp : TestHop_Op<"append", [
    Pure, DeclareOpInterfaceMethods<SymbolicShapeOpInterface>]> {
  let arguments = (ins Variadic<1DTensorOf<[F32]>>:$inputs);
  let results = (outs 1DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` functional-type($inputs, $result)
  }];
}

// Makes values of any type out of others, and symbols.
def TestHop_DefinitionOp : TestHop_Op<"definition", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    UnbackedBindingOpInterface]> {
  let arguments = (ins Variadic<AnyType>:$inputs,
                       OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::tally::BindingsAttr getSymbolBindings() { return getBindingsAttr(); }
    void setSymbolBindings(::tally::BindingsAttr bindings) {
      setBindingsAttr(bindings);
    }
  }];
}

// Positions of the largest elements of a vector, in no particular order.
def TestHop_TopPositionsOp : TestHop_Op<"top_positions", [
    Pure, DeclareOpInterfaceMethods<ElementRangeOpInterface, [
      "inferElementRange"]>]> {
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input);
  let results = (outs RankedTensorOf<[I64]>:$positions);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

// A number from 0 to 5; has no interface of its own: Tally's is attached from
// outside.
def TestHop_RollOp : TestHop_Op<"roll", [Pure]> {
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

// Adds one to an element of memory, in a thread.
def TestHop_IncrementOp : TestHop_Op<"increment", [
    DeclareOpInterfaceMethods<PlacementOpInterface>]> {
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$memory,
                       Variadic<Index>:$indices);
  let assemblyFormat = "$memory `[` $indices `]` attr-dict `:` type($memory)";
}

// Asks the host to do something on the device.
def TestHop_LaunchOp : TestHop_Op<"launch", [
    DeclareOpInterfaceMethods<PlacementOpInterface>]> {
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$memory);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
}

#endif // TALLY_TEST_LIB_TESTHIGHERORDEROPS_TD
