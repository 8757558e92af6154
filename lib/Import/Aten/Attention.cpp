//===- Attention.cpp - Attention ------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "tally/IR/Tally.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {

/// Builds a `tally.attention`.
class AttentionBuilder {
public:
  AttentionBuilder(Lowering &op, Tensor query, Tensor key, Tensor value)
      : op(op), query(std::move(query)), key(std::move(key)),
        value(std::move(value)), rank(this->query.rank()),
        dtype(getComputeDtype(this->query.dtype)) {}

  void run();
  Value createScale();

private:
  Expr getHeads(const Tensor &tensor) const {
    return tensor.sizes[size_t(rank - 3)];
  }
  Tensor repeatHeads(const Tensor &in);
  void shareHeads();
  void broadcastBatch();
  void addMask(const Tensor &mask, Sizes sizes);
  AffineMap getMap(int64_t row, int64_t column);
  Block *createBlock(OpBuilder &b, Region &region, bool getsProduct,
                     ValueRange elements);
  void fillScore(OpBuilder &b, Block *block, Value scale);
  void fillMask(OpBuilder &b, Block *block);

  Lowering &op;
  Tensor query, key, value;
  int64_t rank;
  /// The type of scores.
  Dtype dtype;
  bool isGrouped = false;
  std::optional<Dtype> maskType;
  SmallVector<Value> elements;
  SmallVector<AffineMap> elementMaps;
};

} // namespace

/// Repeats each head, so that groups of queries have keys, or values, of their
/// own.
Tensor AttentionBuilder::repeatHeads(const Tensor &in) {
  int64_t dim = rank - 3;
  Expr heads = getHeads(query);
  if (in.sizes[dim] == heads)
    return in;
  Expr repeats = op.exprs.exactDiv(heads, in.sizes[dim]);
  Sizes split = in.sizes;
  split.insert(split.begin() + dim + 1, repeats);
  Tensor wide = op.expand(op.unsqueeze(in, dim + 1), split);
  Sizes merged = in.sizes;
  merged[dim] = heads;
  return op.reshape(wide, merged);
}

/// Groups of queries share keys and values, which need as many heads for that.
void AttentionBuilder::shareHeads() {
  if (getHeads(key) == getHeads(query) && getHeads(value) == getHeads(query))
    return;
  isGrouped = getHeads(key) == getHeads(value);
  if (isGrouped)
    return;
  key = repeatHeads(key);
  value = repeatHeads(value);
}

/// Gives all operands the same sizes of the batch.
void AttentionBuilder::broadcastBatch() {
  int64_t count = rank - 2 - (isGrouped ? 1 : 0);
  auto getBatch = [&](const Tensor &tensor) {
    Tensor batch = tensor;
    batch.sizes.resize(count);
    batch.recordedOne.resize(
        std::min<size_t>(batch.recordedOne.size(), size_t(count)));
    return batch;
  };
  Sizes sizes =
      op.broadcastSizes({getBatch(query), getBatch(key), getBatch(value)});
  for (Tensor *tensor : {&query, &key, &value}) {
    Sizes wide = tensor->sizes;
    llvm::copy(sizes, wide.begin());
    bool repeats = false;
    for (int64_t dim = 0; dim < count; ++dim)
      repeats |= tensor->sizes[dim] != wide[dim] && tensor->isOne(dim);
    if (repeats)
      *tensor = op.expand(*tensor, wide);
  }
}

/// The given scale, or 1 / sqrt(the size of a head), which does not matter for
/// heads without elements.
Value AttentionBuilder::createScale() {
  Scalars s(op.b, op.loc, dtype);
  if (op.has("scale"))
    return s.number(op.real("scale", 1));
  Expr width = op.exprs.max({query.sizes.back(), op.literal(1)});
  if (std::optional<int64_t> known = width.getInt64())
    return s.number(1 / std::sqrt(double(*known)));
  Value root = math::SqrtOp::create(op.b, op.loc, op.scalar(width, dtype));
  return s.divFloat(s.number(1), root);
}

