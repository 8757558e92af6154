//===- TestHigherOrderOps.cpp - A dialect of somebody else ----------------===//

#include "TestHigherOrderOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "tally/Analysis/ElementRanges.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"
#include "tally/Interfaces/PlacementOpInterface.h"

#include "TestHigherOrderDialect.h.inc"

#define GET_OP_CLASSES
#include "TestHigherOrderOps.h.inc"

using namespace mlir;
using namespace test_hop;

#include "TestHigherOrderDialect.cpp.inc"

#define GET_OP_CLASSES
#include "TestHigherOrderOps.cpp.inc"

void TestHopDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestHigherOrderOps.cpp.inc"
      >();
}

static SmallVector<Value> addArguments(Region &region, ValueRange values) {
  SmallVector<Value> arguments;
  for (Value value : values)
    arguments.push_back(region.addArgument(value.getType(), value.getLoc()));
  return arguments;
}

/// Replaces the terminator of a body by one of another dialect.
template <typename OpT>
static void replaceYield(Block &body, PatternRewriter &rewriter) {
  Operation *yield = body.getTerminator();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<OpT>(yield, yield->getOperands());
}

//===----------------------------------------------------------------------===//
// RepeatOp
//===----------------------------------------------------------------------===//

SmallVector<Region *> RepeatOp::getSubgraphs() { return {&getBody()}; }

OperandRange RepeatOp::getSubgraphOperands(unsigned) {
  return getOperands().drop_front();
}

SmallVector<SmallVector<Value>> RepeatOp::appendCaptures(ValueRange captures) {
  getCapturedMutable().append(captures);
  return {addArguments(getBody(), captures)};
}

tally::ResultJoin RepeatOp::getResultJoin() { return tally::ResultJoin::Loop; }

std::optional<SmallVector<tally::CarriedValue>> RepeatOp::getCarriedValues() {
  Block &body = getBody().front();
  SmallVector<tally::CarriedValue> carried;
  for (auto [index, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    carried.push_back(
        {static_cast<unsigned>(1 + index), body.getArgument(index), yielded});
  return carried;
}

void RepeatOp::inferSymbolicShapes(tally::SymbolicShapes &) {}

tally::symbolic::Expr
RepeatOp::getRegionCondition(unsigned, tally::SymbolicShapes &shapes) {
  return shapes.getContext().lt(shapes.getContext().zero(),
                                shapes.getValue(getCount()));
}

LogicalResult RepeatOp::lowerToControlFlow(PatternRewriter &rewriter) {
  Location loc = getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop =
      scf::ForOp::create(rewriter, loc, zero, getCount(), one, getInitial());
  SmallVector<Value> arguments(loop.getRegionIterArgs());
  llvm::append_range(arguments, getCaptured());
  replaceYield<scf::YieldOp>(getBody().front(), rewriter);
  rewriter.mergeBlocks(&getBody().front(), loop.getBody(), arguments);
  rewriter.replaceOp(*this, loop);
  return success();
}

//===----------------------------------------------------------------------===//
// RoundsOp
//===----------------------------------------------------------------------===//

SmallVector<Region *> RoundsOp::getLoopRegions() { return {&getBody()}; }

MutableArrayRef<OpOperand> RoundsOp::getInitsMutable() {
  return getInitialMutable();
}

Block::BlockArgListType RoundsOp::getRegionIterArgs() {
  return getBody().getArguments().slice(1, getInitial().size());
}

std::optional<MutableArrayRef<OpOperand>> RoundsOp::getYieldedValuesMutable() {
  if (getHides())
    return std::nullopt;
  return getBody().front().getTerminator()->getOpOperands();
}

SmallVector<Region *> RoundsOp::getSubgraphs() { return {&getBody()}; }

OperandRange RoundsOp::getSubgraphOperands(unsigned) {
  return getOperation()->getOperands();
}

SmallVector<SmallVector<Value>> RoundsOp::appendCaptures(ValueRange captures) {
  getCapturedMutable().append(captures);
  return {addArguments(getBody(), captures)};
}

tally::ResultJoin RoundsOp::getResultJoin() { return tally::ResultJoin::Loop; }

//===----------------------------------------------------------------------===//
// PickOp
//===----------------------------------------------------------------------===//

namespace {
struct PickModel
    : public tally::HigherOrderOpInterface::ExternalModel<PickModel, PickOp> {
  SmallVector<Region *> getSubgraphs(Operation *op) const {
    return {&op->getRegion(0), &op->getRegion(1)};
  }
  OperandRange getSubgraphOperands(Operation *op, unsigned) const {
    return cast<PickOp>(op).getInputs();
  }
  SmallVector<SmallVector<Value>> appendCaptures(Operation *op,
                                                 ValueRange captures) const {
    auto pick = cast<PickOp>(op);
    pick.getInputsMutable().append(captures);
    return {addArguments(pick.getZero(), captures),
            addArguments(pick.getOther(), captures)};
  }
  tally::ResultJoin getResultJoin(Operation *) const {
    return tally::ResultJoin::Branches;
  }
  // To another higher-order operation, which is lowered in turn.
  LogicalResult lowerToControlFlow(Operation *op,
                                   PatternRewriter &rewriter) const {
    auto pick = cast<PickOp>(op);
    Location loc = op->getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value isZero = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, pick.getWhich(), zero);
    auto cond =
        tally::CondOp::create(rewriter, loc, op->getResultTypes(), isZero,
                              pick.getInputs(), tally::BindingsAttr());
    for (unsigned i : {0u, 1u}) {
      replaceYield<tally::YieldOp>(op->getRegion(i).front(), rewriter);
      rewriter.inlineRegionBefore(op->getRegion(i), cond->getRegion(i),
                                  cond->getRegion(i).end());
    }
    rewriter.replaceOp(op, cond);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// OpaqueOp
//===----------------------------------------------------------------------===//

SmallVector<Region *> OpaqueOp::getSubgraphs() { return {&getBody()}; }

OperandRange OpaqueOp::getSubgraphOperands(unsigned) {
  return getOperation()->getOperands();
}

SmallVector<SmallVector<Value>> OpaqueOp::appendCaptures(ValueRange) {
  return {};
}

tally::ResultJoin OpaqueOp::getResultJoin() { return tally::ResultJoin::Call; }

//===----------------------------------------------------------------------===//
// WhenOp, AgainOp, GoOnOp, DuringOp
//===----------------------------------------------------------------------===//

void WhenOp::getSuccessorRegions(RegionBranchPoint point,
                                 SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent())
    return regions.push_back(RegionSuccessor(getOperation(), getResults()));
  regions.push_back(RegionSuccessor(&getYes()));
  regions.push_back(RegionSuccessor(&getNo()));
}

void WhenOp::getEntrySuccessorRegions(
    ArrayRef<Attribute> operands, SmallVectorImpl<RegionSuccessor> &regions) {
  auto flag = dyn_cast_or_null<BoolAttr>(operands.front());
  if (!flag || flag.getValue())
    regions.push_back(RegionSuccessor(&getYes()));
  if (!flag || !flag.getValue())
    regions.push_back(RegionSuccessor(&getNo()));
}

void AgainOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  regions.push_back(RegionSuccessor(&getBody(), getBody().getArguments()));
  if (!point.isParent())
    regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

OperandRange AgainOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInitial();
}

MutableOperandRange GoOnOp::getMutableSuccessorOperands(RegionSuccessor) {
  return getPassedMutable();
}

void GoOnOp::getSuccessorRegions(ArrayRef<Attribute> operands,
                                 SmallVectorImpl<RegionSuccessor> &regions) {
  cast<RegionBranchOpInterface>((*this)->getParentOp())
      .getSuccessorRegions(
          RegionBranchPoint(
              cast<RegionBranchTerminatorOpInterface>(getOperation())),
          regions);
  if (auto flag = dyn_cast_or_null<BoolAttr>(operands.front()))
    llvm::erase_if(regions, [&](const RegionSuccessor &successor) {
      return successor.isParent() == flag.getValue();
    });
}

void DuringOp::getSuccessorRegions(RegionBranchPoint point,
                                   SmallVectorImpl<RegionSuccessor> &regions) {
  Operation *from = point.getTerminatorPredecessorOrNull();
  if (!from || from->getParentRegion() == &getBody())
    return regions.push_back(
        RegionSuccessor(&getCheck(), getCheck().getArguments()));
  regions.push_back(RegionSuccessor(&getBody(), getBody().getArguments()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

OperandRange DuringOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInitial();
}

//===----------------------------------------------------------------------===//
// CountOp
//===----------------------------------------------------------------------===//

SmallVector<Region *> CountOp::getLoopRegions() { return {&getBody()}; }

MutableArrayRef<OpOperand> CountOp::getInitsMutable() {
  return getInitialMutable();
}

Block::BlockArgListType CountOp::getRegionIterArgs() {
  return getBody().getArguments().drop_front();
}

std::optional<MutableArrayRef<OpOperand>> CountOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

std::optional<SmallVector<Value>> CountOp::getLoopInductionVars() {
  return SmallVector<Value>{getBody().getArgument(0)};
}

std::optional<SmallVector<OpFoldResult>> CountOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getLower()};
}

std::optional<SmallVector<OpFoldResult>> CountOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getUpper()};
}

