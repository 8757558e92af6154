//===- GroupObstacles.cpp - Groups that are no kernels --------------------===//

#include "GroupObstacles.h"

#include "Common/Choices.h"
#include "Common/Utils.h"
#include "FusePoints.h"
#include "RepeatedWork.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// Returns whether an access walks through memory along what the group reduces,
/// or stays at one place there.
static bool walksAlongRow(const KernelGroup &group, linalg::GenericOp op,
                          AffineMap map) {
  ArrayRef<int64_t> dims = group.loopDims.at(op);
  auto dependsOnRow = [&](AffineExpr result) {
    return llvm::any_of(llvm::enumerate(dims), [&](auto pair) {
      return group.dims[pair.value()].isReduced &&
             result.isFunctionOfDim(pair.index());
    });
  };
  if (llvm::none_of(map.getResults(), dependsOnRow))
    return true;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && dependsOnRow(last);
}

/// Returns whether the rows that the group passes over lie in memory one
/// element next to the other.
static bool liesInRows(const KernelGroup &group) {
  return llvm::all_of(group.ops, [&](linalg::GenericOp op) {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return walksAlongRow(group, op, op.getMatchingIndexingMap(&operand));
    });
  });
}

/// Returns whether the group passes over a row more than once.
static bool passesAgain(const KernelGroup &group) {
  return llvm::count_if(group.ops, [&](linalg::GenericOp op) {
           return op.getNumLoops() == group.dims.size();
         }) > 1;
}

/// The dimension of the kernel along which results lie in memory, if it is the
/// same for all of them.
static std::optional<int64_t> findInnerDim(const KernelGroup &group) {
  std::optional<int64_t> inner;
  for (linalg::GenericOp op : group.ops)
    for (OpResult result : op->getResults()) {
      AffineMap map = op.getIndexingMapMatchingResult(result);
      if (map.getNumResults() == 0)
        return std::nullopt;
      auto last = cast<AffineDimExpr>(map.getResults().back());
      int64_t dim = group.loopDims.at(op)[last.getPosition()];
      if (inner.value_or(dim) != dim)
        return std::nullopt;
      inner = dim;
    }
  return inner;
}

/// Returns whether windows that are neighbors along `inner` are neighbors in an
/// operand, or it has one window for all of them; and not rows of many
/// elements, which lie next to each other themselves.
static bool liesAlong(const KernelGroup &group, linalg::GenericOp op,
                      AffineMap map, int64_t inner) {
  constexpr int64_t fewElements = 8;
  ArrayRef<int64_t> dims = group.loopDims.at(op);
  auto dependsOn = [&](AffineExpr index, int64_t dim) {
    return llvm::any_of(llvm::enumerate(dims), [&](auto pair) {
      return pair.value() == dim && index.isFunctionOfDim(pair.index());
    });
  };
  if (llvm::none_of(map.getResults(),
                    [&](AffineExpr index) { return dependsOn(index, inner); }))
    return true;
  AffineExpr last = map.getResults().back();
  if (dependsOn(last, inner))
    return true;
  auto plain = dyn_cast<AffineDimExpr>(last);
  if (!plain)
    return false;
  const KernelDim &dim = group.dims[dims[plain.getPosition()]];
  return dim.isReduced && dim.extent.size.getConstant() <= fewElements;
}

/// Returns whether all that the group has for each element of a row goes into
/// reductions of it, and none of it waits for one.
static bool reducesAtOnce(const KernelGroup &group) {
  auto isOfElements = [&](Operation *op) {
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    return generic && generic.getNumLoops() == group.dims.size() &&
           generic.getNumReductionLoops() == 0;
  };
  auto isInside = [&](Operation *op) { return group.contains(op); };
  return llvm::all_of(group.ops, [&](linalg::GenericOp op) {
    if (op.getNumLoops() != group.dims.size())
      return true;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Operation *producer = input->get().getDefiningOp();
      if (producer && isInside(producer) && !isOfElements(producer))
        return false;
    }
    return !isOfElements(op) || llvm::all_of(op->getUsers(), isInside);
  });
}

