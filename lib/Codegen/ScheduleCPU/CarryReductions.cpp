//===- CarryReductions.cpp - Reductions in registers ----------------------===//
//
// See the description of the pass in ReductionPasses.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Choices.h"
#include "Common/Extrema.h"
#include "LookupColumns.h"
#include "RowReductions.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_CARRYREDUCTIONS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-carry-reductions"

using namespace mlir;
using namespace tally::codegen;

/// A block in which an extremum is looked for: vectors, and the elements of
/// each.
static constexpr int64_t kExtremumVectors = 4, kExtremumLanes = 16;

/// The elements of a block that a choice passes over if its extremum is not
/// better than the best one so far; fewer blocks than that are not worth it.
static constexpr int64_t kChoiceBlock = 1024, kMinBlocks = 4;

namespace {

/// Schedules one operation.
class ReductionCarrier {
public:
  explicit ReductionCarrier(linalg::GenericOp op)
      : op(op), builder(op), loc(op.getLoc()), choice(matchChoice(op)),
        ranges(cast<linalg::LinalgOp>(op.getOperation())
                   .createLoopRanges(builder, loc)),
        extremum(matchExtremum(op)), extremumType(getExtremumType()),
        end(findEnd(op)), numParallel(op.getNumParallelLoops()),
        loops(op.getNumLoops()) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value getSize(unsigned loop) {
    return getValueOrCreateConstantIndexOp(builder, loc, ranges[loop].size);
  }
  void loadRowInputs();
  void shortenLoop();
  void leaveClamped(Operation &inner, IRMapping &map);
  /// The values of the body that are the next accumulators.
  ValueRange getNext() { return op.getBody()->getTerminator()->getOperands(); }
  SmallVector<Value> getIndices(OpOperand &operand);
  Value loadElement(OpOperand &operand, int64_t lanes);
  Value widen(Value value, int64_t lanes);
  Value getLoopIndex(unsigned loop, int64_t lanes);
  SmallVector<Value> createPoint(ValueRange accumulators, int64_t lanes,
                                 ValueRange wanted);
  std::pair<Value, SmallVector<Value>>
  createVectorized(Value size, ValueRange accumulators);
  SmallVector<Value> createLoops(unsigned loop, ValueRange accumulators);
  SmallVector<Value> createChoice(ValueRange chosen);
  SmallVector<Value> createLanes(Value begin, Value end,
                                 ValueRange accumulators);
  bool skipsBlocks();
  Value createBlockTest(Value begin, Value end, Value best);
  SmallVector<Value> createBlocks(Value size, ValueRange accumulators);
  /// Halves are widened once, and the result is one of them.
  FloatType getExtremumType() {
    if (!extremum)
      return {};
    auto type = cast<FloatType>(extremum->getResult(0).getType());
    return type.getWidth() < 32 ? builder.getF32Type() : type;
  }
  /// Only from AVX-512 on have processors extrema of integers of 64 bits.
  bool usesBits() { return extremum && extremumType.isF32(); }
  Value createElement(int64_t lanes);
  bool usesDoubles() { return extremum && extremumType.isF64(); }
  SmallVector<Value> createVectors(
      Value size, SmallVector<Value> carried,
      llvm::function_ref<SmallVector<Value>(ValueRange, Value)> extend);
  std::pair<Value, Value> createDoubles(Value size, Value accumulator);
  SmallVector<Value> createNext(ValueRange accumulators);
  void createRow();

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  /// The choice, where the operation chooses an element by vectors.
  std::optional<Choice> choice;
  SmallVector<Range> ranges;
  /// The operation that joins elements, where the largest or the smallest one
  /// is looked for, and the type in which it is.
  Operation *extremum;
  FloatType extremumType;
  /// Where a reduction loop may end.
  std::optional<ReductionEnd> end;
  /// The inputs that are the same in all of a row.
  llvm::SmallDenseMap<BlockArgument, Value> rowInputs;
  /// Whether an index of the row is nowhere clamped.
  llvm::SmallDenseMap<Operation *, Value> inside;
  unsigned numParallel;
  /// The index in each loop.
  SmallVector<Value> loops;
};

} // namespace

SmallVector<Value> ReductionCarrier::getIndices(OpOperand &operand) {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(
        affine::expandAffineExpr(builder, loc, expr, loops, ValueRange()));
  return indices;
}

/// A value for each of some lanes.
Value ReductionCarrier::widen(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(lanes, value.getType()), value);
}

