//===- KernelGroups.cpp - Which operations run as one kernel --------------===//
//
// Greedy: every operation starts a group of its own and joins those that make
// its operands, as long as the dimensions fit and no cycle arises.
//
//===----------------------------------------------------------------------===//

#include "KernelGroups.h"
#include "RepeatedWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/DebugLog.h"

#include <numeric>
#include <queue>

#define DEBUG_TYPE "tally-form-kernels"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;
using symbolic::Expr;

/// The most operations of a kernel, and the most tensors that it reads and
/// writes: beyond, registers and parameters run out.
static constexpr unsigned kMaxOps = 32;
static constexpr unsigned kMaxOperands = 24;

Value tally::codegen::getFillValue(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInits() != 1 ||
      generic.getNumReductionLoops() != 0 ||
      !llvm::hasSingleElement(*generic.getBody()) ||
      llvm::any_of(generic.getDpsInputs(), [](Value input) {
        return isa<ShapedType>(input.getType());
      }))
    return {};
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != generic.getBody())
    return yielded;
  if (argument.getArgNumber() < generic.getNumDpsInputs())
    return generic.getDpsInputs()[argument.getArgNumber()];
  return {};
}

//===----------------------------------------------------------------------===//
// The order of a block
//===----------------------------------------------------------------------===//

namespace {

/// The order that the operations of a block must keep, with groups as one.
class GroupOrder {
public:
  explicit GroupOrder(Block &block) : block(block) {
    for (Operation &op : block.without_terminator()) {
      index[&op] = ops.size();
      ops.push_back(&op);
    }
    leader.resize(ops.size());
    for (auto [i, value] : llvm::enumerate(leader))
      value = i;
    members.resize(ops.size());
    for (unsigned i = 0; i < ops.size(); ++i)
      members[i] = {i};
    successors.resize(ops.size());
    addEdges();
  }

  /// Makes one of two operations, unless something else must run between them:
  /// returns that, or null.
  Operation *tryJoin(Operation *a, Operation *b) {
    unsigned first = find(index.at(a)), second = find(index.at(b));
    if (first == second)
      return nullptr;
    if (Operation *inBetween = findBetween(first, second))
      return inBetween;
    leader[second] = first;
    llvm::append_range(members[first], members[second]);
    members[second].clear();
    return nullptr;
  }

  /// Sorts the operations: each group at the place of its last operation where
  /// that is possible.
  void sort();

private:
  /// Nothing moves above an operation with an effect but what is made of
  /// numbers, and views.
  static bool staysBehindEffects(Operation *op) {
    if (isa<tensor::EmptyOp, tensor::DimOp>(op) ||
        isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
      return false;
    return true;
  }

  void addEdges() {
    std::optional<unsigned> lastEffect;
    for (auto [i, op] : llvm::enumerate(ops)) {
      op->walk([&, i = i](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (Operation *def = operand.getDefiningOp())
            if (auto it = index.find(def); it != index.end() && it->second < i)
              successors[it->second].push_back(i);
      });
      bool isEffect = !isPure(op);
      if (lastEffect && (isEffect || staysBehindEffects(op)))
        successors[*lastEffect].push_back(i);
      if (isEffect)
        lastEffect = i;
    }
  }

  unsigned find(unsigned i) const {
    while (leader[i] != i)
      i = leader[i];
    return i;
  }

  /// The last operation of a path that leads out of the two groups and into
  /// them again; null if there is none.
  Operation *findBetween(unsigned first, unsigned second) const {
    llvm::SmallVector<unsigned> stack;
    llvm::SmallSet<unsigned, 32> visited;
    auto isInside = [&](unsigned group) {
      return group == first || group == second;
    };
    auto push = [&](unsigned group) {
      for (unsigned member : members[group])
        for (unsigned next : successors[member])
          if (unsigned to = find(next);
              !isInside(to) && visited.insert(to).second)
            stack.push_back(to);
    };
    push(first);
    push(second);
    while (!stack.empty()) {
      unsigned group = stack.pop_back_val();
      for (unsigned member : members[group])
        for (unsigned next : successors[member])
          if (isInside(find(next)))
            return ops[member];
      push(group);
    }
    return nullptr;
  }

  Block &block;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> index;
  std::vector<unsigned> leader;
  std::vector<SmallVector<unsigned, 1>> members;
  std::vector<SmallVector<unsigned, 4>> successors;
};

} // namespace

void GroupOrder::sort() {
  std::vector<unsigned> waiting(ops.size(), 0), last(ops.size(), 0);
  auto forEachSuccessor = [&](unsigned group, auto visit) {
    llvm::SmallSet<unsigned, 8> seen;
    for (unsigned member : members[group])
      for (unsigned next : successors[member])
        if (unsigned to = find(next); to != group && seen.insert(to).second)
          visit(to);
  };
  for (unsigned i = 0; i < ops.size(); ++i) {
    if (find(i) != i)
      continue;
    last[i] = *llvm::max_element(members[i]);
    forEachSuccessor(i, [&](unsigned to) { ++waiting[to]; });
  }
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned i = 0; i < ops.size(); ++i)
    if (find(i) == i && waiting[i] == 0)
      ready.push({last[i], i});
  while (!ready.empty()) {
    unsigned group = ready.top().second;
    ready.pop();
    llvm::sort(members[group]);
    for (unsigned member : members[group])
      ops[member]->moveBefore(&block, block.without_terminator().end());
    forEachSuccessor(group, [&](unsigned to) {
      if (--waiting[to] == 0)
        ready.push({last[to], to});
    });
  }
}

