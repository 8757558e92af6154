//===- LowerAttention.cpp - Attention as structured operations ------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

namespace tally {
#define GEN_PASS_DEF_LOWERATTENTION
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-attention"

using namespace mlir;
using namespace tally;

namespace {

/// Lowers one operation.
class AttentionLowering {
public:
  AttentionLowering(AttentionOp op, int64_t mostScores, int64_t keyMultiple)
      : op(op), mostScores(mostScores), keyMultiple(keyMultiple), b(op),
        loc(op.getLoc()), sumType(op.getSumType()), operands(op->getOperands()),
        batch(op.getNumBatchLoops()) {
    for (unsigned i = 0; i < operands.size(); ++i)
      maps.push_back(op.getMap(i));
  }

  void run();

private:
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;

  unsigned getQueryLoop() const { return batch; }
  unsigned getKeyLoop() const { return batch + 1; }
  unsigned getDepthLoop() const { return batch + 2; }
  unsigned getColumnLoop() const { return batch + 3; }
  /// The loops of the batch, then others.
  SmallVector<unsigned> getLoops(ArrayRef<unsigned> others) const {
    auto loops = llvm::to_vector(llvm::seq<unsigned>(0, batch));
    llvm::append_range(loops, others);
    return loops;
  }

  void repeatHeads();
  void repeatHeads(unsigned operand, Value group);
  OpFoldResult getSize(unsigned loop);
  /// A map of all loops as one of some of them.
  AffineMap restrict(AffineMap map, ArrayRef<unsigned> loops);
  /// The map to some loops as one of others.
  AffineMap select(ArrayRef<unsigned> results, ArrayRef<unsigned> loops);
  Value createEmpty(ArrayRef<unsigned> loops, Type element);
  Value createFill(ArrayRef<unsigned> loops, Value value);
  Value createNumber(double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(sumType, value));
  }
  Value createInfinity(OpBuilder &builder) {
    auto value = APFloat::getInf(sumType.getFloatSemantics(), true);
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(sumType, value));
  }
  /// A structured operation over `loops`, whose output runs over `results`.
  Value createGeneric(ArrayRef<unsigned> loops, ArrayRef<unsigned> results,
                      ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                      Value init, Body body);
  Value multiply(Value a, AffineMap aMap, Value c, AffineMap cMap,
                 unsigned rows, unsigned columns, unsigned depth);
  Value createScores(Value products);
  /// Whether products are scores.
  bool hasPlainScores() {
    Block &block = op.getScore().front();
    return !op.getMask() && block.getTerminator()->getOperand(0) ==
                                block.getArgument(op.getNumBatchLoops() + 2);
  }
  Value cloneRegion(OpBuilder &builder, Region &region, ValueRange arguments);
  Value createWeights(Value scores);
  Value createResult(Value sums);
  /// Keys of half precision that are no multiple are followed by zeros.
  struct Padding {
    /// Whether there are any, how many, and how many keys there are then.
    Value isNeeded, count, size;
  };
  std::optional<Padding> createPadding();
  Value appendZeros(Value tensor, unsigned dim, const Padding &padding);
  Value padKeys(unsigned operand, const Padding &padding);
  Value createBlock();
  bool isSmall() const;
  Value createBlocks(Value queries, Value block);
  Value createChosen();
  /// Slices an operand along a dimension.
  Value createSlice(Value tensor, unsigned dim, OpFoldResult offset,
                    OpFoldResult size);

  AttentionOp op;
  int64_t mostScores, keyMultiple;
  OpBuilder b;
  Location loc;
  FloatType sumType;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  unsigned batch;
  /// The query that is the first of the operands; null if all are there.
  Value firstQuery;
};

} // namespace

//===----------------------------------------------------------------------===//
// Grouped heads
//===----------------------------------------------------------------------===//