/// The number of elements that the group reduces to one, if it is known.
static std::optional<int64_t> findWindowLength(const KernelGroup &group) {
  DynamicAPInt length(1);
  for (const KernelDim &dim : group.dims) {
    if (!dim.isReduced)
      continue;
    if (!dim.extent.size.isConstant() || dim.extent.size.getConstant() < 1)
      return std::nullopt;
    length *= dim.extent.size.getConstant();
  }
  if (length > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return int64_t(length);
}

/// Returns whether what the group reduces is a window of a few elements, as
/// depthwise convolutions and pooling do.
static bool reducesWindows(const KernelGroup &group) {
  constexpr int64_t most = 64;
  if (!reducesAtOnce(group))
    return false;
  std::optional<int64_t> length = findWindowLength(group);
  std::optional<int64_t> inner = findInnerDim(group);
  return length && *length <= most && inner &&
         llvm::all_of(group.ops, [&](linalg::GenericOp op) {
           return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
             return liesAlong(group, op, op.getMatchingIndexingMap(input),
                              *inner);
           });
         });
}

/// The most operations of windows, written out, for which reductions share a
/// loop because they read the same.
static constexpr int64_t kMaxWrittenOut = 300;

/// Returns whether windows that have nothing in common but what they read would
/// be a long loop, written out: the time that LLVM takes grows faster than that
/// does, and reading again is little beside so many operations.
static bool writesOutMuch(const KernelGroup &group) {
  auto isOfElements = [&](linalg::GenericOp op) {
    return op.getNumLoops() == group.dims.size();
  };
  int64_t size = 0;
  llvm::EquivalenceClasses<Operation *> parts;
  for (linalg::GenericOp op : group.ops) {
    if (!isOfElements(op))
      continue;
    size += getCodeSize(op);
    parts.insert(op);
    for (Value operand : op->getOperands()) {
      auto maker = operand.getDefiningOp<linalg::GenericOp>();
      if (maker && group.contains(maker) && isOfElements(maker) &&
          maker.getNumReductionLoops() == 0)
        parts.unionSets(maker, op);
    }
  }
  return parts.getNumClasses() > 1 &&
         size > kMaxWrittenOut / findWindowLength(group).value_or(1);
}

/// Returns whether the group has rows that it reduces, and more than one.
static bool reducesRows(const KernelGroup &group) {
  unsigned numReduced = llvm::count_if(
      group.dims, [](const KernelDim &dim) { return dim.isReduced; });
  return numReduced != 0 && numReduced != group.dims.size();
}

/// The reason why a group that reduces rows is no kernel of the CPU, whatever
/// joins it.
std::optional<FusionObstacle>
codegen::findLastingObstacle(const KernelGroup &group) {
  if (!reducesRows(group))
    return std::nullopt;
  if (!llvm::all_of(group.ops, isArithmetic))
    return FusionObstacle::MoreThanArithmetic;
  // Lanes choose faster than a loop over single elements.
  if (llvm::any_of(group.ops, matchChoice))
    return FusionObstacle::RunAsWhole;
  bool hasWindows = reducesWindows(group);
  if (!liesInRows(group) && !hasWindows)
    return FusionObstacle::ScatteredRows;
  if (hasWindows && writesOutMuch(group))
    return FusionObstacle::TooManyOps;
  return std::nullopt;
}

/// Why the CPU gains nothing by running the group as one kernel; nothing if it
/// does.
std::optional<FusionObstacle>
codegen::findObstacleOfCPU(const KernelGroup &group) {
  if (std::optional<FusionObstacle> obstacle = findLastingObstacle(group))
    return obstacle;
  if (!reducesRows(group) || (!passesAgain(group) && !reducesWindows(group)))
    return FusionObstacle::OnePass;
  return std::nullopt;
}

/// How often expensive operations of a kernel may be computed again: what comes
/// before a reduction is, for each that needs its result.
static constexpr unsigned kMaxComputedAgain = 6;

/// The reason why a group is no kernel of a GPU, whatever joins it.
std::optional<FusionObstacle>
codegen::findObstacleOfGPU(const KernelGroup &group) {
  if (countComputedAgain(group) > kMaxComputedAgain)
    return FusionObstacle::TooManyOps;
  return std::nullopt;
}
