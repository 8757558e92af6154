//===- FlattenConstants.cpp - Large constants as bytes --------------------===//
//
// See the description of the pass in Passes.td. Elements are not copied: the
// new attribute refers to those of the old one.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FLATTENCONSTANTS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-flatten-constants"

using namespace mlir;

/// LLVM may look into a constant of at most this many bytes, and fold it.
static constexpr int64_t kSmallBytes = 1024;

/// Returns the bytes of one element in memory; none where bits of elements are
/// not laid out as bytes are.
static std::optional<int64_t> getElementBytes(Type type) {
  if (type.isIndex())
    return sizeof(int64_t);
  if (type.isInteger(1))
    return 1;
  if (!type.isIntOrFloat() ||
      !llvm::isPowerOf2_32(type.getIntOrFloatBitWidth()))
    return std::nullopt;
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

/// Makes an attribute of the bytes of `elements`, which are as many as
/// `type` says; null where they are not at hand.
static Attribute getBytes(ElementsAttr elements, RankedTensorType type,
                          StringRef name) {
  auto hasSize = [&](ArrayRef<char> data) {
    return static_cast<int64_t>(data.size()) == type.getNumElements();
  };
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || !hasSize(blob->getData()))
      return {};
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements);
  if (!dense)
    return {};
  if (dense.getElementType().isInteger(1)) {
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
        type.getNumElements(), /*align=*/1, /*dataIsMutable=*/true);
    llvm::copy(dense.getValues<bool>(), blob.getMutableData().begin());
    return DenseResourceElementsAttr::get(type, name, std::move(blob));
  }
  if (!hasSize(dense.getRawData()))
    return {};
  // Attributes live as long as their context.
  return DenseResourceElementsAttr::get(
      type, name,
      UnmanagedAsmResourceBlob::allocateWithAlign(dense.getRawData(),
                                                  /*align=*/1));
}

static void flatten(LLVM::GlobalOp global) {
  auto elements = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  if (!elements || elements.isSplat())
    return;
  std::optional<int64_t> width = getElementBytes(elements.getElementType());
  if (!width || elements.getNumElements() <= kSmallBytes / *width)
    return;
  int64_t bytes = elements.getNumElements() * *width;
  Type byte = IntegerType::get(global.getContext(), 8);
  Attribute value = getBytes(elements, RankedTensorType::get(bytes, byte),
                             global.getSymName());
  if (!value)
    return;
  LDBG() << global.getSymName() << ": is " << bytes << " bytes";
  global.setValueAttr(value);
  global.setGlobalType(LLVM::LLVMArrayType::get(byte, bytes));
}

void tally::flattenConstants(ModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>())
    flatten(global);
}

namespace {
struct FlattenConstantsPass
    : tally::impl::FlattenConstantsBase<FlattenConstantsPass> {
  void runOnOperation() override { tally::flattenConstants(getOperation()); }
};

} // namespace