/// Repeats each head of keys, or of values, for the queries that share it.
void AttentionLowering::repeatHeads(unsigned operand, Value group) {
  Value tensor = operands[operand];
  auto type = cast<RankedTensorType>(tensor.getType());
  auto rank = unsigned(type.getRank());
  unsigned heads = *op.findDim(operand, batch - 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  sizes.insert(sizes.begin() + heads + 1, getAsOpFoldResult(group));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  AffineMap all = b.getMultiDimIdentityMap(rank + 1);
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  auto wide = linalg::GenericOp::create(
      b, loc, empty.getType(), tensor, empty,
      ArrayRef<AffineMap>{all.dropResult(heads + 1), all}, iterators,
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, arguments[0]);
      });
  SmallVector<ReassociationIndices> groups(rank);
  for (unsigned dim = 0; dim <= rank; ++dim)
    groups[dim - (dim > heads)].push_back(dim);
  operands[operand] =
      tensor::CollapseShapeOp::create(b, loc, wide.getResult(0), groups);
}

void AttentionLowering::repeatHeads() {
  auto getHeads = [&](unsigned operand) {
    return b.createOrFold<tensor::DimOp>(loc, operands[operand],
                                         *op.findDim(operand, batch - 1));
  };
  // Without heads of keys there are none of queries.
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value divisor = b.createOrFold<arith::MaxUIOp>(loc, getHeads(1), one);
  Value group = b.createOrFold<arith::DivUIOp>(loc, getHeads(0), divisor);
  repeatHeads(1, group);
  repeatHeads(2, group);
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

OpFoldResult AttentionLowering::getSize(unsigned loop) {
  AffineExpr expr = b.getAffineDimExpr(loop);
  for (unsigned operand : {0, 1, 2})
    if (std::optional<unsigned> dim = maps[operand].getResultPosition(expr))
      return tensor::getMixedSize(b, loc, operands[operand], *dim);
  llvm_unreachable("an operand runs over each loop");
}

AffineMap AttentionLowering::restrict(AffineMap map, ArrayRef<unsigned> loops) {
  SmallVector<AffineExpr> dims(map.getNumDims(), b.getAffineConstantExpr(0));
  for (auto [position, loop] : llvm::enumerate(loops))
    dims[loop] = b.getAffineDimExpr(position);
  return map.replaceDimsAndSymbols(dims, {}, loops.size(), 0);
}

AffineMap AttentionLowering::select(ArrayRef<unsigned> results,
                                    ArrayRef<unsigned> loops) {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : results)
    exprs.push_back(b.getAffineDimExpr(loop));
  return restrict(
      AffineMap::get(maps.front().getNumDims(), 0, exprs, b.getContext()),
      loops);
}

Value AttentionLowering::createEmpty(ArrayRef<unsigned> loops, Type element) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : loops)
    sizes.push_back(getSize(loop));
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value AttentionLowering::createFill(ArrayRef<unsigned> loops, Value value) {
  return linalg::FillOp::create(b, loc, value, createEmpty(loops, sumType))
      .getResult(0);
}

Value AttentionLowering::createGeneric(ArrayRef<unsigned> loops,
                                       ArrayRef<unsigned> results,
                                       ValueRange inputs,
                                       ArrayRef<AffineMap> inputMaps,
                                       Value init, Body body) {
  SmallVector<AffineMap> allMaps(inputMaps);
  allMaps.push_back(select(results, loops));
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop : loops)
    iterators.push_back(llvm::is_contained(results, loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, allMaps, iterators,
             [&](OpBuilder &builder, Location, ValueRange arguments) {
               linalg::YieldOp::create(builder, loc, body(builder, arguments));
             })
      .getResult(0);
}

