//===- LookPastPads.cpp - Lookups in a padded tensor without the padding --===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "KernelGroups.h"
#include "tally/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOOKPASTPADS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-look-past-pads"

using namespace mlir;
using namespace tally::codegen;

/// Returns the number behind the end of a tensor that is at the start of a
/// larger one and is only looked up there; null if it is not.
static Value getPadding(tensor::InsertSliceOp pad) {
  auto isZero = [](OpFoldResult offset) { return isZeroInteger(offset); };
  auto isOne = [](OpFoldResult stride) { return isOneInteger(stride); };
  auto looksUp = [](Operation *user) { return isa<tensor::ExtractOp>(user); };
  if (pad.getSourceType().getRank() != pad.getType().getRank() ||
      !llvm::all_of(pad.getMixedOffsets(), isZero) ||
      !llvm::all_of(pad.getMixedStrides(), isOne) || pad->use_empty() ||
      !llvm::all_of(pad->getUsers(), looksUp))
    return {};
  Operation *filled = pad.getDest().getDefiningOp();
  return filled ? getFillValue(filled) : Value();
}

/// Replaces a lookup in the padded tensor.
static void lookPast(tensor::ExtractOp extract, tensor::InsertSliceOp pad,
                     ValueRange sizes, Value padding) {
  OpBuilder builder(extract);
  Location loc = extract.getLoc();
  Value isInside;
  for (auto [index, size] : llvm::zip_equal(extract.getIndices(), sizes)) {
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     index, size);
    isInside =
        isInside ? arith::AndIOp::create(builder, loc, isInside, is) : is;
  }
  auto branch = scf::IfOp::create(
      builder, loc, isInside,
      [&](OpBuilder &b, Location loc) {
        Value element = tensor::ExtractOp::create(b, loc, pad.getSource(),
                                                  extract.getIndices());
        scf::YieldOp::create(b, loc, element);
      },
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, padding);
      });
  extract.replaceAllUsesWith(branch.getResult(0));
  extract.erase();
}

namespace {
struct LookPastPadsPass
    : public tally::impl::LookPastPadsBase<LookPastPadsPass> {
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> pads;
    getOperation().walk([&](tensor::InsertSliceOp op) { pads.push_back(op); });
    for (tensor::InsertSliceOp pad : pads) {
      Value padding = getPadding(pad);
      if (!padding || pad.getType().getRank() == 0)
        continue;
      LDBG() << "lookups do without " << describeLastPart(pad);
      OpBuilder builder(pad);
      SmallVector<Value> sizes;
      for (OpFoldResult size : pad.getMixedSizes())
        sizes.push_back(
            getValueOrCreateConstantIndexOp(builder, pad.getLoc(), size));
      for (Operation *user : llvm::make_early_inc_range(pad->getUsers()))
        lookPast(cast<tensor::ExtractOp>(user), pad, sizes, padding);
      pad.erase();
    }
  }
};
} // namespace
