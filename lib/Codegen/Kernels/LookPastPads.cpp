//===- LookPastPads.cpp - Lookups in a padded tensor without the padding --===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "KernelGroups.h"
#include "Lookups.h"
#include "tally/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

namespace tally {
#define GEN_PASS_DEF_LOOKPASTPADS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-look-past-pads"

using namespace mlir;
using namespace tally::codegen;

/// The most elements of a window, each of which asks whether it is inside.
static constexpr int64_t kMostElements = 64;

/// Returns whether a tensor of one row, say, is made of one that may be empty,
/// and is broadcast to the points of an operation.
static bool broadcastsOne(linalg::GenericOp op, OpOperand &use,
                          tensor::InsertSliceOp pad) {
  auto isOne = [](auto sizes) {
    auto [from, to] = sizes;
    return to == 1 && ShapedType::isDynamic(from);
  };
  return op.getNumReductionLoops() == 0 && knowsLoopsWithout(op, use) &&
         llvm::any_of(llvm::zip(pad.getSourceType().getShape(),
                                pad.getType().getShape()),
                      isOne);
}

/// Returns whether an operation reduces small windows of an operand, of which
/// neighbors share elements.
static bool reducesWindows(linalg::GenericOp op, OpOperand &use) {
  if (op.getNumReductionLoops() == 0 || !knowsLoopsWithout(op, use) ||
      op.getMatchingIndexingMap(&use).isProjectedPermutation())
    return false;
  int64_t count = 1;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [type, range] : llvm::zip_equal(op.getIteratorTypesArray(), ranges))
    if (type == utils::IteratorType::reduction &&
        (ShapedType::isDynamic(range) ||
         llvm::MulOverflow(count, range, count)))
      return false;
  return count <= kMostElements;
}

/// Returns the number around a tensor that is a part of a larger one; null if
/// that is not known.
static Value getPadding(tensor::InsertSliceOp pad) {
  auto isOne = [](OpFoldResult stride) { return isOneInteger(stride); };
  if (pad.getType().getRank() == 0 ||
      pad.getSourceType().getRank() != pad.getType().getRank() ||
      !llvm::all_of(pad.getMixedStrides(), isOne))
    return {};
  Operation *filled = pad.getDest().getDefiningOp();
  return filled ? getFillValue(filled) : Value();
}

/// Returns whether a tensor is only looked up in the larger one, broadcast or
/// read in windows.
static bool isOnlyLookedUp(tensor::InsertSliceOp pad) {
  auto looksUp = [&](OpOperand &use) {
    if (auto op = dyn_cast<linalg::GenericOp>(use.getOwner()))
      return broadcastsOne(op, use, pad) || reducesWindows(op, use);
    return isa<tensor::ExtractOp>(use.getOwner());
  };
  return !pad->use_empty() && llvm::all_of(pad->getUses(), looksUp);
}

/// Returns whether an operation may compute a tensor in its place in the larger
/// one.
static bool isComputedInPlace(Value source) {
  return source.hasOneUse() && source.getDefiningOp<linalg::LinalgOp>();
}

/// The sizes of a tensor as those that it was made with.
static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Value tensor) {
  if (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return tensor::getMixedSizes(builder, tensor.getLoc(), tensor);
}

namespace {
/// A tensor in a larger one, which is replaced in what reads it.
class Pad {
public:
  Pad(tensor::InsertSliceOp op, Value padding)
      : source(op.getSource()), padding(padding) {
    OpBuilder builder(op);
    auto convert = [&](ArrayRef<OpFoldResult> values) {
      return llvm::map_to_vector(values, [&](OpFoldResult value) {
        return getValueOrCreateConstantIndexOp(builder, op.getLoc(), value);
      });
    };
    offsets = convert(op.getMixedOffsets());
    sizes = convert(op.getMixedSizes());
    wholeSizes = getSizes(builder, op.getDest());
    for (auto [offset, size, whole] :
         llvm::zip_equal(op.getMixedOffsets(), op.getMixedSizes(), wholeSizes))
      isWhole.push_back(isZeroInteger(offset) &&
                        isEqualConstantIntOrValue(size, whole));
  }

  void replaceIn(OpOperand &use) const {
    auto create = [&](OpBuilder &builder, Location loc, ValueRange indices) {
      return lookUp(builder, loc, indices);
    };
    if (auto op = dyn_cast<linalg::GenericOp>(use.getOwner()))
      return replaceInput(op, use, create);
    auto extract = cast<tensor::ExtractOp>(use.getOwner());
    OpBuilder builder(extract);
    extract.replaceAllUsesWith(
        lookUp(builder, extract.getLoc(), extract.getIndices()));
    extract.erase();
  }

  /// The larger tensor, each element of which is looked up.
  Value create(tensor::InsertSliceOp op) const {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Value init = tensor::EmptyOp::create(builder, loc, wholeSizes,
                                         type.getElementType());
    auto body = [&](OpBuilder &inner, Location, ValueRange) {
      SmallVector<Value> point;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        point.push_back(linalg::IndexOp::create(inner, loc, dim));
      linalg::YieldOp::create(inner, loc, lookUp(inner, loc, point));
    };
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    Value made =
        linalg::GenericOp::create(
            builder, loc, init.getType(), ValueRange(), init,
            builder.getMultiDimIdentityMap(type.getRank()), loops, body)
            .getResult(0);
    return made.getType() == type
               ? made
               : tensor::CastOp::create(builder, loc, type, made).getResult();
  }

private:
  /// The element of the larger tensor at some indices.
  Value lookUp(OpBuilder &builder, Location loc, ValueRange indices) const {
    SmallVector<Value> places;
    Value isInside;
    for (auto [index, offset, size, whole] :
         llvm::zip_equal(indices, offsets, sizes, isWhole)) {
      if (whole) {
        places.push_back(index);
        continue;
      }
      // What lies before is a large number without a sign.
      Value place = builder.createOrFold<arith::SubIOp>(loc, index, offset);
      Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       place, size);
      isInside =
          isInside ? arith::AndIOp::create(builder, loc, isInside, is) : is;
      places.push_back(place);
    }
    if (!isInside)
      return tensor::ExtractOp::create(builder, loc, source, places);
    auto branch = scf::IfOp::create(
        builder, loc, isInside,
        [&](OpBuilder &b, Location loc) {
          Value element = tensor::ExtractOp::create(b, loc, source, places);
          scf::YieldOp::create(b, loc, element);
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, padding);
        });
    return branch.getResult(0);
  }

  Value source, padding;
  SmallVector<Value> offsets, sizes;
  SmallVector<OpFoldResult> wholeSizes;
  /// The dimensions along which nothing is around it.
  SmallVector<bool> isWhole;
};
struct LookPastPadsPass
    : public tally::impl::LookPastPadsBase<LookPastPadsPass> {
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> pads;
    getOperation().walk([&](tensor::InsertSliceOp op) { pads.push_back(op); });
    for (tensor::InsertSliceOp pad : pads) {
      Value padding = getPadding(pad);
      if (!padding)
        continue;
      if (isOnlyLookedUp(pad)) {
        LDBG() << "lookups do without " << describeLastPart(pad);
        Pad replaced(pad, padding);
        while (!pad->use_empty())
          replaced.replaceIn(*pad->use_begin());
        pad.erase();
      } else if (!isComputedInPlace(pad.getSource())) {
        LDBG() << describeLastPart(pad) << " is one lookup for each element";
        pad.replaceAllUsesWith(Pad(pad, padding).create(pad));
        pad.erase();
      }
    }
  }
};
} // namespace
