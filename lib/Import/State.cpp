//===- State.cpp - What a program keeps between calls ---------------------===//
//
// A tensor of the model that the program writes to is an argument of `main`
// that callers do not see, and a result that is written back to it.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using namespace tally::import_pt2;

/// Makes arguments of the tensors of the model that the program writes to, and
/// a function that returns their first values.
LogicalResult ProgramImporter::addStates(Function &function, Block &block,
                                         GraphScope &scope) {
  constexpr StringRef initialName = "initial_state";
  if (states.empty())
    return success();
  Function initial(*this, context, noRanges);
  OpBuilder &b = initial.state.builder;
  b.setInsertionPointToEnd(module->getBody());
  auto func = func::FuncOp::create(
      b, getLocation(), initialName,
      FunctionType::get(context, TypeRange(), TypeRange()));
  b.setInsertionPointToStart(func.addEntryBlock());
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attrs;
  for (const InputSpec &spec : program.inputs) {
    auto meta = program.graph.tensors.find(spec.name);
    if (!states.contains(spec.target) || meta == program.graph.tensors.end())
      continue;
    FailureOr<Tensor> value = importConstant(initial, spec);
    if (failed(value) || failed(addTensorArgument(function, block, scope,
                                                  spec.name, meta->second)))
      return failure();
    ArgumentInfo &info = arguments.back();
    info.name = spec.target;
    NamedAttrList list(info.attrs);
    list.set(attr_names::kName, StringAttr::get(context, spec.target));
    attrs.push_back(list.getDictionary(context));
    list.set(attr_names::kState, UnitAttr::get(context));
    info.attrs = list.getDictionary(context);
    values.push_back(value->value);
  }
  if (values.size() != states.size())
    return emitError(getLocation())
           << "the program updates a buffer that it does not have";
  func::ReturnOp::create(b, getLocation(), values);
  func.setFunctionType(
      FunctionType::get(context, TypeRange(), TypeRange(values)));
  func.setAllResultAttrs(attrs);
  module->lookupSymbol("main")->setAttr(
      attr_names::kInitialState, FlatSymbolRefAttr::get(context, initialName));
  return success();
}