/// Reads an input: a number, or neighboring elements.
Value ReductionCarrier::loadElement(OpOperand &operand, int64_t lanes) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return operand.get();
  SmallVector<Value> indices = getIndices(operand);
  bool isAlong =
      op.getMatchingIndexingMap(&operand).isFunctionOfDim(op.getNumLoops() - 1);
  if (lanes == 1 || !isAlong)
    return memref::LoadOp::create(builder, loc, operand.get(), indices);
  return vector::LoadOp::create(builder, loc,
                                VectorType::get(lanes, type.getElementType()),
                                operand.get(), indices);
}

Value ReductionCarrier::getLoopIndex(unsigned loop, int64_t lanes) {
  if (lanes == 1 || loop + 1 != op.getNumLoops())
    return loops[loop];
  SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  auto type = VectorType::get(lanes, builder.getIndexType());
  Value offsets = arith::ConstantOp::create(
      builder, loc, DenseIntElementsAttr::get(type, steps));
  return arith::AddIOp::create(builder, loc, widen(loops[loop], lanes),
                               offsets);
}

/// The operations of a body that values depend on, without what is accumulated.
static llvm::SmallPtrSet<Operation *, 8> findSources(ValueRange values) {
  llvm::SmallPtrSet<Operation *, 8> sources;
  SmallVector<Value> open(values);
  while (!open.empty())
    if (Operation *source = open.pop_back_val().getDefiningOp())
      if (sources.insert(source).second)
        llvm::append_range(open, source->getOperands());
  return sources;
}

/// Takes an index as it is where no index of the row is clamped: LLVM makes two
/// loops of that.
void ReductionCarrier::leaveClamped(Operation &inner, IRMapping &map) {
  Value isInside = inside.lookup(&inner);
  if (!isInside)
    return;
  auto min = inner.getOperand(0).getDefiningOp<arith::MinSIOp>();
  Value index = map.lookup(inner.getResult(0)), sum = map.lookup(min.getLhs());
  map.map(inner.getResult(0),
          arith::SelectOp::create(builder, loc, isInside, sum, index));
}

/// Computes the body for some points of the last loop, one or as many as there
/// are lanes; returns the values of it that are wanted, which without
/// accumulators do not depend on them.
SmallVector<Value> ReductionCarrier::createPoint(ValueRange accumulators,
                                                 int64_t lanes,
                                                 ValueRange wanted) {
  IRMapping map;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    Value ofRow = rowInputs.lookup(argument);
    map.map(argument, ofRow ? ofRow : loadElement(*input, lanes));
  }
  if (!accumulators.empty())
    map.map(op.getRegionOutputArgs(), accumulators);
  llvm::SmallPtrSet<Operation *, 8> sources = findSources(wanted);
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (!sources.contains(&inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), getLoopIndex(index.getDim(), lanes));
      continue;
    }
    if (end && &inner == end->choice) {
      map.map(inner.getResult(0),
              map.lookupOrDefault(end->choice.getTrueValue()));
      continue;
    }
    if (lanes == 1) {
      builder.clone(inner, map);
      leaveClamped(inner, map);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(widen(map.lookupOrDefault(operand), lanes));
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      map.map(inner.getResult(0),
              widen(builder.clone(inner)->getResult(0), lanes));
      continue;
    }
    OperationState state(loc, inner.getName(), operands,
                         {VectorType::get(lanes, inner.getResult(0).getType())},
                         inner.getAttrs());
    map.map(inner.getResult(0), builder.create(state)->getResult(0));
  }
  SmallVector<Value> values;
  for (Value value : wanted)
    values.push_back(widen(map.lookupOrDefault(value), lanes));
  return values;
}

/// The elements that lanes have chosen, and their indices, with one element
/// more for each.
SmallVector<Value> ReductionCarrier::createChoice(ValueRange chosen) {
  if (choice->hasIndex)
    return createPoint(chosen, choice->lanes, getNext());
  SmallVector<Value> next = createPoint(chosen.take_front(), choice->lanes,
                                        {getNext().front(), choice->takes});
  Value index = arith::IndexCastOp::create(
      builder, loc, chosen.back().getType(),
      getLoopIndex(op.getNumLoops() - 1, choice->lanes));
  next.back() =
      arith::SelectOp::create(builder, loc, next.back(), index, chosen.back());
  return next;
}

