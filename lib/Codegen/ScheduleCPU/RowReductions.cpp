//===- RowReductions.cpp - Reductions in the inner loops ------------------===//

#include "RowReductions.h"

#include "Combiners.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally::codegen;

bool tally::codegen::isRowReduction(linalg::GenericOp op) {
  unsigned numParallel = op.getNumParallelLoops();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto isParallel = [](utils::IteratorType type) {
    return type == utils::IteratorType::parallel;
  };
  if (!op.hasPureBufferSemantics() || op.getNumReductionLoops() == 0 ||
      !llvm::all_of(ArrayRef(iterators).take_front(numParallel), isParallel))
    return false;
  for (Operation &inner : op.getBody()->without_terminator())
    if (inner.getNumRegions() != 0)
      return false;
  return llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return llvm::is_contained(op.getDpsInits(), input->get());
  });
}

bool tally::codegen::isSameInRow(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (unsigned loop = op.getNumParallelLoops(); loop < op.getNumLoops();
       ++loop)
    if (map.isFunctionOfDim(loop))
      return false;
  return true;
}

/// Whether a value of the body is the same in all of the reduction loops.
static bool isOfRow(linalg::GenericOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == op.getBody())
      return argument.getArgNumber() < op.getNumDpsInputs() &&
             isSameInRow(op, *op.getMatchingOpOperand(argument));
  return value.getParentRegion() != &op.getRegion();
}

/// Whether combining a constant changes nothing. Only a sum that may be
/// reordered does not keep the sign of a zero, which 0.0 changes.
static bool isNeutral(const Combiner &combiner, Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  auto sum = dyn_cast<arith::AddFOp>(combiner.op);
  if (!sum)
    return constant == combiner.neutral;
  bool isReordered =
      bitEnumContainsAll(sum.getFastmath(), arith::FastMathFlags::reassoc);
  return matchPattern(value, m_NegZeroFloat()) ||
         (isReordered && matchPattern(value, m_AnyZeroFloat()));
}

/// The reduction loop whose index a value is.
static std::optional<unsigned> findLoop(linalg::GenericOp op, Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getType().isInteger(64))
    index = cast.getIn();
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop || loop.getDim() < op.getNumParallelLoops())
    return std::nullopt;
  return unsigned(loop.getDim());
}

static std::optional<ClampedIndex>
matchClamped(linalg::GenericOp op, arith::MaxSIOp max, unsigned loop) {
  auto min = max.getLhs().getDefiningOp<arith::MinSIOp>();
  if (!min || !isZeroInteger(max.getRhs()) || !isOfRow(op, min.getRhs()))
    return std::nullopt;
  auto sum = min.getLhs().getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  Value start = sum.getLhs(), index = sum.getRhs();
  if (!isOfRow(op, start))
    std::swap(start, index);
  if (!isOfRow(op, start) || findLoop(op, index) != loop)
    return std::nullopt;
  return ClampedIndex{max, start, min.getRhs()};
}

std::optional<ReductionEnd> tally::codegen::findEnd(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<Combiner> combiner = findCombiner(op);
  if (!combiner)
    return std::nullopt;
  bool isFirst = combiner->op->getOperand(0) == op.getRegionOutputArgs()[0];
  auto choice =
      combiner->op->getOperand(isFirst).getDefiningOp<arith::SelectOp>();
  if (!choice || choice->getBlock() != op.getBody() ||
      !isNeutral(*combiner, choice.getFalseValue()))
    return std::nullopt;
  auto test = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!test || test.getPredicate() != arith::CmpIPredicate::slt ||
      !isOfRow(op, test.getRhs()))
    return std::nullopt;
  std::optional<unsigned> loop = findLoop(op, test.getLhs());
  if (!loop)
    return std::nullopt;
  ReductionEnd end{*loop, test.getRhs(), choice, {}};
  for (auto max : op.getBody()->getOps<arith::MaxSIOp>())
    if (std::optional<ClampedIndex> clamped = matchClamped(op, max, *loop))
      end.clamped.push_back(*clamped);
  return end;
}

Value tally::codegen::createSize(OpBuilder &builder, Location loc, Value end,
                                 Value size) {
  if (!end.getType().isIndex())
    end = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), end);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  end = arith::MaxSIOp::create(builder, loc, end, zero);
  return arith::MinSIOp::create(builder, loc, end, size);
}

Value tally::codegen::createIsInside(OpBuilder &builder, Location loc,
                                     Value start, Value last, Value size) {
  Type type = start.getType();
  if (!type.isIndex())
    size = arith::IndexCastOp::create(builder, loc, type, size);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  auto isAtMost = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, a, b);
  };
  // With neither of them negative, the difference does not overflow.
  Value behind = arith::SubIOp::create(builder, loc, last, start);
  Value areNumbers = arith::AndIOp::create(builder, loc, isAtMost(zero, start),
                                           isAtMost(zero, last));
  // The last index is that of `size - 1`.
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 1));
  Value ahead = arith::SubIOp::create(builder, loc, size, one);
  return arith::AndIOp::create(builder, loc, areNumbers,
                               isAtMost(ahead, behind));
}
