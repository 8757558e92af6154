//===- CopyStridedCasts.cpp - Slices that are taken for whole -------------===//

#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_COPYSTRIDEDCASTS
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-copy-strided-casts"

using namespace mlir;

/// Returns whether the elements lie together, in the order of the indices.
static bool isCompact(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return false;
  // The elements of the dimensions behind; nothing if that is not known.
  std::optional<int64_t> inner = 1;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (size == 1)
      continue;
    if (!inner || stride != *inner)
      return false;
    if (ShapedType::isDynamic(size))
      inner.reset();
    else
      *inner *= size;
  }
  return true;
}

/// Has `use`, of the result of `cast`, use a copy of what is cast, as it is
/// then.
static void copyFor(OpOperand &use, memref::CastOp cast) {
  auto type = llvm::cast<MemRefType>(cast.getType());
  Location loc = cast.getLoc();
  OpBuilder builder(use.getOwner());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          memref::DimOp::create(builder, loc, cast.getSource(), dim));
  LDBG() << use.getOwner()->getName() << tally::describePlace(loc)
         << ": reads a copy, as the memory has gaps";
  auto copy = memref::AllocOp::create(builder, loc, type, sizes);
  memref::CopyOp::create(builder, loc, cast.getSource(), copy);
  use.set(copy);
}

/// Returns whether a dimension of a slice is that of the whole buffer.
static bool isWholeDim(memref::SubViewOp slice, memref::AllocOp alloc,
                       int64_t dim) {
  return isEqualConstantIntOrValue(slice.getMixedSizes()[dim],
                                   alloc.getMixedSizes()[dim]);
}

/// Returns whether a slice is the first rows of a buffer, more than half of
/// them.
static bool isMostRows(memref::SubViewOp slice, memref::AllocOp alloc) {
  auto type = slice.getType();
  if (!alloc.getType().getLayout().isIdentity() || type.getRank() == 0 ||
      type.getRank() != alloc.getType().getRank() ||
      !llvm::all_of(slice.getMixedOffsets(), isZeroInteger) ||
      !llvm::all_of(slice.getMixedStrides(), isOneInteger))
    return false;
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    if (!isWholeDim(slice, alloc, dim))
      return false;
  int64_t rows = type.getDimSize(0), all = alloc.getType().getDimSize(0);
  return !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(all) &&
         rows > all / 2;
}

/// Returns whether `buffer` is read and written only, but for `cast`.
static bool isKeptByNobody(Value buffer, memref::CastOp cast) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (user == cast)
      return true;
    if (isa<ViewLikeOpInterface>(user))
      return isKeptByNobody(user->getResult(0), cast);
    return user->getNumResults() == 0
               ? !user->hasTrait<OpTrait::IsTerminator>() &&
                     !isa<CallOpInterface>(user)
               : isa<memref::LoadOp, memref::DimOp>(user);
  });
}

/// Has a function return the first rows of a buffer of its own where they are,
/// if it returns nothing else of it and there is not much behind them, as the
/// row of a table is that gets what no other row does.
static bool returnInPlace(memref::CastOp cast) {
  auto slice = cast.getSource().getDefiningOp<memref::SubViewOp>();
  auto alloc =
      slice ? slice.getSource().getDefiningOp<memref::AllocOp>() : nullptr;
  if (!alloc || !cast->hasOneUse() ||
      !isa<func::ReturnOp>(*cast->user_begin()) || !isMostRows(slice, alloc) ||
      !isKeptByNobody(alloc, cast))
    return false;
  OpBuilder builder(cast);
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  SmallVector<OpFoldResult> strides =
      memref::ExtractStridedMetadataOp::create(builder, cast.getLoc(), alloc)
          .getConstifiedMixedStrides();
  Value rows = memref::ReinterpretCastOp::create(
      builder, cast.getLoc(), llvm::cast<MemRefType>(cast.getType()), alloc,
      builder.getIndexAttr(0), sizes, strides);
  LDBG() << cast->getName() << tally::describePlace(cast.getLoc())
         << ": rows that are returned where they are";
  cast.replaceAllUsesWith(rows);
  cast.erase();
  return true;
}

/// Replaces a buffer that upstream makes with the strides of the slice it
/// copies by one that has room for what lies between its elements: memory that
/// is allocated has no strides.
static void allocateWhole(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return;
  Location loc = alloc.getLoc();
  OpBuilder builder(alloc);
  SmallVector<OpFoldResult> sizes = alloc.getMixedSizes(), steps;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value extent = one;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    Value step = arith::ConstantIndexOp::create(builder, loc, stride);
    Value count = getValueOrCreateConstantIndexOp(builder, loc, size);
    Value gaps = arith::SubIOp::create(builder, loc, count, one);
    extent = arith::AddIOp::create(
        builder, loc, extent, arith::MulIOp::create(builder, loc, gaps, step));
    steps.push_back(builder.getIndexAttr(stride));
  }
  // A dimension may be empty.
  extent = arith::MaxSIOp::create(builder, loc, extent, zero);
  auto flat =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  auto whole = memref::AllocOp::create(builder, loc, flat, ValueRange{extent},
                                       alloc.getAlignmentAttr());
  Value strided = memref::ReinterpretCastOp::create(
      builder, loc, type, whole, builder.getIndexAttr(0), sizes, steps);
  alloc.replaceAllUsesWith(strided);
  alloc.erase();
}

void tally::copyStridedCasts(Operation *root) {
  root->walk([](memref::AllocOp alloc) { allocateWhole(alloc); });
  root->walk([](memref::CastOp cast) {
    auto from = dyn_cast<MemRefType>(cast.getSource().getType());
    auto to = dyn_cast<MemRefType>(cast.getType());
    if (!from || !to || !to.getLayout().isIdentity() || isCompact(from) ||
        returnInPlace(cast))
      return;
    // Equal casts have become one, which stands before the first of its
    // users: between these the slice may be written.
    for (OpOperand &use : llvm::make_early_inc_range(cast->getUses()))
      copyFor(use, cast);
    cast->erase();
  });
}

namespace {
struct CopyStridedCastsPass
    : tally::impl::CopyStridedCastsBase<CopyStridedCastsPass> {
  void runOnOperation() override { tally::copyStridedCasts(getOperation()); }
};
} // namespace
