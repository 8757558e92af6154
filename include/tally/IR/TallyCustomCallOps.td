//===- TallyCustomCallOps.td - Custom functions ------------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYCUSTOMCALLOPS_TD
#define TALLY_IR_TALLYCUSTOMCALLOPS_TD

include "tally/IR/TallyDataDependentOps.td"
include "mlir/IR/SymbolInterfaces.td"

class Tally_CustomCallBase<string mnemonic, list<Trait> traits = []>
    : Tally_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def Tally_CustomCallOp : Tally_CustomCallBase<"custom_call", [
    AttrSizedOperandSegments, UnbackedBindingOpInterface]> {
  let summary = "Calls a function that is written in another language.";
  let description = [{
    Calls a C function of this name, a `tally_rt_custom_function` of
    `tally_runtime.h`, which whoever builds or runs the program provides.
    Arguments and results are ranked tensors and scalars of the data types that
    DLPack has; tensors arrive compact, on the CPU.

    The sizes of the results are defined in the call. `bounds` gives an upper bound
    for each dynamic dimension of each result, in order: memory is allocated for so
    many elements before the call, afterwards each size has to be in [0, bound],
    or the call fails. It is an operand, so that it means the same in every form
    of a program; in the named form `tally.size` makes one of an expression. A
    bound must not be negative, which is checked before the call.

    A call is an effect: calls keep their order and none is left out. One that
    is `pure` has no effect but its results and gives the same for the same
    arguments: it may be dropped where nobody uses the results, and merged with
    an equal one. Any call may fail, so none is done before it is certain.

    ```mlir
    func.func @keep(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %least: f32) -> tensor<?xf32>
        attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, inf], u1 : unbacked>} {
      %most = tally.size <s0> : index
      %y, %n = tally.custom_call @keep_above(%x, %least) bounds(%most) pure
          : (tensor<?xf32>, f32) -> (tensor<?xf32>, i64)
          bind #tally.bindings<u0 = result(0).size(0), u1 = result(1)>
      return %y : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$callee, Variadic<AnyType>:$inputs,
    Variadic<Index>:$bounds, UnitAttr:$pure,
    OptionalAttr<Tally_BindingsAttr>:$bindings);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`bounds` `(` $bounds^ `)`)? (`pure` $pure^)?
    attr-dict `:` functional-type($inputs, $results)
    (`bind` custom<BindingList>($bindings)^)?
  }];
  let extraClassDeclaration = [{
    ::tally::BindingsAttr getSymbolBindings() { return getBindingsAttr(); }
    void setSymbolBindings(::tally::BindingsAttr bindings) {
      setBindingsAttr(bindings);
    }
    /// Calls `use(result, dimension, bound)` for each dynamic dimension.
    void forEachBound(
        ::llvm::function_ref<void(::mlir::Value, unsigned, ::mlir::Value)> use);
  }];
}

def Tally_CustomCallDpsOp : Tally_CustomCallBase<"custom_call_dps", [
    AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let summary = "Calls a custom function that writes to buffers of the caller.";
  let description = [{
    What `tally-lower-custom-calls` makes of a `tally.custom_call`: the tensors
    are written to `outs`, whose sizes are the bounds, and what was defined comes
    back as values: the size of each dynamic dimension, in order, and the scalars.
    `is_scalar` tells which of the function's results are scalars. The operation
    ends the call where the function fails or a size is not in [0, bound].

    ```mlir
    %r, %size, %n = tally.custom_call_dps @keep_above ins(%x, %least : tensor<?xf32>, f32)
        outs(%destination : tensor<?xf32>) is_scalar [false, true]
        -> (tensor<?xf32>) sizes(index) scalars(i64)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$callee, Variadic<AnyType>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    DenseBoolArrayAttr:$is_scalar, UnitAttr:$pure);
  let results = (outs Variadic<AnyRankedTensor>:$tensors,
    Variadic<Index>:$sizes, Variadic<ScalarType>:$scalars);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    `is_scalar` $is_scalar (`pure` $pure^)? attr-dict
    (`->` `(` type($tensors)^ `)`)? (`sizes` `(` type($sizes)^ `)`)?
    (`scalars` `(` type($scalars)^ `)`)?
  }];
}

#endif // TALLY_IR_TALLYCUSTOMCALLOPS_TD
