//===- Utils.cpp - What the codegen passes share --------------------------===//

#include "Utils.h"
#include "tally/Codegen/EntryPoints.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

func::FuncOp tally::codegen::declareRuntimeFunction(ModuleOp module,
                                                    StringRef name,
                                                    TypeRange arguments,
                                                    TypeRange results,
                                                    bool cold) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto function =
      func::FuncOp::create(builder, module.getLoc(), name,
                           builder.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr(tally::attr_names::kRuntime, builder.getUnitAttr());
  if (cold)
    function->setAttr("passthrough", builder.getStrArrayAttr(
                                         {"cold", "noinline", "nounwind"}));
  return function;
}

LogicalResult tally::codegen::requireCallContext(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (function && function.getNumArguments() != 0 &&
      isa<LLVM::LLVMPointerType>(function.getArgument(0).getType()))
    return success();
  return op->emitError("needs the call context as the first argument of its "
                       "function; run 'tally-add-context' first");
}

std::string tally::getCName(StringRef prefix, StringRef name) {
  std::string result = (prefix + "_" + name).str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  return result;
}
