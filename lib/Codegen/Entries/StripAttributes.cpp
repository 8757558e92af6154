//===- StripAttributes.cpp - Nothing of Tally is left ---------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Entries/Passes.h"
#include "tally/Codegen/Entries/Transforms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally {
#define GEN_PASS_DEF_STRIPATTRIBUTES
#include "tally/Codegen/Entries/Passes.h.inc"
} // namespace tally

using namespace mlir;

static bool isOurs(NamedAttribute attribute) {
  return attribute.getName().strref().starts_with("tally.");
}

/// The dictionaries of arguments or results without Tally's attributes; null if
/// there are none.
static ArrayAttr strip(ArrayAttr dictionaries) {
  if (!dictionaries)
    return {};
  SmallVector<Attribute> kept;
  for (auto dictionary : dictionaries.getAsRange<DictionaryAttr>()) {
    SmallVector<NamedAttribute> others(dictionary.getValue());
    llvm::erase_if(others, isOurs);
    kept.push_back(DictionaryAttr::get(dictionary.getContext(), others));
  }
  return ArrayAttr::get(dictionaries.getContext(), kept);
}

static void stripOperation(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (isOurs(attribute))
      op->removeDiscardableAttr(attribute.getName());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  if (ArrayAttr arguments = strip(function.getArgAttrsAttr()))
    function.setArgAttrsAttr(arguments);
  if (ArrayAttr results = strip(function.getResAttrsAttr()))
    function.setResAttrsAttr(results);
}

void tally::stripAttributes(ModuleOp module) {
  stripOperation(module);
  auto inModule = llvm::to_vector(
      llvm::make_pointer_range(module.getBody()->getOperations()));
  parallelForEach(module.getContext(), inModule,
                  [](Operation *op) { op->walk(stripOperation); });
}

namespace {
struct StripAttributesPass
    : tally::impl::StripAttributesBase<StripAttributesPass> {
  void runOnOperation() override { tally::stripAttributes(getOperation()); }
};
} // namespace