Value AttentionLowering::multiply(Value a, AffineMap aMap, Value c,
                                  AffineMap cMap, unsigned rows,
                                  unsigned columns, unsigned depth) {
  SmallVector<unsigned> loops = getLoops({rows, columns, depth});
  SmallVector<unsigned> results = getLoops({rows, columns});
  auto extend = [&](OpBuilder &builder, Value value) -> Value {
    if (value.getType() == sumType)
      return value;
    return arith::ExtFOp::create(builder, loc, sumType, value);
  };
  return createGeneric(
      loops, results, {a, c}, {restrict(aMap, loops), restrict(cMap, loops)},
      createFill(results, createNumber(0)),
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        Value left = extend(builder, arguments[0]);
        Value right = extend(builder, arguments[1]);
        Value product = arith::MulFOp::create(builder, loc, left, right);
        return arith::AddFOp::create(builder, loc, arguments[2], product);
      });
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Value AttentionLowering::cloneRegion(OpBuilder &builder, Region &region,
                                     ValueRange arguments) {
  IRMapping map;
  map.map(region.getArguments(), arguments);
  for (Operation &inner : region.front().without_terminator())
    builder.clone(inner, map);
  return map.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

/// Runs the regions for each product.
Value AttentionLowering::createScores(Value products) {
  SmallVector<unsigned> loops = getLoops({getQueryLoop(), getKeyLoop()});
  SmallVector<Value> inputs{products};
  SmallVector<AffineMap> inputMaps{select(loops, loops)};
  for (unsigned i = 3; i + 1 < operands.size(); ++i) {
    inputs.push_back(operands[i]);
    inputMaps.push_back(restrict(maps[i], loops));
  }
  return createGeneric(
      loops, loops, inputs, inputMaps, createEmpty(loops, sumType),
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        SmallVector<Value> positions;
        for (unsigned loop = 0; loop < loops.size(); ++loop)
          positions.push_back(linalg::IndexOp::create(builder, loc, loop));
        Value &query = positions[getQueryLoop()];
        if (firstQuery)
          query = arith::AddIOp::create(builder, loc, query, firstQuery);
        SmallVector<Value> all = positions;
        llvm::append_range(all, arguments.drop_back());
        Value score = cloneRegion(builder, op.getScore(), all);
        if (!op.getMask())
          return score;
        all.erase(all.begin() + positions.size());
        Value sees = cloneRegion(builder, *op.getMask(), all);
        return arith::SelectOp::create(builder, loc, sees, score,
                                       createInfinity(builder));
      });
}

/// The softmax, in the type of the values; if it is not strict, it is 0 where
/// all scores are minus infinity.
Value AttentionLowering::createWeights(Value scores) {
  SmallVector<unsigned> loops = getLoops({getQueryLoop(), getKeyLoop()});
  SmallVector<unsigned> rows = getLoops({getQueryLoop()});
  AffineMap all = select(loops, loops), row = select(rows, loops);
  Value largest = createGeneric(
      loops, rows, scores, all, createFill(rows, createInfinity(b)),
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        return arith::MaximumFOp::create(builder, loc, arguments[0],
                                         arguments[1]);
      });
  Value powers = createGeneric(
      loops, loops, {scores, largest}, {all, row}, createEmpty(loops, sumType),
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        Value distance =
            arith::SubFOp::create(builder, loc, arguments[0], arguments[1]);
        return math::ExpOp::create(builder, loc, distance);
      });
  Value totals = createGeneric(
      loops, rows, powers, all, createFill(rows, createNumber(0)),
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        return arith::AddFOp::create(builder, loc, arguments[1], arguments[0]);
      });
  // A library multiplies halves fastest, and weights are at most 1.
  Type type = getElementTypeOrSelf(operands[2]);
  auto round = [&](OpBuilder &builder, Value share) -> Value {
    if (type == sumType)
      return share;
    return arith::TruncFOp::create(builder, loc, type, share);
  };
  return createGeneric(
      loops, loops, {powers, totals, largest}, {all, row, row},
      createEmpty(loops, type),
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        Value share =
            arith::DivFOp::create(builder, loc, arguments[0], arguments[1]);
        if (op.getStrict())
          return round(builder, share);
        Value isNothing =
            arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                  arguments[2], createInfinity(builder));
        Value zero =
            arith::ConstantOp::create(builder, loc, b.getFloatAttr(sumType, 0));
        return round(builder, arith::SelectOp::create(builder, loc, isNothing,
                                                      zero, share));
      });
}

