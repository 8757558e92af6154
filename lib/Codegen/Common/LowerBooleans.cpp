//===- LowerBooleans.cpp - A boolean in memory is a byte ------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tally {
#define GEN_PASS_DEF_LOWERBOOLEANS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Whether a type is that of a boolean or of several.
static bool isBoolean(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

/// The type of the bytes that such a value is in memory.
static Type getBytes(Type type) {
  Type byte = IntegerType::get(type.getContext(), 8);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(byte)) : byte;
}

void tally::lowerBooleans(Operation *root) {
  root->walk([&](Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto load = dyn_cast<LLVM::LoadOp>(op);
        load && isBoolean(load.getType())) {
      Type bytes = getBytes(load.getType());
      load.getResult().setType(bytes);
      b.setInsertionPointAfter(op);
      Value zero =
          LLVM::ConstantOp::create(b, loc, bytes, b.getZeroAttr(bytes));
      auto isSet = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne,
                                        load.getResult(), zero);
      load.getResult().replaceAllUsesExcept(isSet, isSet);
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op);
               store && isBoolean(store.getValue().getType())) {
      store.getValueMutable().assign(LLVM::ZExtOp::create(
          b, loc, getBytes(store.getValue().getType()), store.getValue()));
    }
  });
}

namespace {
struct LowerBooleansPass : tally::impl::LowerBooleansBase<LowerBooleansPass> {
  void runOnOperation() override { tally::lowerBooleans(getOperation()); }
};
} // namespace
