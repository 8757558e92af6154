//===- ElementRangeModels.cpp - Ranges of elements, by operation ----------===//
//
// Arithmetic on scalars in a body and on whole tensors is the same: what is
// true of each pair of elements is true of the operation. Where a result may
// leave its type, as arithmetic that wraps around and casts that cut bits off
// do, the range is that of the type.
//
//===----------------------------------------------------------------------===//

#include "../ElementRangesImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/Models/RegisterModels.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {

/// The base of a model for `OpT`: `compute(op, result, ranges)`.
template <typename OpT, ElementRange (*compute)(OpT, unsigned, ElementRanges &)>
struct RangeOf
    : public ElementRangeOpInterface::ExternalModel<RangeOf<OpT, compute>,
                                                    OpT> {
  ElementRange inferElementRange(Operation *op, unsigned result,
                                 ElementRanges &ranges) const {
    return compute(cast<OpT>(op), result, ranges);
  }
};

template <typename OpT, ElementRange (*compute)(OpT, unsigned, ElementRanges &)>
void attach(MLIRContext *context) {
  OpT::template attachInterface<RangeOf<OpT, compute>>(*context);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The ranges of two operands, both ends of both known; or that of a type.
struct Pair {
  template <typename OpT>
  Pair(OpT op, ElementRanges &ranges)
      : a(ranges.get(op->getOperand(0))), b(ranges.get(op->getOperand(1))),
        ranges(ranges), context(ranges.getShapes().getContext()) {}

  bool areBounded() const { return a.lower && a.upper && b.lower && b.upper; }
  bool areNatural() const {
    return ranges.isAtLeast(a, 0) && ranges.isAtLeast(b, 0);
  }
  bool isDivisorPositive() const { return ranges.isAtLeast(b, 1); }

  ElementRange a, b;
  ElementRanges &ranges;
  symbolic::ExprContext &context;
};

template <typename OpT>
ElementRange addRange(OpT op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (!x.areBounded())
    return {};
  return ranges.fit({x.context.add(x.a.lower, x.b.lower),
                     x.context.add(x.a.upper, x.b.upper)},
                    op.getType());
}

template <typename OpT>
ElementRange subRange(OpT op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (!x.areBounded())
    return {};
  return ranges.fit({x.context.sub(x.a.lower, x.b.upper),
                     x.context.sub(x.a.upper, x.b.lower)},
                    op.getType());
}

template <typename OpT>
ElementRange mulRange(OpT op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (!x.areBounded())
    return {};
  symbolic::ExprContext &context = x.context;
  if (x.areNatural())
    return ranges.fit(
        {context.mul(x.a.lower, x.b.lower), context.mul(x.a.upper, x.b.upper)},
        op.getType());
  // The extremes are among the products of the ends.
  SmallVector<Expr> products;
  for (Expr a : {x.a.lower, x.a.upper})
    for (Expr b : {x.b.lower, x.b.upper})
      products.push_back(context.mul(a, b));
  ElementRange range{products[0], products[0]};
  for (Expr product : ArrayRef(products).drop_front())
    range = ranges.unite(range, {product, product});
  return ranges.fit(range, op.getType());
}

/// Quotients of numbers that are not negative, and of others where rounding
/// goes down.
template <typename OpT>
ElementRange divRange(OpT op, unsigned, ElementRanges &ranges) {
  constexpr bool roundsDown = std::is_same_v<OpT, arith::FloorDivSIOp>;
  constexpr bool isUnsigned = std::is_same_v<OpT, arith::DivUIOp>;
  Pair x(op, ranges);
  if (!x.isDivisorPositive() || !x.areBounded())
    return {};
  symbolic::ExprContext &context = x.context;
  if (ranges.isAtLeast(x.a, 0))
    return {context.floorDiv(x.a.lower, x.b.upper),
            context.floorDiv(x.a.upper, x.b.lower)};
  if (isUnsigned)
    return {};
  if (roundsDown && x.b.lower == x.b.upper)
    return {context.floorDiv(x.a.lower, x.b.lower),
            context.floorDiv(x.a.upper, x.b.lower)};
  // A quotient is no further from zero than what is divided.
  return {ranges.getMin(x.a.lower, context.zero()),
          ranges.getMax(x.a.upper, context.zero())};
}

/// The remainder has the sign of what is divided.
template <typename OpT>
ElementRange remRange(OpT op, unsigned, ElementRanges &ranges) {
  constexpr bool isUnsigned = std::is_same_v<OpT, arith::RemUIOp>;
  Pair x(op, ranges);
  if (!x.isDivisorPositive() || !x.b.upper)
    return {};
  symbolic::ExprContext &context = x.context;
  Expr last = context.sub(x.b.upper, context.one());
  if (isUnsigned || ranges.isAtLeast(x.a, 0)) {
    bool isShorter = x.a.upper && ranges.isAtLeast(x.a, 0) &&
                     ranges.isKnown(context.le(x.a.upper, last));
    return {context.zero(), isShorter ? x.a.upper : last};
  }
  return {context.neg(last), last};
}

template <typename OpT>
ElementRange maxRange(OpT op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (std::is_same_v<OpT, arith::MaxUIOp> && !x.areNatural())
    return {};
  return {ranges.intersect({x.a.lower, {}}, {x.b.lower, {}}).lower,
          ranges.getMax(x.a.upper, x.b.upper)};
}

template <typename OpT>
ElementRange minRange(OpT op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  bool isUnsigned = std::is_same_v<OpT, arith::MinUIOp>;
  if (isUnsigned && !x.areNatural()) {
    // Seen as unsigned, a negative number is above every other one.
    for (const ElementRange &side : {x.a, x.b})
      if (ranges.isAtLeast(side, 0))
        return {x.context.zero(), side.upper};
    return {};
  }
  return {ranges.getMin(x.a.lower, x.b.lower),
          ranges.intersect({{}, x.a.upper}, {{}, x.b.upper}).upper};
}

/// Of i1 it is the lesser one; of numbers a part of the bits of one that is not
/// negative.
ElementRange andRange(arith::AndIOp op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (getElementTypeOrSelf(op.getType()).isInteger(1))
    return {ranges.getMin(x.a.lower, x.b.lower),
            ranges.intersect({{}, x.a.upper}, {{}, x.b.upper}).upper};
  ElementRange range;
  for (const ElementRange &side : {x.a, x.b})
    if (ranges.isAtLeast(side, 0))
      range = ranges.intersect(range, {x.context.zero(), side.upper});
  return range;
}

ElementRange orRange(arith::OrIOp op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (!getElementTypeOrSelf(op.getType()).isInteger(1))
    return {};
  return {ranges.intersect({x.a.lower, {}}, {x.b.lower, {}}).lower,
          ranges.getMax(x.a.upper, x.b.upper)};
}

/// Of i1 whether they differ.
ElementRange xorRange(arith::XOrIOp op, unsigned, ElementRanges &ranges) {
  Pair x(op, ranges);
  if (!getElementTypeOrSelf(op.getType()).isInteger(1) || !x.areBounded())
    return {};
  for (auto [known, other] : {std::pair(x.a, x.b), std::pair(x.b, x.a)}) {
    if (known.upper.isConstant(0))
      return other;
    if (known.lower.isConstant(1))
      return {x.context.sub(x.context.one(), other.upper),
              x.context.sub(x.context.one(), other.lower)};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Constants and casts
//===----------------------------------------------------------------------===//

ElementRange constantRange(arith::ConstantOp op, unsigned,
                           ElementRanges &ranges) {
  auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue());
  constexpr int64_t maxElements = 1 << 16;
  if (!dense || dense.empty() ||
      (!dense.isSplat() && dense.getNumElements() > maxElements))
    return {};
  auto bits = *dense.value_begin<APInt>();
  if (bits.getBitWidth() > 64)
    return {};
  bool isBoolean = bits.getBitWidth() == 1;
  auto read = [&](const APInt &element) {
    return isBoolean ? static_cast<int64_t>(element.getZExtValue())
                     : element.getSExtValue();
  };
  int64_t least = read(bits), greatest = least;
  if (!dense.isSplat())
    for (const APInt &element : dense.getValues<APInt>()) {
      least = std::min(least, read(element));
      greatest = std::max(greatest, read(element));
    }
  return ranges.getConstant(least, greatest);
}

/// The range that a constant of a data file states of its elements.
ElementRange dataConstantRange(tally::ConstantOp op, unsigned,
                               ElementRanges &ranges) {
  std::optional<ArrayRef<int64_t>> range = op.getRange();
  return range ? ranges.getConstant(range->front(), range->back())
               : ElementRange();
}

/// Sign extension and truncation: the number stays, or bits are cut off.
template <typename OpT>
ElementRange signedCastRange(OpT op, unsigned, ElementRanges &ranges) {
  if (getElementTypeOrSelf(op.getIn().getType()).isInteger(1))
    return ranges.getConstant(-1, 0);
  if (getElementTypeOrSelf(op.getType()).isInteger(1))
    return {};
  return ranges.fit(ranges.get(op.getIn()), op.getType());
}

/// Zero extension: a negative number is read as another one.
template <typename OpT>
ElementRange unsignedCastRange(OpT op, unsigned, ElementRanges &ranges) {
  ElementRange range = ranges.get(op.getIn());
  Type from = getElementTypeOrSelf(op.getIn().getType());
  if (from.isInteger(1))
    return range;
  if (ranges.isAtLeast(range, 0))
    return ranges.fit(range, op.getType());
  auto integer = dyn_cast<IntegerType>(from);
  if (!integer || integer.getWidth() > 32)
    return {};
  return ranges.fit(
      ranges.getConstant(0, (int64_t(1) << integer.getWidth()) - 1),
      op.getType());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The elements are those of an operand, or some of them.
template <typename OpT>
ElementRange sameRange(OpT op, unsigned, ElementRanges &ranges) {
  return ranges.get(op->getOperand(0));
}

/// The elements are those of some operands.
ElementRange uniteRange(ValueRange values, ElementRanges &ranges) {
  if (values.empty())
    return {};
  ElementRange range = ranges.get(values.front());
  for (Value value : values.drop_front())
    range = ranges.unite(range, ranges.get(value));
  return range;
}

ElementRange concatRange(tensor::ConcatOp op, unsigned, ElementRanges &ranges) {
  return uniteRange(op.getInputs(), ranges);
}
ElementRange fromElementsRange(tensor::FromElementsOp op, unsigned,
                               ElementRanges &ranges) {
  return uniteRange(op.getElements(), ranges);
}
ElementRange insertRange(tensor::InsertOp op, unsigned, ElementRanges &ranges) {
  return uniteRange({op.getScalar(), op.getDest()}, ranges);
}
template <typename OpT>
ElementRange insertSliceRange(OpT op, unsigned, ElementRanges &ranges) {
  return uniteRange({op.getSource(), op.getDest()}, ranges);
}

ElementRange generateRange(tensor::GenerateOp op, unsigned,
                           ElementRanges &ranges) {
  return ranges.get(op.getBody().front().getTerminator()->getOperand(0));
}

ElementRange padRange(tensor::PadOp op, unsigned, ElementRanges &ranges) {
  Value padding = op.getRegion().front().getTerminator()->getOperand(0);
  return ranges.unite(ranges.get(op.getSource()), ranges.get(padding));
}

/// A column of the rows of `tally.nonzero` holds positions of one dimension.
ElementRange sliceRange(tensor::ExtractSliceOp op, unsigned,
                        ElementRanges &ranges) {
  if (auto nonzero = op.getSource().getDefiningOp<NonzeroOp>())
    if (std::optional<int64_t> column =
            op.isDynamicOffset(1) ? std::nullopt
                                  : std::optional(op.getStaticOffset(1));
        column && !op.isDynamicSize(1) && op.getStaticSize(1) == 1 &&
        *column <
            cast<RankedTensorType>(nonzero.getSource().getType()).getRank())
      return ranges.getPositions(nonzero.getSource(), *column);
  return ranges.get(op.getSource());
}

//===----------------------------------------------------------------------===//
// Operations of the tally dialect
//===----------------------------------------------------------------------===//

ElementRange nonzeroRange(NonzeroOp op, unsigned, ElementRanges &ranges) {
  int64_t rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  std::optional<ElementRange> range;
  for (int64_t dim = 0; dim < rank; ++dim) {
    ElementRange positions = ranges.getPositions(op.getSource(), dim);
    range = range ? ranges.unite(*range, positions) : positions;
  }
  return range.value_or(ElementRange());
}

/// The values are elements, the inverse holds positions of values, the counts
/// are at most as many as there are elements.
ElementRange uniqueRange(UniqueOp op, unsigned result, ElementRanges &ranges) {
  if (result == 0)
    return ranges.get(op.getSource());
  if (result == 1)
    return ranges.getPositions(op.getValues(), 0);
  symbolic::ExprContext &context = ranges.getShapes().getContext();
  return {
      context.zero(),
      ranges.getExact(ranges.getShapes().getNumElements(op.getSource())).upper};
}

ElementRange repeatRange(RepeatInterleaveOp op, unsigned,
                         ElementRanges &ranges) {
  return ranges.getPositions(op.getCounts(), 0);
}

/// Without weights they are numbers of elements.
ElementRange bincountRange(BincountOp op, unsigned, ElementRanges &ranges) {
  if (op.getWeights())
    return {};
  symbolic::ExprContext &context = ranges.getShapes().getContext();
  return {context.zero(),
          ranges.getExact(ranges.getShapes().getDim(op.getValues(), 0)).upper};
}

/// Elements, or where they were.
ElementRange sortRange(SortOp op, unsigned result, ElementRanges &ranges) {
  return op->getResult(result) == op.getValuesResult()
             ? ranges.get(op.getSource())
             : ranges.getPositions(op.getSource(), op.getDim());
}

/// An assert hands on the value that it guards.
ElementRange assertRange(AssertOp op, unsigned result, ElementRanges &ranges) {
  return ranges.get(op.getGuarded()[result]);
}

} // namespace

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void attachArith(MLIRContext *context) {
  attach<arith::AddIOp, addRange<arith::AddIOp>>(context);
  attach<arith::SubIOp, subRange<arith::SubIOp>>(context);
  attach<arith::MulIOp, mulRange<arith::MulIOp>>(context);
  attach<arith::DivSIOp, divRange<arith::DivSIOp>>(context);
  attach<arith::DivUIOp, divRange<arith::DivUIOp>>(context);
  attach<arith::FloorDivSIOp, divRange<arith::FloorDivSIOp>>(context);
  attach<arith::RemSIOp, remRange<arith::RemSIOp>>(context);
  attach<arith::RemUIOp, remRange<arith::RemUIOp>>(context);
  attach<arith::MaxSIOp, maxRange<arith::MaxSIOp>>(context);
  attach<arith::MaxUIOp, maxRange<arith::MaxUIOp>>(context);
  attach<arith::MinSIOp, minRange<arith::MinSIOp>>(context);
  attach<arith::MinUIOp, minRange<arith::MinUIOp>>(context);
  attach<arith::AndIOp, andRange>(context);
  attach<arith::OrIOp, orRange>(context);
  attach<arith::XOrIOp, xorRange>(context);
  attach<arith::ConstantOp, constantRange>(context);
  attach<arith::ExtSIOp, signedCastRange<arith::ExtSIOp>>(context);
  attach<arith::TruncIOp, signedCastRange<arith::TruncIOp>>(context);
  attach<arith::IndexCastOp, signedCastRange<arith::IndexCastOp>>(context);
  attach<arith::ExtUIOp, unsignedCastRange<arith::ExtUIOp>>(context);
  attach<arith::IndexCastUIOp, unsignedCastRange<arith::IndexCastUIOp>>(
      context);
}

static void attachTensor(MLIRContext *context) {
  attach<tensor::CastOp, sameRange<tensor::CastOp>>(context);
  attach<tensor::CollapseShapeOp, sameRange<tensor::CollapseShapeOp>>(context);
  attach<tensor::ExpandShapeOp, sameRange<tensor::ExpandShapeOp>>(context);
  attach<tensor::ReshapeOp, sameRange<tensor::ReshapeOp>>(context);
  attach<tensor::ExtractOp, sameRange<tensor::ExtractOp>>(context);
  attach<tensor::GatherOp, sameRange<tensor::GatherOp>>(context);
  attach<tensor::SplatOp, sameRange<tensor::SplatOp>>(context);
  attach<tensor::ExtractSliceOp, sliceRange>(context);
  attach<tensor::ConcatOp, concatRange>(context);
  attach<tensor::FromElementsOp, fromElementsRange>(context);
  attach<tensor::InsertOp, insertRange>(context);
  attach<tensor::InsertSliceOp, insertSliceRange<tensor::InsertSliceOp>>(
      context);
  attach<tensor::ScatterOp, insertSliceRange<tensor::ScatterOp>>(context);
  attach<tensor::GenerateOp, generateRange>(context);
  attach<tensor::PadOp, padRange>(context);
}

static void attachTally(MLIRContext *context) {
  attach<tally::ConstantOp, dataConstantRange>(context);
  attach<NonzeroOp, nonzeroRange>(context);
  attach<MaskedSelectOp, sameRange<MaskedSelectOp>>(context);
  attach<UniqueOp, uniqueRange>(context);
  attach<RepeatInterleaveOp, repeatRange>(context);
  attach<BincountOp, bincountRange>(context);
  attach<SliceOp, sameRange<SliceOp>>(context);
  attach<SelectOp, sameRange<SelectOp>>(context);
  attach<SplitOp, sameRange<SplitOp>>(context);
  attach<ItemOp, sameRange<ItemOp>>(context);
  attach<SortOp, sortRange>(context);
  attach<SymbolOp, sameRange<SymbolOp>>(context);
  attach<SpeculationBarrierOp, sameRange<SpeculationBarrierOp>>(context);
  attach<AssertOp, assertRange>(context);
}

void tally::registerElementRangeModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachArith(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTensor(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, TallyDialect *) { attachTally(context); });
}
