//===- VectorizeLoops.cpp - Several iterations of a loop at once ----------===//
//
// See the description of the pass in Passes.td. A lane is one iteration of the
// last of the parallel loops. What differs between lanes is a vector; the rest
// is computed once for all of them, sizes of inner loops among it.
//
//===----------------------------------------------------------------------===//

#include "Common/FloatBuilder.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "LaneAnalysis.h"
#include "LaneDivision.h"
#include "LaneRanges.h"
#include "RowScans.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_VECTORIZELOOPS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-vectorize-loops"

using namespace mlir;
using namespace tally::codegen;

/// The points of a loop of one dimension that a thread takes at once.
static constexpr int64_t kPart = 4096;

namespace {

/// Writes the loops that take the place of one.
class LoopVectorizer {
public:
  LoopVectorizer(scf::ParallelOp loop, const LaneAnalysis &lanes)
      : loop(loop), analysis(lanes), builder(loop), loc(loop.getLoc()) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value widen(Value value);
  Value get(const IRMapping &map, Value value) {
    return value == at.back() ? getSteps(map.lookup(value))
                              : widen(map.lookupOrDefault(value));
  }
  Value both(Value left, Value right) {
    return left ? arith::AndIOp::create(builder, loc, left, right) : right;
  }
  Value getSteps(Value first);
  Value createLanes(Value begin, Value end, int64_t count);
  void createScalars(Value begin, Value end);
  void emit(Block *block, IRMapping &map);
  void emitOp(Operation &op, IRMapping &map);
  void emitLoop(scf::ForOp inner, IRMapping &map);
  void emitWhile(scf::WhileOp inner, IRMapping &map);
  void emitWhileCondition(scf::WhileOp inner, scf::WhileOp made, IRMapping map);
  void emitWhileBody(scf::WhileOp inner, scf::WhileOp made, IRMapping map);
  void emitDivision(Operation &op, Value dividend, Value divisor,
                    IRMapping &map);
  void emitStore(memref::StoreOp store, const IRMapping &map);

  scf::ParallelOp loop;
  const LaneAnalysis &analysis;
  OpBuilder builder;
  Location loc;
  int64_t numLanes = 0;
  /// The outer dimensions.
  SmallVector<Value> at;
  /// Whether lanes can be taken as vectors, of what says so; and what is
  /// written then.
  Value allowed;
  /// The lanes that are still in the `while` whose body is emitted; null
  /// outside.
  Value active;
  SmallVector<memref::StoreOp> stores;
};

} // namespace

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value LoopVectorizer::widen(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(numLanes, value.getType()), value);
}

/// The indices of the lanes.
Value LoopVectorizer::getSteps(Value first) {
  auto type = VectorType::get(numLanes, builder.getIndexType());
  SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, numLanes));
  Value offsets = arith::ConstantOp::create(
      builder, loc, DenseIntElementsAttr::get(type, steps));
  return arith::AddIOp::create(builder, loc, widen(first), offsets);
}

void LoopVectorizer::emitStore(memref::StoreOp store, const IRMapping &map) {
  SmallVector<Value> indices;
  for (Value index : store.getIndices().drop_back())
    indices.push_back(map.lookupOrDefault(index));
  indices.push_back(map.lookup(at.back()));
  vector::StoreOp::create(builder, loc, get(map, store.getValue()),
                          store.getMemRef(), indices);
}

void LoopVectorizer::emitLoop(scf::ForOp inner, IRMapping &map) {
  SmallVector<Value> inits;
  for (auto [init, argument] :
       llvm::zip_equal(inner.getInitArgs(), inner.getRegionIterArgs())) {
    Value value = map.lookupOrDefault(init);
    inits.push_back(analysis.isVarying(argument) ? widen(value) : value);
  }
  auto made = scf::ForOp::create(builder, loc,
                                 map.lookupOrDefault(inner.getLowerBound()),
                                 map.lookupOrDefault(inner.getUpperBound()),
                                 map.lookupOrDefault(inner.getStep()), inits);
  map.map(inner.getInductionVar(), made.getInductionVar());
  map.map(inner.getRegionIterArgs(), made.getRegionIterArgs());
  map.map(inner.getResults(), made.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(made.getBody());
  emit(inner.getBody(), map);
  SmallVector<Value> next;
  for (auto [value, argument] :
       llvm::zip_equal(inner.getBody()->getTerminator()->getOperands(),
                       inner.getRegionIterArgs())) {
    Value mapped = map.lookupOrDefault(value);
    next.push_back(analysis.isVarying(argument) ? widen(mapped) : mapped);
  }
  // A loop that carries nothing has a terminator already.
  if (!next.empty())
    scf::YieldOp::create(builder, loc, next);
}

/// Whether some lane goes on. What the loop's body gets follows: the arguments
/// of the condition, the values before it, the lanes that go on, and whether
/// all has been exact.
void LoopVectorizer::emitWhileCondition(scf::WhileOp inner, scf::WhileOp made,
                                        IRMapping map) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(made.getBeforeBody());
  ValueRange carried = made.getBeforeArguments().drop_back(2);
  Value before = made.getBeforeArguments().drop_back().back(),
        isExact = made.getBeforeArguments().back();
  map.map(inner.getBeforeArguments(), carried);
  emit(inner.getBeforeBody(), map);
  scf::ConditionOp condition = inner.getConditionOp();
  Value goesOn = both(before, get(map, condition.getCondition()));
  SmallVector<Value> values;
  for (Value value : condition.getArgs())
    values.push_back(get(map, value));
  llvm::append_range(values, carried);
  values.append({goesOn, isExact});
  Value some = vector::ReductionOp::create(builder, loc,
                                           vector::CombiningKind::OR, goesOn);
  scf::ConditionOp::create(builder, loc, both(some, isExact), values);
}