//===----------------------------------------------------------------------===//
// Joining groups
//===----------------------------------------------------------------------===//

namespace {

/// A group that grows, or the one that it has become part of.
using GroupPtr = std::shared_ptr<KernelGroup>;

class BlockGrouping {
public:
  BlockGrouping(Block &block, const LoopExtents &extents,
                FindGroupObstacle findTargetObstacle, GroupObstacles &obstacles)
      : block(block), extents(extents), findTargetObstacle(findTargetObstacle),
        obstacles(obstacles), order(block) {}

  std::vector<KernelGroup> run();

private:
  GroupPtr makeGroup(linalg::GenericOp op);
  SmallVector<GroupPtr> findCandidates(linalg::GenericOp op);
  void decide(GroupPtr a, GroupPtr b);
  /// Makes one of two groups, or returns why not.
  std::optional<GroupObstacle> merge(GroupPtr a, GroupPtr b);
  std::optional<FusionObstacle> findObstacle(const KernelGroup &group) const;
  void noteObstacle(const KernelGroup &a, const KernelGroup &b,
                    GroupObstacle obstacle);
  bool isUsedOutside(const KernelGroup &group, Operation *op) const;

  Block &block;
  const LoopExtents &extents;
  FindGroupObstacle findTargetObstacle;
  GroupObstacles &obstacles;
  GroupOrder order;
  llvm::DenseMap<Operation *, GroupPtr> groupOf;
};

} // namespace

GroupPtr BlockGrouping::makeGroup(linalg::GenericOp op) {
  auto group = std::make_shared<KernelGroup>();
  group->ops.push_back(op);
  SmallVector<int64_t> dims;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    group->dims.push_back(
        {extents.at(op)[loop], iterator == utils::IteratorType::reduction});
    dims.push_back(loop);
  }
  group->loopDims[op] = dims;
  return group;
}

/// The groups that make the operands of `op`, and those that read the same.
SmallVector<GroupPtr> BlockGrouping::findCandidates(linalg::GenericOp op) {
  SmallVector<GroupPtr> candidates;
  auto add = [&](Operation *other) {
    auto it = groupOf.find(other);
    if (it != groupOf.end() && !llvm::is_contained(candidates, it->second))
      candidates.push_back(it->second);
  };
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp())
      add(def);
  for (OpOperand *input : op.getDpsInputOperands())
    if (!matchPattern(input->get(), m_Constant()))
      for (Operation *user : input->get().getUsers())
        if (user != op)
          add(user);
  return candidates;
}