/// Gives sums the type and the order of dimensions of the output.
Value AttentionLowering::createResult(Value sums) {
  SmallVector<unsigned> loops = getLoops({getQueryLoop(), getColumnLoop()});
  SmallVector<unsigned> order;
  for (AffineExpr expr : maps.back().getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Value result = sums;
  if (order != loops || type.getElementType() != sumType)
    result =
        createGeneric(loops, order, sums, select(loops, loops),
                      createEmpty(order, type.getElementType()),
                      [&](OpBuilder &builder, ValueRange arguments) -> Value {
                        if (type.getElementType() == sumType)
                          return arguments[0];
                        return arith::TruncFOp::create(
                            builder, loc, type.getElementType(), arguments[0]);
                      });
  if (result.getType() != type && !firstQuery)
    result = tensor::CastOp::create(b, loc, type, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Padded keys
//===----------------------------------------------------------------------===//

/// So many queries make it worth to copy the keys and the values: on an H200,
/// two matmuls of 384 heads with 197 queries, 197 keys and 64 columns take 110
/// us in bf16, and 34 us with 200 keys.
static constexpr int64_t kManyQueries = 64;

std::optional<AttentionLowering::Padding> AttentionLowering::createPadding() {
  Type element = getElementTypeOrSelf(operands[2]);
  if (keyMultiple <= 1 || element.getIntOrFloatBitWidth() != 16)
    return std::nullopt;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, constant(y));
  };
  Value keys = getValueOrCreateConstantIndexOp(b, loc, getSize(getKeyLoop()));
  Value queries =
      getValueOrCreateConstantIndexOp(b, loc, getSize(getQueryLoop()));
  Value multiple = constant(keyMultiple);
  Value rest = b.createOrFold<arith::RemUIOp>(loc, keys, multiple);
  Padding padding;
  padding.isNeeded = b.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::ne, rest, 0),
      compare(arith::CmpIPredicate::uge, queries, kManyQueries));
  if (matchPattern(padding.isNeeded, m_Zero()))
    return std::nullopt;
  padding.count = b.createOrFold<arith::SelectOp>(
      loc, padding.isNeeded, b.createOrFold<arith::SubIOp>(loc, multiple, rest),
      constant(0));
  padding.size = b.createOrFold<arith::AddIOp>(loc, keys, padding.count);
  return padding;
}

Value AttentionLowering::appendZeros(Value tensor, unsigned dim,
                                     const Padding &padding) {
  Type element = getElementTypeOrSelf(tensor);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  sizes[dim] = getAsOpFoldResult(padding.count);
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0));
  Value zeros =
      linalg::FillOp::create(
          b, loc, zero, Value(tensor::EmptyOp::create(b, loc, sizes, element)))
          .getResult(0);
  return tensor::ConcatOp::create(b, loc, dim, ValueRange{tensor, zeros});
}

/// Keys, or values, for all that is multiplied.
Value AttentionLowering::padKeys(unsigned operand, const Padding &padding) {
  Value tensor = operands[operand];
  unsigned dim =
      *maps[operand].getResultPosition(b.getAffineDimExpr(getKeyLoop()));
  if (matchPattern(padding.isNeeded, m_One()))
    return appendZeros(tensor, dim, padding);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = ShapedType::kDynamic;
  auto choice = scf::IfOp::create(b, loc, type.clone(shape), padding.isNeeded,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto yield = [&](Block *block, llvm::function_ref<Value()> create) {
    b.setInsertionPointToStart(block);
    Value result = create();
    if (result.getType() != type.clone(shape))
      result = tensor::CastOp::create(b, loc, type.clone(shape), result);
    scf::YieldOp::create(b, loc, result);
  };
  yield(choice.thenBlock(), [&] { return appendZeros(tensor, dim, padding); });
  yield(choice.elseBlock(), [&] { return tensor; });
  return choice.getResult(0);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// The result for the queries that the operands have.
Value AttentionLowering::createBlock() {
  SmallVector<unsigned> loops = getLoops({getQueryLoop(), getKeyLoop()});
  unsigned numLoops = maps.front().getNumDims();
  std::optional<Padding> padding = createPadding();
  SmallVector<Value> all = operands;
  Value keyCount;
  if (padding) {
    keyCount = getValueOrCreateConstantIndexOp(b, loc, getSize(getKeyLoop()));
    for (unsigned operand : {1, 2})
      operands[operand] = padKeys(operand, *padding);
  }
  SmallVector<Value> padded = operands;
  Value scores = multiply(operands[0], maps[0], operands[1], maps[1],
                          getQueryLoop(), getKeyLoop(), getDepthLoop());
  operands = all;
  if (padding)
    scores = createSlice(scores, batch + 1, b.getIndexAttr(0),
                         getAsOpFoldResult(keyCount));
  if (!hasPlainScores())
    scores = createScores(scores);
  Value weights = createWeights(scores);
  if (padding)
    weights = appendZeros(weights, batch + 1, *padding);
  operands = padded;
  Value sums = multiply(
      weights, select(loops, llvm::to_vector(llvm::seq<unsigned>(0, numLoops))),
      operands[2], maps[2], getQueryLoop(), getColumnLoop(), getKeyLoop());
  operands = all;
  return createResult(sums);
}

//===----------------------------------------------------------------------===//
// Blocks of queries
//===----------------------------------------------------------------------===//

/// Whether types say that there are not too many scores.
bool AttentionLowering::isSmall() const {
  int64_t count = 1;
  for (unsigned loop : getLoops({getQueryLoop(), getKeyLoop()})) {
    AffineExpr expr = getAffineDimExpr(loop, b.getContext());
    int64_t size = ShapedType::kDynamic;
    for (unsigned operand : {0, 1, 2})
      if (std::optional<unsigned> dim = maps[operand].getResultPosition(expr))
        size = cast<RankedTensorType>(operands[operand].getType())
                   .getDimSize(*dim);
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count) ||
        count > mostScores)
      return false;
  }
  return true;
}