/// Goes over as many elements at once as a choice has lanes, the last time over
/// some that were there before, which changes nothing, and joins what the lanes
/// have chosen.
SmallVector<Value> ReductionCarrier::createLanes(Value begin, Value end,
                                                 ValueRange accumulators) {
  SmallVector<Value> lanes;
  for (Value accumulator : accumulators)
    lanes.push_back(widen(accumulator, choice->lanes));
  // Which lane has the first of equal elements, the index tells.
  if (!choice->hasIndex)
    lanes.push_back(widen(
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0)),
        choice->lanes));
  Value last =
      arith::SubIOp::create(builder, loc, end, constant(choice->lanes));
  auto loop = scf::ForOp::create(builder, loc, begin, end,
                                 constant(choice->lanes), lanes);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    loops.back() =
        arith::MinUIOp::create(builder, loc, loop.getInductionVar(), last);
    scf::YieldOp::create(builder, loc, createChoice(loop.getRegionIterArgs()));
  }
  SmallVector<Value> joined =
      joinLanes(builder, loc, *choice, loop.getResults());
  joined.truncate(accumulators.size());
  return joined;
}

/// Computes what an extremum is looked for among, at the current point.
Value ReductionCarrier::createElement(int64_t lanes) {
  Value wanted = choice
                     ? choice->element
                     : extremum->getOperand(extremum->getOperand(0) ==
                                            op.getRegionOutputArgs().front());
  Value element = createPoint({}, lanes, wanted).front();
  Type type = choice ? builder.getF32Type() : extremumType;
  if (lanes > 1)
    type = VectorType::get(lanes, type);
  if (element.getType() != type)
    element = arith::ExtFOp::create(builder, loc, type, element);
  return element;
}

/// Adds the elements of a row that has a vector of them at least: blocks of
/// vectors, then vectors, the last of which may overlap the one before, as an
/// extremum does not change where elements come twice. Returns what is known
/// of each lane.
SmallVector<Value> ReductionCarrier::createVectors(
    Value size, SmallVector<Value> carried,
    llvm::function_ref<SmallVector<Value>(ValueRange, Value)> extend) {
  Value begin = constant(0),
        last =
            arith::SubIOp::create(builder, loc, size, constant(kExtremumLanes));
  for (int64_t numVectors : {kExtremumVectors, int64_t(1)}) {
    Value step = constant(numVectors * kExtremumLanes), end = size;
    if (numVectors > 1) {
      Value rest = arith::RemUIOp::create(builder, loc, size, step);
      end = arith::SubIOp::create(builder, loc, size, rest);
    }
    auto loop = scf::ForOp::create(builder, loc, begin, end, step, carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar();
    if (numVectors == 1)
      first = arith::MinUIOp::create(builder, loc, first, last);
    SmallVector<Value> next(loop.getRegionIterArgs());
    for (int64_t i = 0; i < numVectors; ++i) {
      loops.back() = arith::AddIOp::create(builder, loc, first,
                                           constant(i * kExtremumLanes));
      next = extend(next, createElement(kExtremumLanes));
    }
    scf::YieldOp::create(builder, loc, next);
    begin = end;
    carried = llvm::to_vector_of<Value>(loop.getResults());
  }
  return carried;
}

/// Whether a choice is one of floats whose extremum is found from bits.
bool ReductionCarrier::skipsBlocks() {
  auto type = dyn_cast<FloatType>(choice->element.getType());
  return type && type.getWidth() <= 32;
}

/// Whether a block, which has all vectors, may have a better element.
Value ReductionCarrier::createBlockTest(Value begin, Value end, Value best) {
  loops.back() = begin;
  SmallVector<Value> start =
      createBitRange(builder, loc, createElement(kExtremumLanes)).getValues();
  auto loop =
      scf::ForOp::create(builder, loc, begin, end,
                         constant(kExtremumVectors * kExtremumLanes), start);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    BitRange range = BitRange::get(loop.getRegionIterArgs());
    for (int64_t i = 0; i < kExtremumVectors; ++i) {
      loops.back() = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                           constant(i * kExtremumLanes));
      range =
          extendBitRange(builder, loc, range, createElement(kExtremumLanes));
    }
    scf::YieldOp::create(builder, loc, range.getValues());
  }
  FloatType type = builder.getF32Type();
  BitRange range =
      reduceBitRange(builder, loc, BitRange::get(loop.getResults()));
  Value extremum =
      createExtremum(builder, loc, range, type, isOfLargest(*choice));
  if (best.getType() != type)
    best = arith::ExtFOp::create(builder, loc, type, best);
  return createMayBeBetter(builder, loc, *choice, extremum, best);
}