/// A step of the lanes that go on; the others keep what they have.
void LoopVectorizer::emitWhileBody(scf::WhileOp inner, scf::WhileOp made,
                                   IRMapping map) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(made.getAfterBody());
  ValueRange values = made.getAfterArguments();
  size_t count = inner.getAfterArguments().size();
  map.map(inner.getAfterArguments(), values.take_front(count));
  active = values.drop_back().back();
  allowed = values.back();
  emit(inner.getAfterBody(), map);
  SmallVector<Value> next;
  for (auto [value, kept] :
       llvm::zip_equal(inner.getYieldOp().getOperands(),
                       values.drop_front(count).drop_back(2)))
    next.push_back(
        arith::SelectOp::create(builder, loc, active, get(map, value), kept));
  next.append({active, allowed});
  scf::YieldOp::create(builder, loc, next);
}

/// Goes on while a lane does, and while divisions are exact: the results of
/// others may be wrong.
void LoopVectorizer::emitWhile(scf::WhileOp inner, IRMapping &map) {
  SmallVector<Value> inits;
  for (Value init : inner.getInits())
    inits.push_back(get(map, init));
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  SmallVector<Type> types;
  for (Type type : inner.getResultTypes())
    types.push_back(VectorType::get(numLanes, type));
  llvm::append_range(types, ValueRange(inits).getTypes());
  inits.append({widen(yes), yes});
  types.append({inits[inits.size() - 2].getType(), yes.getType()});
  auto made = scf::WhileOp::create(builder, loc, types, inits);
  for (Region &region : made->getRegions()) {
    ValueRange starts =
        &region == &made.getBefore() ? ValueRange(inits) : made.getResults();
    SmallVector<Location> places(starts.size(), loc);
    builder.createBlock(&region, {}, starts.getTypes(), places);
  }
  builder.setInsertionPointAfter(made);
  Value outside = std::exchange(allowed, {});
  emitWhileCondition(inner, made, map);
  emitWhileBody(inner, made, map);
  active = {};
  map.map(inner.getResults(),
          made.getResults().take_front(inner.getNumResults()));
  allowed = both(outside, made.getResults().back());
}

/// Divides the lanes of a `while` that go on by what they have, others by 1.
void LoopVectorizer::emitDivision(Operation &op, Value dividend, Value divisor,
                                  IRMapping &map) {
  if (active) {
    auto select = [&](Value value, int64_t otherwise) -> Value {
      auto type = cast<VectorType>(value.getType());
      auto splat = DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(), otherwise));
      Value other = arith::ConstantOp::create(builder, loc, splat);
      return arith::SelectOp::create(builder, loc, active, value, other);
    };
    dividend = select(dividend, 0);
    divisor = select(divisor, 1);
  }
  LaneDivision division = createLaneDivision(builder, &op, dividend, divisor);
  map.map(op.getResult(0), division.result);
  allowed = both(allowed, division.isExact);
}

void LoopVectorizer::emitOp(Operation &op, IRMapping &map) {
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return emitLoop(inner, map);
  if (auto inner = dyn_cast<scf::WhileOp>(op))
    return emitWhile(inner, map);
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    // Where lanes may not be taken as vectors after all, nothing is written.
    if (analysis.hasInnerLoops())
      return emitStore(store, map);
    stores.push_back(store);
    return;
  }
  if (op.getNumResults() != 1 || !analysis.isVarying(op.getResult(0))) {
    builder.clone(op, map);
    return;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices().drop_back())
      indices.push_back(map.lookupOrDefault(index));
    indices.push_back(map.lookup(at.back()));
    map.map(load.getResult(),
            vector::LoadOp::create(builder, loc,
                                   VectorType::get(numLanes, load.getType()),
                                   load.getMemRef(), indices)
                .getResult());
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(get(map, operand));
  if (isIntegerDivision(&op))
    return emitDivision(op, operands[0], operands[1], map);
  if (hasFastRange(&op)) {
    map.map(op.getResult(0), createByRange(builder, &op, operands));
    return;
  }
  OperationState state(op.getLoc(), op.getName(), operands,
                       {VectorType::get(numLanes, op.getResult(0).getType())},
                       op.getAttrs());
  map.map(op.getResult(0), builder.create(state)->getResult(0));
}

