//===- FusePoints.cpp - Operations on points as one -----------------------===//
//
// Upstream's fusion looks at a producer with one user. A group knows more: an
// operation with several users, and operations that only read the same tensor,
// run over the same points as well. Together they read and write each tensor
// once.
//
//===----------------------------------------------------------------------===//

#include "FusePoints.h"

#include "Common/Utils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-form-kernels"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;
using linalg::GenericOp;

/// The most operations in the body of a loop: machines have so many registers.
static constexpr size_t kMaxBodyOps = 128;

/// The dimensions of a group in the order in which a result lies in memory.
using DimOrder = SmallVector<int64_t>;

bool tally::codegen::isArithmetic(GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return inner.getNumRegions() == 0 && isPure(&inner);
  });
}

//===----------------------------------------------------------------------===//
// Which operations
//===----------------------------------------------------------------------===//

/// The dimension of the group that each index of an access is; nothing if one
/// is something else.
static std::optional<DimOrder> findDims(const KernelGroup &group, GenericOp op,
                                        AffineMap map) {
  DimOrder dims;
  for (AffineExpr result : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim)
      return std::nullopt;
    dims.push_back(group.loopDims.at(op)[dim.getPosition()]);
  }
  return dims;
}

/// Whether an access goes through memory in the order of the loops, with some
/// of them left out.
static bool follows(const DimOrder &access, const DimOrder &order) {
  const auto *next = order.begin();
  for (int64_t dim : access) {
    next = std::find(next, order.end(), dim);
    if (next == order.end())
      return false;
    ++next;
  }
  return true;
}

/// Whether a tensor becomes a part of another one, where it is computed in its
/// place: of several results of one operation only one could be.
static bool isInserted(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            user))
      return isInserted(user->getResult(0));
    if (auto insertion = dyn_cast<tensor::InsertSliceOp>(user))
      return insertion.getSource() == value;
    return isa<tensor::ConcatOp>(user);
  });
}

/// The order of the dimensions in all results of an operation that has an
/// element for each point and reads in that order; nothing for any other.
static std::optional<DimOrder> findOrder(const KernelGroup &group,
                                         GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumLoops() != group.dims.size() ||
      !isArithmetic(op) || !op->getDiscardableAttrs().empty() ||
      op.getNumLoops() == 0 || llvm::any_of(op->getResults(), isInserted) ||
      llvm::any_of(op.getDpsInitsMutable(),
                   [&](OpOperand &init) { return needsInit(op, init); }))
    return std::nullopt;
  std::optional<DimOrder> order;
  for (OpResult result : op->getResults()) {
    std::optional<DimOrder> dims =
        findDims(group, op, op.getIndexingMapMatchingResult(result));
    if (!dims || dims->size() != group.dims.size() ||
        (order && *order != *dims))
      return std::nullopt;
    order = dims;
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<DimOrder> dims =
        findDims(group, op, op.getMatchingIndexingMap(input));
    if (!dims || !follows(*dims, *order))
      return std::nullopt;
  }
  return order;
}

namespace {

/// Operations with the same order of dimensions, between the same others.
struct PointSet {
  DimOrder order;
  unsigned phase;
  SmallVector<GenericOp> ops;
};

/// Finds the operations of a group that may run as one.
class PointSets {
public:
  explicit PointSets(const KernelGroup &group) : group(group) {
    for (GenericOp op : group.ops)
      add(op);
  }

  ArrayRef<PointSet> get() const { return sets; }

  /// The group's operations, each behind what it needs and those of a set in
  /// the same place.
  SmallVector<GenericOp> sort() const {
    llvm::MapVector<unsigned, SmallVector<GenericOp>> byPhase;
    unsigned numPhases = 0;
    for (GenericOp op : group.ops) {
      unsigned phase = phases.lookup(op);
      byPhase[phase].push_back(op);
      numPhases = std::max(numPhases, phase + 1);
    }
    SmallVector<GenericOp> ops;
    for (unsigned phase = 0; phase < numPhases; ++phase)
      llvm::append_range(ops, byPhase[phase]);
    return ops;
  }

private:
  /// An operation that needs one of another set belongs to a later phase, so
  /// that no path leads out of a set and into it again.
  void add(GenericOp op) {
    std::optional<DimOrder> order = findOrder(group, op);
    unsigned phase = 0;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || !group.contains(maker))
        continue;
      auto it = orders.find(maker);
      bool isOne = order && it != orders.end() && it->second == *order;
      phase = std::max(phase, phases.lookup(maker) + (isOne ? 0 : 1));
    }
    phases[op] = phase;
    if (!order)
      return;
    orders[op] = *order;
    auto *set = llvm::find_if(sets, [&](const PointSet &set) {
      return set.phase == phase && set.order == *order;
    });
    if (set == sets.end())
      sets.push_back({*order, phase, {op}});
    else
      set->ops.push_back(op);
  }

  const KernelGroup &group;
  llvm::DenseMap<Operation *, unsigned> phases;
  llvm::DenseMap<Operation *, DimOrder> orders;
  SmallVector<PointSet> sets;
};

} // namespace