void AttentionBuilder::addMask(const Tensor &mask, Sizes sizes) {
  maskType = mask.dtype;
  AffineMap map;
  elements.push_back(op.broadcastOperand(mask, sizes, map));
  elementMaps.push_back(AffineMap::get(unsigned(rank + 2), 0, map.getResults(),
                                       op.b.getContext()));
}

AffineMap AttentionBuilder::getMap(int64_t row, int64_t column) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    exprs.push_back(op.b.getAffineDimExpr(unsigned(dim)));
  for (int64_t loop : {row, column})
    exprs.push_back(op.b.getAffineDimExpr(unsigned(rank - 2 + loop)));
  return AffineMap::get(unsigned(rank + 2), 0, exprs, op.b.getContext());
}

Block *AttentionBuilder::createBlock(OpBuilder &b, Region &region,
                                     bool getsProduct, ValueRange elements) {
  SmallVector<Type> types(size_t(rank), b.getIndexType());
  if (getsProduct)
    types.push_back(Scalars(b, op.loc, dtype).type());
  for (Value tensor : elements)
    types.push_back(getElementTypeOrSelf(tensor));
  return b.createBlock(&region, {}, types,
                       SmallVector<Location>(types.size(), op.loc));
}

/// Scales products, and adds a mask of floats.
void AttentionBuilder::fillScore(OpBuilder &b, Block *block, Value scale) {
  Scalars s(b, op.loc, dtype);
  Value score = s.mul(block->getArgument(unsigned(rank)), scale);
  if (maskType && maskType != Dtype::Bool)
    score = s.add(score, Scalars(b, op.loc, *maskType)
                             .castTo(dtype, block->getArguments().back()));
  tally::YieldOp::create(b, op.loc, score);
}

/// Query i sees keys 0 to i, and what a mask of booleans has.
void AttentionBuilder::fillMask(OpBuilder &b, Block *block) {
  Value sees;
  if (op.flag("is_causal", false))
    sees = arith::CmpIOp::create(b, op.loc, arith::CmpIPredicate::sle,
                                 block->getArgument(unsigned(rank - 1)),
                                 block->getArgument(unsigned(rank - 2)));
  if (maskType == Dtype::Bool) {
    Value isThere = block->getArguments().back();
    sees = sees ? arith::AndIOp::create(b, op.loc, sees, isThere).getResult()
                : isThere;
  }
  tally::YieldOp::create(b, op.loc, sees);
}

void AttentionBuilder::run() {
  if (rank >= 3 && op.flag("enable_gqa", false))
    shareHeads();
  broadcastBatch();
  op.checkEqual(query.sizes.back(), key.sizes.back(),
                Twine(op.target) + ": queries and keys differ in their size");
  op.checkEqual(key.sizes[rank - 2], value.sizes[rank - 2],
                Twine(op.target) + ": keys and values differ in their number");
  Sizes scores = query.sizes;
  scores.back() = key.sizes[rank - 2];
  for (StringRef name : {"attn_mask", "attn_bias"})
    if (std::optional<Tensor> mask = op.optionalTensor(name))
      addMask(*mask, scores);
  Sizes sizes = query.sizes;
  sizes.back() = value.sizes.back();
  Value scale = createScale();
  Value init = op.empty(sizes, query.dtype);
  SmallVector<AffineMap> maps{getMap(0, 2), getMap(1, 2), getMap(1, 3)};
  llvm::append_range(maps, elementMaps);
  maps.push_back(getMap(0, 3));
  bool hasMask = op.flag("is_causal", false) || maskType == Dtype::Bool;
  auto attention = tally::AttentionOp::create(
      op.b, op.loc, TypeRange{init.getType()}, query.value, key.value,
      value.value, elements, init, op.b.getAffineMapArrayAttr(maps),
      isGrouped ? op.b.getUnitAttr() : UnitAttr(), /*strict=*/UnitAttr(),
      /*masksCount=*/hasMask ? 1 : 0);
  OpBuilder b(op.b.getContext());
  fillScore(b, createBlock(b, attention.getScore(), true, elements), scale);
  if (hasMask)
    fillMask(b, createBlock(b, *attention.getMask(), false, elements));
  op.result(op.make(attention.getResult(0), query.dtype, sizes));
}