/// The map of a result of `op` where all of its loops are told apart.
static AffineMap getResultMap(linalg::GenericOp op, OpResult result) {
  return op.getIndexingMapMatchingResult(result);
}

namespace {
/// Finds which dimension of one group each dimension of another is.
class DimMatching {
public:
  DimMatching(const KernelGroup &a, const KernelGroup &b)
      : a(a), b(b), toA(b.dims.size(), -1), toB(a.dims.size(), -1) {}

  /// Matches all dimensions, or returns why they do not match.
  std::optional<GroupObstacle> run();

  /// The dimension of `a` for each of `b`; -1 for none.
  SmallVector<int64_t> takeResult() { return std::move(toA); }

private:
  bool match(int64_t inA, int64_t inB);
  bool matchMaps(linalg::GenericOp opA, AffineMap mapA, linalg::GenericOp opB,
                 AffineMap mapB);
  /// Requires b to read a's results at the point that a is at.
  std::optional<GroupObstacle> matchResults();
  /// Requires both to read common inputs at the same point.
  std::optional<GroupObstacle> matchInputs();
  /// Matches the loops that are left by their sizes.
  std::optional<GroupObstacle> matchSizes();

  const KernelGroup &a;
  const KernelGroup &b;
  SmallVector<int64_t> toA, toB;
  /// Whether b reads a result of a.
  bool isConnected = false;
};
} // namespace

bool DimMatching::match(int64_t inA, int64_t inB) {
  if (toA[inB] == inA)
    return true;
  if (toA[inB] != -1 || toB[inA] != -1)
    return false;
  toA[inB] = inA;
  toB[inA] = inB;
  return true;
}

bool DimMatching::matchMaps(linalg::GenericOp opA, AffineMap mapA,
                            linalg::GenericOp opB, AffineMap mapB) {
  for (auto [resultA, resultB] :
       llvm::zip_equal(mapA.getResults(), mapB.getResults())) {
    auto dimA = dyn_cast<AffineDimExpr>(resultA);
    auto dimB = dyn_cast<AffineDimExpr>(resultB);
    if (!dimA || !dimB ||
        !match(a.loopDims.at(opA)[dimA.getPosition()],
               b.loopDims.at(opB)[dimB.getPosition()]))
      return false;
  }
  return true;
}

std::optional<GroupObstacle> DimMatching::matchResults() {
  for (linalg::GenericOp op : b.ops)
    for (OpOperand &operand : op->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      auto maker = operand.get().getDefiningOp<linalg::GenericOp>();
      if (!maker || !a.contains(maker))
        continue;
      if (!matchMaps(maker, getResultMap(maker, result), op,
                     op.getMatchingIndexingMap(&operand)))
        return FusionObstacle::OtherPoints;
      isConnected = true;
    }
  return std::nullopt;
}

std::optional<GroupObstacle> DimMatching::matchInputs() {
  for (linalg::GenericOp opB : b.ops)
    for (OpOperand *input : opB.getDpsInputOperands())
      for (linalg::GenericOp opA : a.ops)
        for (OpOperand *other : opA.getDpsInputOperands())
          if (other->get() == input->get() &&
              !matchMaps(opA, opA.getMatchingIndexingMap(other), opB,
                         opB.getMatchingIndexingMap(input)))
            return FusionObstacle::SharedAtOtherPoints;
  return std::nullopt;
}

std::optional<GroupObstacle> DimMatching::matchSizes() {
  SmallVector<int64_t> leftA, leftB;
  for (auto [dim, other] : llvm::enumerate(toB))
    if (other == -1)
      leftA.push_back(dim);
  for (auto [dim, other] : llvm::enumerate(toA))
    if (other == -1)
      leftB.push_back(dim);
  if (leftA.empty() || leftB.empty())
    return std::nullopt;
  if (leftA.size() != leftB.size())
    return FusionObstacle::OtherSizes;
  for (auto [dimA, dimB] : llvm::zip_equal(leftA, leftB))
    if (Expr size = a.dims[dimA].extent.size, other = b.dims[dimB].extent.size;
        size != other || !match(dimA, dimB)) {
      GroupObstacle obstacle = FusionObstacle::OtherSizes;
      obstacle.sizes = {size, other};
      return obstacle;
    }
  return std::nullopt;
}