/// The inputs of an operation that have an element for each point.
static SmallVector<Value> getInputsOfPoints(GenericOp op) {
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(input).getNumResults() == op.getNumLoops())
      inputs.push_back(input->get());
  return inputs;
}

/// The operations of a set in lists of those that gain from each other: because
/// one reads what another makes, or both read the same elements.
static SmallVector<SmallVector<GenericOp>> findClusters(const PointSet &set) {
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::DenseMap<Value, Operation *> readers;
  for (GenericOp op : set.ops) {
    classes.insert(op);
    for (Value operand : op.getDpsInputs())
      if (Operation *maker = operand.getDefiningOp();
          maker && llvm::is_contained(set.ops, maker))
        classes.unionSets(maker, op);
    for (Value input : getInputsOfPoints(op)) {
      auto [it, isFirst] = readers.insert({input, op});
      if (!isFirst)
        classes.unionSets(it->second, op);
    }
  }
  llvm::MapVector<Operation *, SmallVector<GenericOp>> clusters;
  for (GenericOp op : set.ops)
    clusters[classes.getLeaderValue(op)].push_back(op);
  SmallVector<SmallVector<GenericOp>> result;
  for (auto &[leader, ops] : clusters) {
    size_t count = 0;
    for (GenericOp op : ops)
      count += op.getBody()->getOperations().size();
    if (ops.size() > 1 && count <= kMaxBodyOps)
      result.push_back(std::move(ops));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Making one of them
//===----------------------------------------------------------------------===//

namespace {

/// Builds the operation that does what several do.
class PointFuser {
public:
  PointFuser(const KernelGroup &group, const DimOrder &order,
             ArrayRef<GenericOp> ops, RewriterBase &rewriter)
      : group(group), order(order), ops(ops), rewriter(rewriter) {}

  GenericOp run() {
    collectOperands();
    GenericOp last = ops.back();
    rewriter.setInsertionPointAfter(last);
    SmallVector<Value> inits;
    SmallVector<AffineMap> maps(inputMaps);
    for (OpResult result : results) {
      inits.push_back(getInit(result));
      maps.push_back(rewriter.getMultiDimIdentityMap(order.size()));
    }
    auto fused = GenericOp::create(
        rewriter, last.getLoc(), TypeRange(ValueRange(inits)), inputs, inits,
        maps,
        SmallVector<utils::IteratorType>(order.size(),
                                         utils::IteratorType::parallel),
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          fillBody(builder, loc, arguments);
        });
    for (GenericOp op : llvm::reverse(ops.drop_back()))
      noteFused(op, fused);
    return fused;
  }

  /// The results that `run` has made results of the fused operation.
  ArrayRef<OpResult> getResults() const { return results; }

private:
  bool isMember(Operation *op) const {
    return op && llvm::is_contained(ops, op);
  }

  /// Where a result goes: nobody needs what is there.
  Value getInit(Value result) const {
    while (isMember(result.getDefiningOp()))
      result = cast<GenericOp>(result.getDefiningOp())
                   .getTiedOpOperand(cast<OpResult>(result))
                   ->get();
    return result;
  }

  /// The access of an operand, by the loops of the fused operation.
  AffineMap getMap(GenericOp op, OpOperand *operand) const {
    SmallVector<AffineExpr> indices;
    std::optional<DimOrder> dims =
        findDims(group, op, op.getMatchingIndexingMap(operand));
    for (int64_t dim : *dims)
      indices.push_back(rewriter.getAffineDimExpr(getLoop(dim)));
    return AffineMap::get(order.size(), 0, indices, rewriter.getContext());
  }

  unsigned getLoop(int64_t dim) const {
    return llvm::find(order, dim) - order.begin();
  }

  /// Finds an input, or adds it.
  unsigned getInput(Value value, AffineMap map) {
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (inputs[i] == value && inputMaps[i] == map)
        return i;
    inputs.push_back(value);
    inputMaps.push_back(map);
    return inputs.size() - 1;
  }

  void collectOperands() {
    for (GenericOp op : ops) {
      for (OpOperand *input : op.getDpsInputOperands())
        if (!isMember(input->get().getDefiningOp()))
          getInput(input->get(), getMap(op, input));
      for (OpResult result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !isMember(user); }))
          results.push_back(result);
    }
  }

  void fillBody(OpBuilder &builder, Location loc, ValueRange arguments) {
    IRMapping elements;
    for (GenericOp op : ops) {
      IRMapping map;
      for (OpOperand *input : op.getDpsInputOperands())
        map.map(op.getMatchingBlockArgument(input),
                isMember(input->get().getDefiningOp())
                    ? elements.lookup(input->get())
                    : arguments[getInput(input->get(), getMap(op, input))]);
      for (Operation &inner : op.getBody()->without_terminator()) {
        Operation *clone = builder.clone(inner, map);
        if (auto index = dyn_cast<linalg::IndexOp>(clone))
          index.setDim(getLoop(group.loopDims.at(op)[index.getDim()]));
      }
      ValueRange yielded = op.getBody()->getTerminator()->getOperands();
      for (OpResult result : op->getResults())
        elements.map(Value(result),
                     map.lookupOrDefault(yielded[result.getResultNumber()]));
    }
    SmallVector<Value> yielded;
    for (OpResult result : results)
      yielded.push_back(elements.lookup(Value(result)));
    linalg::YieldOp::create(builder, loc, yielded);
  }

  const KernelGroup &group;
  const DimOrder &order;
  ArrayRef<GenericOp> ops;
  RewriterBase &rewriter;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> inputMaps;
  SmallVector<OpResult> results;
};

} // namespace

