//===- LookUpOneHots.cpp - The sum of one element is a lookup -------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "FusePoints.h"
#include "KernelGroups.h"
#include "tally/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOOKUPONEHOTS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-look-up-one-hots"

using namespace mlir;
using namespace tally::codegen;
using linalg::GenericOp;

/// The most operations that are looked at for an element.
static constexpr unsigned kMaxOps = 64;

//===----------------------------------------------------------------------===//
// Values at the points of a sum
//===----------------------------------------------------------------------===//

namespace {

/// A value of the body of an operation whose points are points of the sum.
struct PointValue {
  GenericOp op;
  Value value;
  /// The loop of the sum that each loop of `op` is; none where that runs at 0
  /// alone.
  SmallVector<std::optional<unsigned>> loops;

  PointValue with(Value other) const { return {op, other, loops}; }
  /// The operand that the value is an element of; null if it is none.
  OpOperand *getOperand() const {
    GenericOp owner = op;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != owner.getBody())
      return nullptr;
    return owner.getMatchingOpOperand(argument);
  }
  /// The loop of the sum that each index of an operand is; nothing where an
  /// index is more than a loop or 0.
  std::optional<SmallVector<std::optional<unsigned>>>
  getIndices(AffineMap map) const {
    SmallVector<std::optional<unsigned>> indices;
    for (AffineExpr index : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(index);
      auto constant = dyn_cast<AffineConstantExpr>(index);
      if (!loop && (!constant || constant.getValue() != 0))
        return std::nullopt;
      indices.push_back(loop ? loops[loop.getPosition()] : std::nullopt);
    }
    return indices;
  }
};

/// A sum over a dimension in which at most one element counts: the one whose
/// index is the key.
struct OneHotSum {
  GenericOp sum;
  /// The loop that the key is an index of.
  unsigned loop = 0;
  /// The `arith.select` of the elements and zeros.
  PointValue element;
  PointValue key;
};

} // namespace

/// Follows elements to where they are computed, through operations with an
/// element for each point.
static PointValue resolve(PointValue at) {
  while (OpOperand *operand = at.getOperand()) {
    auto maker = operand->get().getDefiningOp<GenericOp>();
    if (!at.op.isDpsInput(operand) || !maker || maker.getNumLoops() == 0 ||
        maker.getNumReductionLoops() > 0 || getFillValue(maker) ||
        !isArithmetic(maker))
      return at;
    auto result = cast<OpResult>(operand->get());
    AffineMap written = maker.getIndexingMapMatchingResult(result);
    auto indices = at.getIndices(at.op.getMatchingIndexingMap(operand));
    if (!indices || !written.isPermutation())
      return at;
    PointValue next{
        maker,
        maker.getBody()->getTerminator()->getOperand(result.getResultNumber()),
        {}};
    next.loops.resize(maker.getNumLoops());
    for (auto [index, loop] : llvm::zip_equal(written.getResults(), *indices))
      next.loops[cast<AffineDimExpr>(index).getPosition()] = loop;
    at = std::move(next);
  }
  return at;
}

/// Whether a value can be computed apart from the sum, and without the loop if
/// one is given; counts the operations that this takes.
static bool canCompute(PointValue at, std::optional<unsigned> without,
                       unsigned &count) {
  at = resolve(at);
  if (++count > kMaxOps)
    return false;
  if (OpOperand *operand = at.getOperand()) {
    auto indices = at.getIndices(at.op.getMatchingIndexingMap(operand));
    return indices && at.op.isDpsInput(operand) &&
           (!without || !llvm::is_contained(*indices, without));
  }
  Operation *maker = at.value.getDefiningOp();
  if (!maker || maker->getBlock() != at.op.getBody())
    return !isa<ShapedType>(at.value.getType());
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    return !without || at.loops[index.getDim()] != without;
  return maker->getNumRegions() == 0 && isPure(maker) &&
         llvm::all_of(maker->getOperands(), [&](Value operand) {
           return canCompute(at.with(operand), without, count);
         });
}

/// Whether a value is the index of a loop of the sum, and of which.
static std::optional<unsigned> matchIndex(PointValue at) {
  at = resolve(at);
  if (auto cast = at.value.getDefiningOp<arith::IndexCastOp>())
    at = resolve(at.with(cast.getIn()));
  auto index = at.value.getDefiningOp<linalg::IndexOp>();
  return index ? at.loops[index.getDim()] : std::nullopt;
}