/// Goes over blocks, the last of which may overlap the one before, and looks
/// for the best element only in those that may have a better one than has been
/// found. A row of few blocks is one.
SmallVector<Value> ReductionCarrier::createBlocks(Value size,
                                                  ValueRange accumulators) {
  Value isLong =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, size,
                            constant(kMinBlocks * kChoiceBlock));
  Value block = arith::SelectOp::create(builder, loc, isLong,
                                        constant(kChoiceBlock), size);
  Value last = arith::SubIOp::create(builder, loc, size, block);
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), size, block, accumulators);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  Value begin =
      arith::MinUIOp::create(builder, loc, loop.getInductionVar(), last);
  Value end = arith::AddIOp::create(builder, loc, begin, block);
  auto test = scf::IfOp::create(builder, loc, builder.getI1Type(), isLong,
                                /*withElseRegion=*/true);
  auto lanes = scf::IfOp::create(builder, loc, carried.getTypes(),
                                 test.getResult(0), /*withElseRegion=*/true);
  scf::YieldOp::create(builder, loc, lanes.getResults());
  builder.setInsertionPointToStart(test.thenBlock());
  scf::YieldOp::create(builder, loc,
                       createBlockTest(begin, end, carried.front()));
  builder.setInsertionPointToStart(test.elseBlock());
  Value always = arith::ConstantIntOp::create(builder, loc, 1, 1);
  scf::YieldOp::create(builder, loc, always);
  builder.setInsertionPointToStart(lanes.thenBlock());
  scf::YieldOp::create(builder, loc, createLanes(begin, end, carried));
  builder.setInsertionPointToStart(lanes.elseBlock());
  scf::YieldOp::create(builder, loc, carried);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// The extremum of a row of doubles that has a vector of them at least, and of
/// what has been accumulated, and whether it is known.
std::pair<Value, Value> ReductionCarrier::createDoubles(Value size,
                                                        Value accumulator) {
  SmallVector<Value> lanes = createVectors(
      size,
      createDoubleRange(builder, loc, kExtremumLanes, extremum).getValues(),
      [&](ValueRange carried, Value element) {
        return extendDoubleRange(builder, loc, DoubleRange::get(carried),
                                 element, extremum)
            .getValues();
      });
  auto [best, isKnown] =
      createExtremum(builder, loc, DoubleRange::get(lanes), extremum);
  OperationState state(loc, extremum->getName(), {accumulator, best},
                       {best.getType()}, extremum->getAttrs());
  best = builder.create(state)->getResult(0);
  return {arith::SelectOp::create(builder, loc, isKnown, best, accumulator),
          isKnown};
}

/// The accumulators with one element more.
SmallVector<Value> ReductionCarrier::createNext(ValueRange accumulators) {
  if (!extremum)
    return createPoint(accumulators, 1, getNext());
  Value element = createElement(1);
  if (usesBits())
    return extendBitRange(builder, loc, BitRange::get(accumulators), element)
        .getValues();
  OperationState state(loc, extremum->getName(),
                       {accumulators.front(), element}, {element.getType()},
                       extremum->getAttrs());
  return {builder.create(state)->getResult(0)};
}

/// Takes what vectors can take of the last loop, if it is long enough for one:
/// joining their lanes takes longer than a few elements do. Returns where the
/// rest begins, and what has been accumulated.
std::pair<Value, SmallVector<Value>>
ReductionCarrier::createVectorized(Value size, ValueRange accumulators) {
  Value lanes = constant(choice ? choice->lanes : kExtremumLanes);
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                       size, lanes);
  SmallVector<Type> types(accumulators.getTypes());
  // Of doubles, whether all is known then; else all are taken once more.
  if (usesDoubles())
    types.push_back(builder.getI1Type());
  auto vectors =
      scf::IfOp::create(builder, loc, types, isLong, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(vectors.elseBlock());
  SmallVector<Value> yielded(accumulators);
  if (usesDoubles())
    yielded.push_back(isLong);
  scf::YieldOp::create(builder, loc, yielded);
  builder.setInsertionPointToStart(vectors.thenBlock());
  if (choice) {
    yielded = skipsBlocks() ? createBlocks(size, accumulators)
                            : createLanes(constant(0), size, accumulators);
  } else if (usesDoubles()) {
    auto [best, isKnown] = createDoubles(size, accumulators.front());
    yielded = {best, isKnown};
  } else {
    SmallVector<Value> carried;
    for (Value value : accumulators)
      carried.push_back(widen(value, kExtremumLanes));
    carried =
        createVectors(size, carried, [&](ValueRange values, Value element) {
          return extendBitRange(builder, loc, BitRange::get(values), element)
              .getValues();
        });
    yielded = reduceBitRange(builder, loc, BitRange::get(carried)).getValues();
  }
  scf::YieldOp::create(builder, loc, yielded);
  builder.setInsertionPointAfter(vectors);
  SmallVector<Value> results(vectors.getResults());
  Value isDone = usesDoubles() ? results.pop_back_val() : isLong;
  Value begin =
      arith::SelectOp::create(builder, loc, isDone, size, constant(0));
  return {begin, results};
}