std::optional<GroupObstacle> DimMatching::run() {
  if (std::optional<GroupObstacle> obstacle = matchResults())
    return obstacle;
  if (!isConnected)
    if (std::optional<GroupObstacle> obstacle = matchInputs())
      return obstacle;
  return matchSizes();
}

bool BlockGrouping::isUsedOutside(const KernelGroup &group,
                                  Operation *op) const {
  return llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return !group.contains(user); });
}

/// The operations of a group must read each other at the point that the kernel
/// is at: nothing else of it exists while the kernel runs.
static std::optional<FusionObstacle>
findObstacleOfPoints(const KernelGroup &group) {
  auto isMade = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def && group.contains(def);
  };
  auto getDims = [&](linalg::GenericOp op, AffineMap map) {
    SmallVector<int64_t> dims;
    for (AffineExpr result : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      dims.push_back(dim ? group.loopDims.at(op)[dim.getPosition()] : -1);
    }
    return dims;
  };
  for (linalg::GenericOp op : group.ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isMade(operand.get()))
        continue;
      auto result = cast<OpResult>(operand.get());
      auto maker = cast<linalg::GenericOp>(result.getOwner());
      if (getDims(maker, getResultMap(maker, result)) !=
          getDims(op, op.getMatchingIndexingMap(&operand)))
        return FusionObstacle::OtherPoints;
    }
    bool hasTable = op.getBody()
                        ->walk([&](Operation *nested) {
                          return llvm::any_of(nested->getOperands(), isMade)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (hasTable)
      return FusionObstacle::LookedUp;
  }
  return std::nullopt;
}

/// Every reduction is over the same dimensions, for each point of all others;
/// everything else runs over all dimensions, or over those others, or is cheap
/// and needed inside only.
std::optional<FusionObstacle>
BlockGrouping::findObstacle(const KernelGroup &group) const {
  if (group.ops.size() > kMaxOps)
    return FusionObstacle::TooManyOps;
  if (std::optional<FusionObstacle> obstacle = findObstacleOfPoints(group))
    return obstacle;
  unsigned numDims = group.dims.size();
  llvm::SmallBitVector reduced(numDims);
  for (auto [dim, info] : llvm::enumerate(group.dims))
    if (info.isReduced)
      reduced.set(dim);
  llvm::SmallBitVector all(numDims, true), rows = ~reduced;
  llvm::SmallPtrSet<Value, 16> operands;
  for (linalg::GenericOp op : group.ops) {
    llvm::SmallBitVector dims(numDims), own(numDims);
    for (auto [dim, iterator] :
         llvm::zip_equal(group.loopDims.at(op), op.getIteratorTypesArray())) {
      dims.set(dim);
      if (iterator == utils::IteratorType::reduction)
        own.set(dim);
    }
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !group.contains(operand.getDefiningOp()))
        operands.insert(operand);
    if (own.any()) {
      if (own != reduced || dims != all)
        return FusionObstacle::OtherReduction;
      continue;
    }
    if (dims == all || (reduced.any() && dims == rows))
      continue;
    if (group.ops.size() > 1 &&
        (isUsedOutside(group, op) || !isCheapToRepeat(op)))
      return FusionObstacle::Repeated;
  }
  if (operands.size() > kMaxOperands)
    return FusionObstacle::TooManyOperands;
  return std::nullopt;
}

