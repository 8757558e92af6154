//===- LaneAnalysis.cpp - What differs between lanes ----------------------===//

#include "LaneAnalysis.h"

#include "LaneDivision.h"
#include "LaneRanges.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tally::codegen;

/// The bytes of what a value is in all lanes, shared by those that loops carry:
/// eight vectors of AVX2.
static constexpr int64_t kLaneBytes = 256;
/// The lanes of a loop that divides or computes sines, each of which needs
/// many registers.
static constexpr int64_t kMostLanes = 16;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// Whether processors have vectors of a type. What is in memory as a boolean
/// is a byte there, but a bit in a vector. Halves are converted where they are
/// read and written.
static bool hasVectors(Type type, bool isInMemory) {
  if (isHalf(type))
    return isInMemory;
  return type.isF32() || type.isF64() || type.isIndex() || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64) ||
         (type.isInteger(1) && !isInMemory);
}

/// Whether an access takes neighbors in memory, one for each lane; if it does
/// not, all lanes take the same element.
bool LaneAnalysis::visitAccess(Value memref, ValueRange indices, bool isStore,
                               bool &isAlong) {
  auto type = cast<MemRefType>(memref.getType());
  isAlong = llvm::any_of(indices, [&](Value v) { return isVarying(v); });
  if (!isAlong)
    return !isStore;
  return indices.back() == lane && type.isLastDimUnitStride() &&
         hasVectors(type.getElementType(), /*isInMemory=*/true) &&
         llvm::none_of(indices.drop_back(),
                       [&](Value v) { return isVarying(v); });
}

/// A value that an inner loop carries varies if it starts so, or becomes so.
bool LaneAnalysis::visitLoop(scf::ForOp inner) {
  for (Value bound :
       {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()})
    if (isVarying(bound))
      return false;
  innerLoops.insert(inner);
  size_t before;
  do {
    before = varying.size();
    if (!visit(inner.getBody()))
      return false;
    Operation *yield = inner.getBody()->getTerminator();
    for (auto [init, argument, next, result] :
         llvm::zip_equal(inner.getInitArgs(), inner.getRegionIterArgs(),
                         yield->getOperands(), inner.getResults())) {
      if (!isVarying(init) && !isVarying(next) && !isVarying(argument))
        continue;
      if (!hasVectors(argument.getType(), /*isInMemory=*/false))
        return false;
      varying.insert(argument);
      varying.insert(result);
    }
  } while (varying.size() != before);
  return true;
}

/// Lanes leave a `while` one after the other. It has no effect, so that those
/// that left it can go along with the others; all that it carries may differ.
bool LaneAnalysis::visitWhile(scf::WhileOp inner) {
  if (llvm::none_of(inner.getInits(), [&](Value v) { return isVarying(v); }))
    return false;
  for (ValueRange values :
       {ValueRange(inner.getBeforeArguments()),
        ValueRange(inner.getAfterArguments()), ValueRange(inner.getResults())})
    for (Value value : values) {
      if (!hasVectors(value.getType(), /*isInMemory=*/false))
        return false;
      varying.insert(value);
    }
  for (Block *block : {inner.getBeforeBody(), inner.getAfterBody()})
    for (Operation &op : block->without_terminator())
      if (op.getNumRegions() != 0 || !(isPure(&op) || isIntegerDivision(&op)) ||
          !visit(op))
        return false;
  hasWhiles = true;
  return true;
}

bool LaneAnalysis::visit(Operation &op) {
  bool isAlong = false;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!visitAccess(load.getMemRef(), load.getIndices(), /*isStore=*/false,
                     isAlong))
      return false;
    if (isAlong)
      varying.insert(load.getResult());
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return visitAccess(store.getMemRef(), store.getIndices(), /*isStore=*/true,
                       isAlong);
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return visitLoop(inner);
  if (auto inner = dyn_cast<scf::WhileOp>(op))
    return visitWhile(inner);
  if (op.hasTrait<OpTrait::IsTerminator>())
    return true;
  bool isSame =
      llvm::none_of(op.getOperands(), [&](Value v) { return isVarying(v); });
  // A condition that holds for one lane holds for all.
  if (isa<tally::AssertOp>(op))
    return isSame;
  // A division may trap, and is taken by vectors all the same.
  if (op.getNumRegions() != 0 || (!isPure(&op) && !isIntegerDivision(&op)))
    return false;
  if (isSame)
    return true;
  if (op.getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(&op) ||
      !llvm::all_of(op.getOperandTypes(),
                    [&](Type type) {
                      return hasVectors(type, isa<arith::ExtFOp>(op));
                    }) ||
      !hasVectors(op.getResult(0).getType(), isa<arith::TruncFOp>(op)))
    return false;
  if (isIntegerDivision(&op)) {
    // Whether lanes can be taken as vectors is known at the end, and after each
    // step of a `while`.
    auto inner = dyn_cast<scf::WhileOp>(op.getParentOp());
    Block *body = inner ? inner->getBlock() : op.getBlock();
    if (!isLaneDivision(&op) || body != loop.getBody() ||
        (inner && op.getBlock() != inner.getAfterBody()))
      return false;
    divides = true;
  }
  hasFastRanges |= hasFastRange(&op);
  varying.insert(op.getResult(0));
  return true;
}

bool LaneAnalysis::visit(Block *block) {
  return llvm::all_of(*block, [&](Operation &op) { return visit(op); });
}

bool LaneAnalysis::run() {
  auto isConstant = [](Value value, int64_t expected) {
    return getConstantIntValue(value) == expected;
  };
  if (loop.getNumResults() != 0 || loop->getParentOfType<scf::ParallelOp>() ||
      !isConstant(loop.getLowerBound().back(), 0) ||
      !isConstant(loop.getStep().back(), 1) || !visit(loop.getBody()))
    return false;
  // Elements that are written after a division may be its operands.
  if (divides && hasInnerLoops())
    return false;
  return divides || hasFastRanges || hasWhiles ||
         llvm::any_of(innerLoops, [&](Operation *inner) {
           return llvm::any_of(inner->getResults(),
                               [&](Value v) { return isVarying(v); });
         });
}

/// As many lanes as keep what loops carry in registers.
int64_t LaneAnalysis::getNumLanes() const {
  if (!hasInnerLoops())
    return kMostLanes;
  int64_t bytes = 1, carried = 1;
  for (Value value : varying)
    if (value != lane && !value.getType().isIndex())
      bytes =
          std::max<int64_t>(bytes, value.getType().getIntOrFloatBitWidth() / 8);
  for (Operation *inner : innerLoops)
    carried = std::max<int64_t>(
        carried, llvm::count_if(inner->getResults(),
                                [&](Value v) { return isVarying(v); }));
  int64_t lanes = kLaneBytes / (bytes * int64_t(llvm::PowerOf2Ceil(carried)));
  return std::clamp<int64_t>(lanes, kFewLanes, 64);
}