/// The reductions from a loop on.
SmallVector<Value> ReductionCarrier::createLoops(unsigned number,
                                                 ValueRange accumulators) {
  if (number == op.getNumLoops())
    return createNext(accumulators);
  Value begin = constant(0), size = getSize(number);
  SmallVector<Value> carried(accumulators);
  bool hasVectors = choice || ((usesBits() || usesDoubles()) &&
                               hasLanes(op, Halves::Allowed));
  if (hasVectors && number + 1 == op.getNumLoops())
    std::tie(begin, carried) = createVectorized(size, accumulators);
  auto loop =
      scf::ForOp::create(builder, loc, begin, size, constant(1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  loops[number] = loop.getInductionVar();
  scf::YieldOp::create(builder, loc,
                       createLoops(number + 1, loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

/// Reads what is the same in all of a row.
void ReductionCarrier::loadRowInputs() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!argument.use_empty() && isSameInRow(op, *input))
      rowInputs[argument] = loadElement(*input, 1);
  }
}

/// Ends the loop whose elements are neutral from some index on there.
void ReductionCarrier::shortenLoop() {
  auto get = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    Value ofRow = argument ? rowInputs.lookup(argument) : Value();
    return ofRow ? ofRow : value;
  };
  Value size = createSize(builder, loc, get(end->end), getSize(end->loop));
  ranges[end->loop].size = size;
  for (const ClampedIndex &index : end->clamped)
    inside[index.op] =
        createIsInside(builder, loc, get(index.start), get(index.last), size);
}

/// Reduces one row, from what is in the outputs.
void ReductionCarrier::createRow() {
  loadRowInputs();
  if (end)
    shortenLoop();
  SmallVector<Value> accumulators;
  SmallVector<SmallVector<Value>> places;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    places.push_back(getIndices(output));
    accumulators.push_back(
        memref::LoadOp::create(builder, loc, output.get(), places.back()));
  }
  bool isHalf = extremum && accumulators.front().getType() != extremumType;
  if (isHalf)
    accumulators.front() =
        arith::ExtFOp::create(builder, loc, extremumType, accumulators.front());
  if (usesBits())
    accumulators =
        createBitRange(builder, loc, accumulators.front()).getValues();
  SmallVector<Value> results = createLoops(numParallel, accumulators);
  if (usesBits())
    results = {createExtremum(builder, loc, BitRange::get(results),
                              extremumType, extremum)};
  if (isHalf)
    results.front() = arith::TruncFOp::create(
        builder, loc, extremum->getResult(0).getType(), results.front());
  for (auto [output, place, result] :
       llvm::zip_equal(op.getDpsInits(), places, results))
    memref::StoreOp::create(builder, loc, result, output, place);
}

void ReductionCarrier::run() {
  LDBG() << "reduced in registers" << (choice ? ", by lanes" : "");
  if (numParallel == 0) {
    createRow();
    op.erase();
    return;
  }
  SmallVector<Value> sizes, zeros(numParallel, constant(0)),
      ones(numParallel, constant(1));
  for (unsigned loop = 0; loop < numParallel; ++loop)
    sizes.push_back(getSize(loop));
  auto rows = scf::ParallelOp::create(builder, loc, zeros, sizes, ones);
  builder.setInsertionPointToStart(rows.getBody());
  llvm::copy(rows.getInductionVars(), loops.begin());
  createRow();
  op.erase();
}

void tally::carryReductions(func::FuncOp function) {
  moveReductionsInside(function);
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (isRowReduction(op))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    ReductionCarrier(op).run();
}

namespace {
struct CarryReductionsPass
    : tally::impl::CarryReductionsBase<CarryReductionsPass> {
  void runOnOperation() override { tally::carryReductions(getOperation()); }
};
} // namespace