/// Looks in the terms of a conjunction for a comparison of an index of a
/// reduced loop with a key that is the same for all of the loop.
static bool findKey(PointValue condition, OneHotSum &found, unsigned &count) {
  condition = resolve(condition);
  if (++count > kMaxOps)
    return false;
  if (auto both = condition.value.getDefiningOp<arith::AndIOp>())
    return findKey(condition.with(both.getLhs()), found, count) ||
           findKey(condition.with(both.getRhs()), found, count);
  auto compare = condition.value.getDefiningOp<arith::CmpIOp>();
  // Of narrower numbers, several indices are the same.
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !(compare.getLhs().getType().isIndex() ||
        compare.getLhs().getType().isInteger(64)))
    return false;
  auto match = [&](Value index, Value key) {
    std::optional<unsigned> loop = matchIndex(condition.with(index));
    unsigned size = 0;
    if (!loop ||
        found.sum.getIteratorTypesArray()[*loop] !=
            utils::IteratorType::reduction ||
        !canCompute(condition.with(key), loop, size))
      return false;
    found.loop = *loop;
    found.key = condition.with(key);
    return true;
  };
  return match(compare.getLhs(), compare.getRhs()) ||
         match(compare.getRhs(), compare.getLhs());
}

static bool isZero(const PointValue &given) {
  PointValue at = resolve(given);
  return matchPattern(at.value, m_AnyZeroFloat()) ||
         matchPattern(at.value, m_Zero());
}

/// The sum as one of at most one element, if it is.
static std::optional<OneHotSum> matchOneHotSum(GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  BlockArgument total = op.getRegionOutputArgs().front();
  Operation *adds =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(adds) ||
      !total.hasOneUse() || *total.user_begin() != adds)
    return std::nullopt;
  Value term = adds->getOperand(adds->getOperand(0) == total ? 1 : 0);
  OneHotSum found{op, 0, {op, term, {}}, {}};
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    found.element.loops.push_back(loop);
  found.element = resolve(found.element);
  auto select = found.element.value.getDefiningOp<arith::SelectOp>();
  unsigned count = 0;
  if (!select || !isZero(found.element.with(select.getFalseValue())) ||
      !findKey(found.element.with(select.getCondition()), found, count) ||
      !canCompute(found.element, std::nullopt, count))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// The lookup
//===----------------------------------------------------------------------===//

namespace {

/// Builds the operation that looks up what the sum is of.
class LookupBuilder {
public:
  LookupBuilder(const OneHotSum &found, OpBuilder &builder)
      : found(found), sum(found.sum), builder(builder), loc(sum.getLoc()) {}

  Value run() {
    collectOperands(found.key);
    collectOperands(found.element);
    Value size = createSize();
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(withoutLoop(sum.getIndexingMapsArray().back()));
    SmallVector<utils::IteratorType> iterators = sum.getIteratorTypesArray();
    iterators.erase(iterators.begin() + found.loop);
    auto lookup = GenericOp::create(
        builder, loc, sum->getResultTypes(), inputs, sum.getDpsInits(), maps,
        iterators, [&](OpBuilder &inner, Location, ValueRange given) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          arguments = given;
          createBody(size);
        });
    return lookup->getResult(0);
  }

private:
  /// Where a value is computed: in which operation, and whether at the key.
  struct Known {
    llvm::DenseMap<std::pair<Operation *, Value>, Value> values;
    /// The index of the loop; null where none is needed.
    Value index;
  };

  /// The same access without the loop, which it does not use.
  AffineMap withoutLoop(AffineMap map) {
    SmallVector<AffineExpr> dims;
    for (unsigned loop = 0; loop < sum.getNumLoops(); ++loop)
      dims.push_back(loop == found.loop
                         ? builder.getAffineConstantExpr(0)
                         : builder.getAffineDimExpr(getLoop(loop)));
    return map.replaceDimsAndSymbols(dims, {}, sum.getNumLoops() - 1, 0);
  }
  /// The number of a loop of the sum in the lookup.
  unsigned getLoop(unsigned loop) const { return loop - (loop > found.loop); }

  /// What is read at the same place for all of the loop is an operand.
  void collectOperands(PointValue at) {
    at = resolve(at);
    if (OpOperand *operand = at.getOperand()) {
      if (!isLookedUp(at, operand))
        getInput(at, operand);
      return;
    }
    Operation *maker = at.value.getDefiningOp();
    if (maker && maker->getBlock() == at.op.getBody())
      for (Value operand : maker->getOperands())
        collectOperands(at.with(operand));
  }
  SmallVector<std::optional<unsigned>> getIndices(const PointValue &at,
                                                  OpOperand *operand) const {
    GenericOp op = at.op;
    return *at.getIndices(op.getMatchingIndexingMap(operand));
  }
  bool isLookedUp(const PointValue &at, OpOperand *operand) const {
    return llvm::is_contained(getIndices(at, operand), found.loop);
  }
  unsigned getInput(const PointValue &at, OpOperand *operand) {
    SmallVector<AffineExpr> indices;
    for (std::optional<unsigned> loop : getIndices(at, operand))
      indices.push_back(loop ? builder.getAffineDimExpr(getLoop(*loop))
                             : builder.getAffineConstantExpr(0));
    AffineMap map =
        AffineMap::get(sum.getNumLoops() - 1, 0, indices, builder.getContext());
    for (unsigned input = 0; input < inputs.size(); ++input)
      if (inputs[input] == operand->get() && inputMaps[input] == map)
        return input;
    inputs.push_back(operand->get());
    inputMaps.push_back(map);
    return inputs.size() - 1;
  }

