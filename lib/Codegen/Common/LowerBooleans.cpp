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

void tally::lowerBooleans(Operation *root) {
  Type byte = IntegerType::get(root->getContext(), 8);
  root->walk([&](Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto load = dyn_cast<LLVM::LoadOp>(op);
        load && load.getType().isInteger(1)) {
      load.getResult().setType(byte);
      b.setInsertionPointAfter(op);
      Value zero = LLVM::ConstantOp::create(b, loc, byte, 0);
      auto isSet = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne,
                                        load.getResult(), zero);
      load.getResult().replaceAllUsesExcept(isSet, isSet);
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op);
               store && store.getValue().getType().isInteger(1)) {
      store.getValueMutable().assign(
          LLVM::ZExtOp::create(b, loc, byte, store.getValue()));
    }
  });
}

namespace {
struct LowerBooleansPass : tally::impl::LowerBooleansBase<LowerBooleansPass> {
  void runOnOperation() override { tally::lowerBooleans(getOperation()); }
};
} // namespace