/// Has `fused` stand for `ops` in the group.
static void replaceInGroup(KernelGroup &group, ArrayRef<GenericOp> ops,
                           GenericOp fused, const DimOrder &order) {
  *llvm::find(group.ops, ops.back()) = fused;
  llvm::erase_if(group.ops,
                 [&](GenericOp op) { return llvm::is_contained(ops, op); });
  for (GenericOp op : ops)
    group.loopDims.erase(op);
  group.loopDims[fused] = order;
}

/// Has `fused` stand for `ops` in what kept operations apart.
static void replaceInObstacles(GroupObstacles &obstacles,
                               ArrayRef<GenericOp> ops, GenericOp fused) {
  GroupObstacles changed;
  auto replace = [&](Operation *op) {
    return llvm::is_contained(ops, op) ? fused.getOperation() : op;
  };
  for (const auto &[pair, obstacle] : obstacles)
    changed.insert({{replace(pair.first), replace(pair.second)}, obstacle});
  obstacles = std::move(changed);
}

void tally::codegen::fusePoints(KernelGroup &group, GroupObstacles &obstacles,
                                RewriterBase &rewriter) {
  PointSets sets(group);
  SmallVector<std::pair<DimOrder, SmallVector<GenericOp>>> clusters;
  for (const PointSet &set : sets.get())
    for (SmallVector<GenericOp> &ops : findClusters(set))
      clusters.push_back({set.order, std::move(ops)});
  if (clusters.empty())
    return;
  Block *block = group.ops.back()->getBlock();
  auto end = std::next(group.ops.back()->getIterator());
  group.ops = sets.sort();
  for (GenericOp op : group.ops)
    rewriter.moveOpBefore(op, block, end);
  for (const auto &[order, ops] : clusters) {
    PointFuser fuser(group, order, ops, rewriter);
    GenericOp fused = fuser.run();
    LDBG() << ops.size() << " operations on points become one, with "
           << fused.getNumResults() << " results";
    for (auto [result, made] :
         llvm::zip_equal(fuser.getResults(), fused->getResults()))
      rewriter.replaceAllUsesWith(Value(result), made);
    replaceInGroup(group, ops, fused, order);
    replaceInObstacles(obstacles, ops, fused);
    for (GenericOp op : llvm::reverse(ops))
      rewriter.eraseOp(op);
  }
}