std::optional<SmallVector<OpFoldResult>> CountOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getStep()};
}

//===----------------------------------------------------------------------===//
// AppendOp
//===----------------------------------------------------------------------===//

void AppendOp::inferSymbolicShapes(tally::SymbolicShapes &shapes) {
  tally::symbolic::Expr sum = shapes.getContext().zero();
  for (Value input : getInputs())
    sum = shapes.getContext().add(sum, shapes.getDim(input, 0));
  shapes.setDim(getResult(), 0, sum);
}

//===----------------------------------------------------------------------===//
// IncrementOp, LaunchOp
//===----------------------------------------------------------------------===//

tally::Placement IncrementOp::getPlacement() {
  return tally::Placement::Thread;
}

tally::Placement LaunchOp::getPlacement() { return tally::Placement::Host; }

//===----------------------------------------------------------------------===//
// TopPositionsOp, RollOp
//===----------------------------------------------------------------------===//

tally::ElementRange
TopPositionsOp::inferElementRange(unsigned, tally::ElementRanges &ranges) {
  return ranges.getPositions(getInput(), 0);
}

namespace {
struct RollModel
    : tally::ElementRangeOpInterface::ExternalModel<RollModel, RollOp> {
  tally::ElementRange inferElementRange(Operation *, unsigned,
                                        tally::ElementRanges &ranges) const {
    return ranges.getConstant(0, 5);
  }
};
} // namespace

void test_hop::registerTestHigherOrderDialect(DialectRegistry &registry) {
  registry.insert<TestHopDialect>();
  registry.addExtension(+[](MLIRContext *context, TestHopDialect *) {
    PickOp::attachInterface<PickModel>(*context);
    RollOp::attachInterface<RollModel>(*context);
    context->loadDialect<arith::ArithDialect, scf::SCFDialect,
                         tally::TallyDialect>();
  });
}

//===----------------------------------------------------------------------===//
// DefinitionOp
//===----------------------------------------------------------------------===//

void DefinitionOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getBindingsAttr())
    effects.emplace_back(MemoryEffects::Write::get(),
                         tally::SymbolResource::get());
}