  /// How often the loop runs. Where an operand is computed, the tensor that it
  /// is computed into tells, so that nobody needs the operand.
  Value createSize() {
    for (OpOperand &operand : sum->getOpOperands()) {
      AffineMap map = sum.getMatchingIndexingMap(&operand);
      for (auto [position, index] : llvm::enumerate(map.getResults())) {
        if (index != builder.getAffineDimExpr(found.loop))
          continue;
        Value tensor = operand.get();
        while (auto maker = tensor.getDefiningOp<GenericOp>())
          tensor = maker.getTiedOpOperand(cast<OpResult>(tensor))->get();
        if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
          return getValueOrCreateConstantIndexOp(
              builder, loc, empty.getMixedSizes()[position]);
        return builder.createOrFold<tensor::DimOp>(loc, tensor, position);
      }
    }
    llvm_unreachable("an operand has each loop");
  }

  Value createIndex(std::optional<unsigned> loop, const Known &known) {
    if (!loop)
      return arith::ConstantIndexOp::create(builder, loc, 0);
    if (*loop == found.loop)
      return known.index;
    // Not in the branch: it belongs to the body of the operation.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        cast<BlockArgument>(arguments.back()).getOwner());
    return linalg::IndexOp::create(builder, loc, getLoop(*loop));
  }

  Value compute(PointValue at, Known &known) {
    at = resolve(at);
    std::pair<Operation *, Value> key = {at.op, at.value};
    if (Value value = known.values.lookup(key))
      return value;
    return known.values[key] = create(at, known);
  }

  Value create(const PointValue &at, Known &known) {
    if (OpOperand *operand = at.getOperand()) {
      if (!isLookedUp(at, operand))
        return arguments[getInput(at, operand)];
      SmallVector<Value> indices;
      for (std::optional<unsigned> loop : getIndices(at, operand))
        indices.push_back(createIndex(loop, known));
      return tensor::ExtractOp::create(builder, loc, operand->get(), indices);
    }
    GenericOp op = at.op;
    Operation *maker = at.value.getDefiningOp();
    if (!maker || maker->getBlock() != op.getBody())
      return at.value;
    if (auto index = dyn_cast<linalg::IndexOp>(maker))
      return createIndex(at.loops[index.getDim()], known);
    IRMapping map;
    for (Value operand : maker->getOperands())
      map.map(operand, compute(at.with(operand), known));
    return builder.clone(*maker, map)
        ->getResult(cast<OpResult>(at.value).getResultNumber());
  }

  void createBody(Value size) {
    Known outside;
    Value key = compute(found.key, outside);
    if (!key.getType().isIndex())
      key =
          arith::IndexCastOp::create(builder, loc, builder.getIndexType(), key);
    // A negative key is a large one.
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, key, size);
    Type type = found.element.value.getType();
    auto branch = scf::IfOp::create(builder, loc, type, isInside,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Known inside;
    inside.index = key;
    scf::YieldOp::create(builder, loc, compute(found.element, inside));
    builder.setInsertionPointToStart(branch.elseBlock());
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    scf::YieldOp::create(builder, loc, zero);
    builder.setInsertionPointAfter(branch);
    addToTotal(branch.getResult(0));
  }

  void addToTotal(Value element) {
    Value total = sum.getRegionOutputArgs().front();
    Operation *adds =
        sum.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    bool isFirst = adds->getOperand(0) == total;
    IRMapping map;
    map.map(total, arguments.back());
    map.map(adds->getOperand(isFirst ? 1 : 0), element);
    Operation *added = builder.clone(*adds, map);
    linalg::YieldOp::create(builder, loc, added->getResults());
  }

  const OneHotSum &found;
  GenericOp sum;
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> inputMaps;
  ValueRange arguments;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LookUpOneHotsPass
    : public tally::impl::LookUpOneHotsBase<LookUpOneHotsPass> {
  void runOnOperation() override {
    SmallVector<GenericOp> sums;
    getOperation().walk([&](GenericOp op) { sums.push_back(op); });
    for (GenericOp sum : sums) {
      std::optional<OneHotSum> found = matchOneHotSum(sum);
      if (!found)
        continue;
      LDBG() << "a lookup in place of a sum of one element";
      OpBuilder builder(sum);
      sum->getResult(0).replaceAllUsesWith(
          LookupBuilder(*found, builder).run());
    }
    // The sums, and what only they have read.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }
};
} // namespace