void LoopVectorizer::emit(Block *block, IRMapping &map) {
  for (Operation &op : block->without_terminator())
    emitOp(op, map);
}

/// A loop over vectors of lanes; returns where it ends.
Value LoopVectorizer::createLanes(Value begin, Value end, int64_t count) {
  numLanes = count;
  Value size = arith::SubIOp::create(builder, loc, end, begin);
  Value rest = arith::RemUIOp::create(builder, loc, size, constant(count));
  Value last = arith::SubIOp::create(builder, loc, end, rest);
  auto lanes = scf::ForOp::create(builder, loc, begin, last, constant(count));
  markIndependent(lanes);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(lanes.getBody());
  IRMapping map;
  map.map(ValueRange(loop.getInductionVars()).drop_back(),
          ValueRange(at).drop_back());
  map.map(loop.getInductionVars().back(), lanes.getInductionVar());
  at.back() = loop.getInductionVars().back();
  stores.clear();
  allowed = {};
  emit(loop.getBody(), map);
  if (!allowed) {
    for (memref::StoreOp store : stores)
      emitStore(store, map);
    return last;
  }
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), allowed,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  for (memref::StoreOp store : stores)
    emitStore(store, map);
  builder.setInsertionPointToStart(choice.elseBlock());
  Value first = lanes.getInductionVar();
  createScalars(first,
                arith::AddIOp::create(builder, loc, first, constant(count)));
  return last;
}

/// A loop over iterations that are taken one by one.
void LoopVectorizer::createScalars(Value begin, Value end) {
  auto rest = scf::ForOp::create(builder, loc, begin, end, constant(1));
  markIndependent(rest);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(rest.getBody());
  IRMapping map;
  map.map(ValueRange(loop.getInductionVars()).drop_back(),
          ValueRange(at).drop_back());
  map.map(loop.getInductionVars().back(), rest.getInductionVar());
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, map);
}

void LoopVectorizer::run() {
  int64_t lanes = analysis.getNumLanes();
  // Lanes of an inner loop are taken by the iterations; a loop without one is
  // cut into parts.
  int64_t part = analysis.hasInnerLoops() ? lanes : kPart;
  SmallVector<Value> steps(loop.getStep());
  steps.back() = constant(part);
  auto parts = scf::ParallelOp::create(builder, loc, loop.getLowerBound(),
                                       loop.getUpperBound(), steps);
  if (!analysis.hasInnerLoops())
    parts->setAttr(tally::attr_names::kPoints, builder.getIndexAttr(part));
  builder.setInsertionPointToStart(parts.getBody());
  at = SmallVector<Value>(parts.getInductionVars());
  Value begin = at.back();
  Value end = arith::AddIOp::create(builder, loc, begin, constant(part));
  end = arith::MinSIOp::create(builder, loc, end, loop.getUpperBound().back());
  begin = createLanes(begin, end, lanes);
  // Lines of an image may have fewer elements than there are lanes.
  for (int64_t fewer : {2 * kFewLanes, kFewLanes})
    if (fewer < lanes)
      begin = createLanes(begin, end, fewer);
  createScalars(begin, end);
  loop.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void tally::vectorizeLoops(func::FuncOp function) {
  SmallVector<scf::ParallelOp> loops;
  function.walk([&](scf::ParallelOp loop) { loops.push_back(loop); });
  for (scf::ParallelOp loop : loops) {
    LaneAnalysis lanes(loop);
    if (lanes.run()) {
      LDBG() << describeLastPart(loop) << ": by " << lanes.getNumLanes()
             << " lanes";
      LoopVectorizer(loop, lanes).run();
      continue;
    }
    if (loop.getNumResults() != 0 || loop->getParentOfType<scf::ParallelOp>() ||
        getConstantIntValue(loop.getStep().back()) != 1)
      continue;
    if (scf::ForOp scan = findScan(loop)) {
      LDBG() << describeLastPart(loop) << ": " << kScannedRows
             << " rows at once";
      scanRows(loop, scan);
    }
  }
}

namespace {
struct VectorizeLoopsPass
    : tally::impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  void runOnOperation() override { tally::vectorizeLoops(getOperation()); }
};
} // namespace