Value AttentionLowering::createSlice(Value tensor, unsigned dim,
                                     OpFoldResult offset, OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                        strides);
}

/// A loop over blocks of queries, each of which writes its part.
Value AttentionLowering::createBlocks(Value queries, Value block) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto loop = scf::ForOp::create(b, loc, zero, queries, block, op.getOutput());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> all = operands;
  firstQuery = loop.getInductionVar();
  Value left = arith::SubIOp::create(b, loc, queries, firstQuery);
  Value count = arith::MinUIOp::create(b, loc, block, left);
  AffineExpr query = b.getAffineDimExpr(getQueryLoop());
  for (unsigned i = 0; i + 1 < operands.size(); ++i)
    if (std::optional<unsigned> dim = maps[i].getResultPosition(query))
      operands[i] = createSlice(operands[i], *dim, firstQuery, count);
  Value part = createBlock();
  Value output = loop.getRegionIterArg(0);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, output);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  unsigned dim = *maps.back().getResultPosition(query);
  offsets[dim] = firstQuery;
  sizes[dim] = count;
  Value written = tensor::InsertSliceOp::create(b, loc, part, output, offsets,
                                                sizes, strides);
  scf::YieldOp::create(b, loc, written);
  firstQuery = Value();
  operands = all;
  return loop.getResult(0);
}

/// All queries at once where memory allows, and else blocks of them.
Value AttentionLowering::createChosen() {
  auto multiply = [&](Value x, Value y) -> Value {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  };
  auto getIndex = [&](unsigned loop) {
    return getValueOrCreateConstantIndexOp(b, loc, getSize(loop));
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value most = arith::ConstantIndexOp::create(b, loc, mostScores);
  Value queries = getIndex(getQueryLoop());
  // The scores of a query.
  Value scores = getIndex(getKeyLoop());
  for (unsigned loop = 0; loop < batch; ++loop)
    scores = multiply(scores, getIndex(loop));
  scores = b.createOrFold<arith::MaxUIOp>(loc, scores, one);
  Value block = b.createOrFold<arith::DivUIOp>(loc, most, scores);
  block = b.createOrFold<arith::MaxUIOp>(loc, block, one);
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, queries, block);
  auto choice = scf::IfOp::create(b, loc, op.getOutput().getType(), fits,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, createBlock());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, createBlocks(queries, block));
  return choice.getResult(0);
}

void AttentionLowering::run() {
  bool small = isSmall();
  LDBG() << op->getName() << describePlace(loc) << ": two matmuls"
         << (op.getGrouped() ? ", heads of keys and values repeated" : "")
         << (hasPlainScores() ? "" : ", scores computed between them")
         << (small ? "" : ", blocks of queries where there are many");
  if (op.getGrouped())
    repeatHeads();
  Value result = small ? createBlock() : createChosen();
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

void tally::lowerAttention(Operation *root, int64_t mostScores,
                           int64_t keyMultiple) {
  SmallVector<AttentionOp> ops;
  root->walk([&](AttentionOp op) {
    if (op->getNumResults() != 0)
      ops.push_back(op);
  });
  for (AttentionOp op : ops)
    AttentionLowering(op, mostScores, keyMultiple).run();
}

namespace {
struct LowerAttentionPass
    : tally::impl::LowerAttentionBase<LowerAttentionPass> {
  using LowerAttentionBase::LowerAttentionBase;

  void runOnOperation() override {
    tally::lowerAttention(getOperation(), mostScores, keyMultiple);
  }
};
} // namespace
