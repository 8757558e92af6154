//===- LoweringResults.cpp - What the import of a node gives its names ----===//
//
// The results of a lowering: new tensors, views and aliases of arguments,
// sizes, and updates of arguments in place.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Symbols.h"

using namespace mlir;

namespace tally::import_pt2 {

void Lowering::bind(unsigned index, Binding binding) {
  if (index >= resultNames.size()) {
    // An op whose result nobody names.
    return;
  }
  if (!resultNames[index].empty())
    scope.values[resultNames[index]] = binding;
}

const TensorMeta *Lowering::resultMeta(unsigned index) {
  if (index >= resultNames.size())
    return nullptr;
  auto it = scope.graph.tensors.find(resultNames[index]);
  return it == scope.graph.tensors.end() ? nullptr : &it->second;
}

/// The type that all operands with elements are promoted to.
Dtype Lowering::getPromotedDtype() {
  ResultType type;
  auto add = [&](const Argument &argument) {
    auto it = scope.values.find(argument.text);
    if (!argument.isName() || it == scope.values.end() ||
        !it->second.isTensor())
      return;
    const Tensor &operand = function.getSlot(it->second.slot).tensor;
    type.addTensor(operand.dtype, operand.rank() > 0);
  };
  for (const NamedArgument &input : node.inputs) {
    add(input.value);
    llvm::for_each(input.value.list, add);
  }
  return type.get();
}

Dtype Lowering::resultDtype(unsigned index, Dtype defined) {
  if (isMisled()) {
    if (defined == Dtype::Undefined)
      defined = getPromotedDtype();
    assert(defined != Dtype::Undefined &&
           "the operand that misleads has an element type");
    return defined;
  }
  const TensorMeta *meta = resultMeta(index);
  if (!meta) {
    (void)error("result " + Twine(index) + " has no recorded type");
    return Dtype::F32;
  }
  if (std::optional<Dtype> dtype = getDtype(meta->dtype))
    return *dtype;
  (void)error("the element type " + getDtypeName(meta->dtype) +
              " is not supported");
  return Dtype::F32;
}

void Lowering::learn(const TensorMeta &meta, Tensor &tensor) {
  if (int64_t(meta.sizes.size()) != tensor.rank()) {
    (void)error("the result has " + Twine(tensor.rank()) + " dimensions, but " +
                Twine(meta.sizes.size()) + " are recorded");
    return;
  }
  tensor.setRecorded(meta.sizes);
  for (auto [number, size] : llvm::zip(meta.sizes, tensor.sizes)) {
    std::optional<StringRef> symbol = getLoneSymbol(number.srepr);
    if (symbol && !state.lookup(*symbol))
      state.define(*symbol, size);
  }
}

std::string Lowering::getNewSymbol(const SymInt *number, StringRef hint) {
  if (number) {
    std::optional<StringRef> symbol = getLoneSymbol(number->srepr);
    if (symbol && !state.lookup(*symbol))
      return symbol->str();
  }
  return state.freshName(hint);
}

void Lowering::result(Tensor tensor, unsigned index) {
  if (failed)
    return;
  if (!updated.empty()) {
    update(updated, tensor);
    return;
  }
  const TensorMeta *meta = resultMeta(index);
  if (meta) {
    tensor = convert(tensor, resultDtype(index, tensor.dtype));
    // PyTorch 2.11 records states of `lstm` that nothing reads with a
    // dimension that they do not have.
    if (int64_t(meta->sizes.size()) == tensor.rank() ||
        !isUnused(resultName(index), scope.graph))
      learn(*meta, tensor);
  }
  addResult(std::move(tensor), index);
}

void Lowering::resultAsDefined(Tensor tensor, unsigned index) {
  if (failed)
    return;
  if (const TensorMeta *meta = resultMeta(index))
    learn(*meta, tensor);
  addResult(std::move(tensor), index);
}

void Lowering::addResult(Tensor tensor, unsigned index) {
  noteDtype(tensor.dtype, index);
  Binding binding;
  binding.slot = function.addTensor(std::move(tensor));
  bind(index, binding);
}

void Lowering::noteDtype(Dtype dtype, unsigned index) {
  const TensorMeta *meta = resultMeta(index);
  if (meta && getDtype(meta->dtype) != dtype)
    scope.misrecorded.insert(resultNames[index]);
}

void Lowering::result(Expr number, unsigned index) {
  Binding binding;
  binding.scalar = state.simplify(number);
  bind(index, binding);
}

void Lowering::resultView(StringRef base, ViewFn view, WriteBackFn writeBack,
                          unsigned index) {
  int64_t slot = slotOf(base);
  if (slot < 0)
    return;
  resultViewOf(slot, std::move(view), std::move(writeBack), index);
  // x.t_() changes what x is, not what is in it.
  if (!updated.empty() && !failed && index < resultNames.size())
    scope.values[find(base)->text] = scope.values[resultNames[index]];
}

void Lowering::resultViewOf(int64_t slot, ViewFn view, WriteBackFn writeBack,
                            unsigned index) {
  if (failed)
    return;
  Tensor tensor = view(*this, function.read(slot, *this));
  if (failed)
    return;
  if (const TensorMeta *meta = resultMeta(index))
    learn(*meta, tensor);
  noteDtype(tensor.dtype, index);
  Binding binding;
  binding.slot = function.addView(slot, std::move(tensor), std::move(view),
                                  std::move(writeBack));
  bind(index, binding);
}

void Lowering::resultAlias(StringRef argument, unsigned index) {
  Binding binding;
  binding.slot = slotOf(argument);
  if (binding.slot < 0)
    return;
  noteDtype(function.getSlot(binding.slot).tensor.dtype, index);
  bind(index, binding);
}

void Lowering::resultViewIf(StringRef base, Expr condition, Tensor tensor,
                            ViewFn view, WriteBackFn writeBack) {
  if (condition && condition.isTrue())
    return resultView(base, std::move(view), std::move(writeBack));
  int64_t slot = slotOf(base);
  if (slot < 0)
    return;
  result(std::move(tensor));
  if (failed || resultNames.empty() || (condition && condition.isFalse()))
    return;
  auto it = scope.values.find(resultNames[0]);
  if (it == scope.values.end() || !it->second.isTensor())
    return;
  if (condition && function.canTell(condition))
    return function.addViewIf(condition, slot, it->second.slot, std::move(view),
                              std::move(writeBack));
  function.addPossibleCopy(slot, it->second.slot,
                           node.target + " gives a view or a copy, which "
                                         "depends on strides that are not "
                                         "known");
}

void Lowering::copyResults() {
  for (StringRef name : resultNames) {
    auto it = scope.values.find(name);
    if (it != scope.values.end() && it->second.isTensor())
      it->second.slot =
          function.addTensor(function.read(it->second.slot, *this));
  }
}

void Lowering::update(StringRef argument, Tensor tensor) {
  int64_t slot = slotOf(argument);
  if (slot < 0 || failed)
    return;
  Tensor old = function.read(slot, *this);
  if (tensor.rank() != old.rank()) {
    (void)error("the in-place update changes the number of dimensions");
    return;
  }
  tensor = convert(tensor, old.dtype);
  // The sizes are those of the updated tensor.
  for (auto [mine, its] : llvm::zip(tensor.sizes, old.sizes))
    checkEqual(mine, its,
               Twine(target) + ": an in-place result must have the "
                               "sizes of the tensor it updates");
  tensor.value = cast(tensor.value, old.type());
  tensor.sizes = old.sizes;
  tensor.recordedOne = old.recordedOne;
  tensor.tracedOne = old.tracedOne;
  if (mlir::failed(function.write(slot, std::move(tensor), *this)))
    return;
  Binding binding;
  binding.slot = slot;
  bind(0, binding);
}

} // namespace tally::import_pt2