std::optional<GroupObstacle> BlockGrouping::merge(GroupPtr a, GroupPtr b) {
  DimMatching matching(*a, *b);
  if (std::optional<GroupObstacle> obstacle = matching.run())
    return obstacle;
  SmallVector<int64_t> toA = matching.takeResult();
  KernelGroup merged = *a;
  for (auto [dim, other] : llvm::enumerate(toA)) {
    if (other == -1) {
      other = merged.dims.size();
      merged.dims.push_back(b->dims[dim]);
    }
    merged.dims[other].isReduced |= b->dims[dim].isReduced;
    // Both are the same, so what is known of one holds for the other.
    merged.dims[other].extent.divisor = std::lcm(
        merged.dims[other].extent.divisor, b->dims[dim].extent.divisor);
  }
  for (linalg::GenericOp op : b->ops) {
    merged.ops.push_back(op);
    SmallVector<int64_t> dims;
    for (int64_t dim : b->loopDims.at(op))
      dims.push_back(toA[dim]);
    merged.loopDims[op] = dims;
  }
  if (std::optional<FusionObstacle> obstacle = findObstacle(merged))
    return obstacle;
  if (std::optional<FusionObstacle> obstacle = findTargetObstacle(merged))
    return obstacle;
  if (Operation *other = order.tryJoin(a->ops.front(), b->ops.front())) {
    GroupObstacle obstacle = FusionObstacle::InBetween;
    obstacle.inBetween = other;
    return obstacle;
  }
  *b = std::move(merged);
  for (linalg::GenericOp op : b->ops)
    groupOf[op] = b;
  return std::nullopt;
}

void BlockGrouping::noteObstacle(const KernelGroup &a, const KernelGroup &b,
                                 GroupObstacle obstacle) {
  auto note = [&](const KernelGroup &makers, const KernelGroup &readers) {
    for (linalg::GenericOp reader : readers.ops)
      for (Value operand : reader->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && makers.contains(maker))
          obstacles.insert_or_assign({maker, reader}, obstacle);
  };
  note(a, b);
  note(b, a);
}

/// Has the groups become one where nothing is against it.
void BlockGrouping::decide(GroupPtr a, GroupPtr b) {
  linalg::GenericOp first = a->ops.back(), second = b->ops.back();
  std::optional<GroupObstacle> obstacle = merge(a, b);
  LDBG() << describeLastPart(second)
         << (obstacle ? " does not join the kernel of "
                      : " joins the kernel of ")
         << describeLastPart(first) << (obstacle ? ": " : "")
         << (obstacle ? toString(obstacle->kind) : "");
  if (obstacle)
    noteObstacle(*a, *b, *obstacle);
}

std::vector<KernelGroup> BlockGrouping::run() {
  SmallVector<linalg::GenericOp> ops;
  for (auto op : block.getOps<linalg::GenericOp>())
    if (extents.contains(op) && !getFillValue(op))
      ops.push_back(op);
  for (linalg::GenericOp op : ops) {
    GroupPtr group = makeGroup(op);
    groupOf[op] = group;
    for (const GroupPtr &candidate : findCandidates(op))
      if (candidate != group && groupOf.at(candidate->ops.front()) == candidate)
        decide(candidate, group);
  }
  // A fill that is more than what somebody starts from is a kernel.
  for (auto op : block.getOps<linalg::GenericOp>())
    if (extents.contains(op) && getFillValue(op) &&
        llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !groupOf.contains(user);
        })) {
      groupOf[op] = makeGroup(op);
      ops.push_back(op);
    }
  order.sort();
  std::vector<KernelGroup> groups;
  llvm::SmallPtrSet<KernelGroup *, 16> seen;
  for (linalg::GenericOp op : ops) {
    KernelGroup *group = groupOf.at(op).get();
    if (!seen.insert(group).second)
      continue;
    llvm::sort(group->ops, [](linalg::GenericOp x, linalg::GenericOp y) {
      return x->isBeforeInBlock(y);
    });
    groups.push_back(*group);
  }
  return groups;
}

std::vector<KernelGroup>
tally::codegen::groupKernels(Block &block, const LoopExtents &extents,
                             FindGroupObstacle findObstacle,
                             GroupObstacles &obstacles) {
  return BlockGrouping(block, extents, findObstacle, obstacles).run();
}
