//===- LowerBFloats.cpp - bf16 is an integer in LLVM ----------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace tally {
#define GEN_PASS_DEF_LOWERBFLOATS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Returns the elements with the bits that they have, as integers.
static Attribute toBits(ElementsAttr elements, Type bits) {
  if (!elements.getElementType().isBF16())
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.bitcast(bits);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(resource.getType().clone(bits),
                                          resource.getRawHandle());
  return {};
}

/// Says what bf16, and what is of it, becomes.
static void addReplacements(AttrTypeReplacer &replacer, MLIRContext *context) {
  Type bits = IntegerType::get(context, 16);
  replacer.addReplacement([bits](BFloat16Type) { return bits; });
  replacer.addReplacement([bits](FloatAttr attr) -> std::optional<Attribute> {
    if (!attr.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(bits, attr.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [bits](ElementsAttr attr) -> std::optional<Attribute> {
        if (Attribute replacement = toBits(attr, bits))
          return replacement;
        return std::nullopt;
      });
}

/// Replaces the types of what `op` makes and names. Its other attributes are
/// what was told about the program: they speak of its own types.
static void replaceTypes(Operation *op, AttrTypeReplacer &replacer) {
  replacer.replaceElementsIn(op, /*replaceAttrs=*/false, /*replaceLocs=*/false,
                             /*replaceTypes=*/true);
  if (!isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
    return;
  for (StringAttr name : op->getRegisteredInfo()->getAttributeNames())
    if (Attribute attr = op->getAttr(name))
      if (Attribute replacement = replacer.replace(attr); replacement != attr)
        op->setAttr(name, replacement);
}

void tally::lowerBFloats(Operation *root) {
  AttrTypeReplacer replacer;
  addReplacements(replacer, root->getContext());
  SmallVector<LLVM::BitcastOp> casts;
  root->walk([&](Operation *op) {
    replaceTypes(op, replacer);
    if (auto cast = dyn_cast<LLVM::BitcastOp>(op))
      casts.push_back(cast);
  });
  for (LLVM::BitcastOp cast : casts)
    if (cast.getType() == cast.getArg().getType()) {
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    }
}

namespace {
struct LowerBFloatsPass : tally::impl::LowerBFloatsBase<LowerBFloatsPass> {
  void runOnOperation() override { tally::lowerBFloats(getOperation()); }
};

} // namespace