/// The logarithm of the sum that the softmax of each query divides by, which
/// only gradients read.
static Tensor buildLogOfSums(Lowering &op, const Tensor &query,
                             const Tensor &key) {
  Dtype dtype = getComputeDtype(query.dtype);
  int64_t rank = query.rank();
  SmallVector<int64_t> turned = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(turned[size_t(rank - 1)], turned[size_t(rank - 2)]);
  Tensor scores = buildMatmul(op, query, op.permute(key, turned), dtype);
  Value scale = AttentionBuilder(op, query, key, key).createScale();
  SmallVector<Operand> operands{scores};
  for (StringRef name : {"attn_mask", "attn_bias"})
    if (std::optional<Tensor> mask = op.optionalTensor(name))
      operands.push_back(*mask);
  bool isCausal = op.flag("is_causal", false);
  if (isCausal) {
    operands.push_back(
        alongDim(op, buildIndices(op, scores.sizes[rank - 2]), rank, rank - 2));
    operands.push_back(
        alongDim(op, buildIndices(op, scores.sizes[rank - 1]), rank, rank - 1));
  }
  bool hasMask = operands.size() > (isCausal ? 3u : 1u);
  scores = op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value score = s.mul(args[0], scale);
        if (hasMask)
          score = s.add(score, args[1]);
        if (!isCausal)
          return score;
        Value sees = s.compare(Compare::Ge, args[args.size() - 2], args.back());
        return s.select(sees, score, s.lowest());
      },
      scores.sizes);
  Tensor most = op.max(scores, {rank - 1});
  Tensor sums = op.sum(
      op.map({scores, op.keepDims(most, {rank - 1})}, dtype, dtype,
             [](Scalars &s, ArrayRef<Value> args) -> Value {
               return math::ExpOp::create(s.b, s.loc, s.sub(args[0], args[1]));
             }),
      {rank - 1}, dtype);
  return op.map({sums, most}, dtype, dtype,
                [](Scalars &s, ArrayRef<Value> args) {
                  Value log = math::LogOp::create(s.b, s.loc, args[0]);
                  return s.add(log, args[1]);
                });
}

static void lowerAttention(Lowering &op) {
  Tensor query = op.tensor("query"), key = op.tensor("key");
  Tensor value = op.tensor("value");
  if (op.real("dropout_p", 0) != 0) {
    (void)op.error(
        "dropout is not supported: a compiled program does not train");
    return;
  }
  int64_t rank = query.rank();
  if (rank < 2 || key.rank() != rank || value.rank() != rank) {
    (void)op.error("the query, the key and the value differ in their number of "
                   "dimensions");
    return;
  }
  if (!isFloating(query.dtype) || key.dtype != query.dtype ||
      value.dtype != query.dtype) {
    (void)op.error(
        "the query, the key and the value are not floats of one type");
    return;
  }
  AttentionBuilder(op, query, key, value).run();
}

/// The forms that torch.export gives once it has chosen what computes it.
static void lowerChosenAttention(Lowering &op) {
  lowerAttention(op);
  if (!op.hasFailed())
    op.result(buildLogOfSums(op, op.tensor("query"), op.tensor("key")), 1);
}

/// Those of a GPU; what they give beside the result has a layout of their own,
/// and only gradients read it.
static void lowerAttentionOfGPU(Lowering &op) {
  for (StringRef flag : {"compute_log_sumexp", "return_debug_mask"})
    (void)op.flag(flag, false);
  lowerAttention(op);
}

void addAttention(LoweringTable &table) {
  for (StringRef name : {"flash", "efficient", "cudnn"})
    table.add(("aten._scaled_dot_product_" + name + "_attention.default").str(),
              lowerAttentionOfGPU);
  table.add("aten._scaled_dot_product_flash_attention_for_cpu.default",
            lowerChosenAttention);
  // The second is that of python/tally/torch/_halves.py.
  for (StringRef name :
       {"aten.scaled_dot_product_attention.default", "tally.attention.default"})
    table.add(name, lowerAttention);
}

} // namespace tally::import_pt2
