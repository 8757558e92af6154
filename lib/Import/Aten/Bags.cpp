//===- Bags.cpp - Rows of an embedding, reduced by bags -------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Rows of a weight at indices; a bag is a range of the indices.
struct Bags {
  enum Mode { Sum, Mean, Max };

  Tensor weight, indices, offsets;
  /// A factor for each index.
  std::optional<Tensor> factors;
  Mode mode = Sum;
  /// The index that counts for nothing.
  Value padding;

  /// One element of the result: what a bag has in a column.
  Value reduce(Scalars &s, Value bag, Value column) const;

private:
  Value getOffset(const Scalars &s, Value bag, Value number) const;
  /// What was accumulated and counted, with one more index.
  SmallVector<Value> take(Scalars &s, Value position, Value column,
                          Value accumulated, Value counted) const;
};
} // namespace

static Value createConstant(const Scalars &s, int64_t value) {
  return arith::ConstantIndexOp::create(s.b, s.loc, value);
}

/// States that an index is in [0, size).
static Value clampTo(const Scalars &s, Value index, Value size) {
  Value last = arith::SubIOp::create(s.b, s.loc, size, createConstant(s, 1));
  Value low = arith::MinSIOp::create(s.b, s.loc, index, last);
  return arith::MaxSIOp::create(s.b, s.loc, low, createConstant(s, 0));
}

/// Where a bag starts; behind the last one given that is the number of indices.
Value Bags::getOffset(const Scalars &s, Value bag, Value number) const {
  Value given = tensor::DimOp::create(s.b, s.loc, offsets.value, 0);
  Value isGiven =
      arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::slt, bag, given);
  Value offset = tensor::ExtractOp::create(s.b, s.loc, offsets.value,
                                           ValueRange{clampTo(s, bag, given)});
  Value start =
      arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), offset);
  start = arith::SelectOp::create(s.b, s.loc, isGiven, start, number);
  start = arith::MinSIOp::create(s.b, s.loc, start, number);
  return arith::MaxSIOp::create(s.b, s.loc, start, createConstant(s, 0));
}

SmallVector<Value> Bags::take(Scalars &s, Value position, Value column,
                              Value accumulated, Value counted) const {
  Scalars i(s.b, s.loc, Dtype::I64);
  Value index = tensor::ExtractOp::create(s.b, s.loc, indices.value, position);
  Value row = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), index);
  Value rows = tensor::DimOp::create(s.b, s.loc, weight.value, 0);
  Value x = tensor::ExtractOp::create(
      s.b, s.loc, weight.value, ValueRange{clampTo(s, row, rows), column});
  x = Scalars(s.b, s.loc, weight.dtype).castTo(s.dtype, x);
  if (factors) {
    Value factor =
        tensor::ExtractOp::create(s.b, s.loc, factors->value, position);
    x = s.mul(x, Scalars(s.b, s.loc, factors->dtype).castTo(s.dtype, factor));
  }
  Value next;
  if (mode == Max) {
    Value isFirst = i.compare(Compare::Eq, counted, i.integer(0));
    Value isLarger = s.compare(Compare::Gt, x, accumulated);
    next = s.select(i.bitOr(isFirst, isLarger), x, accumulated);
  } else {
    next = s.add(accumulated, x);
  }
  Value more = i.add(counted, i.integer(1));
  if (!padding)
    return {next, more};
  Value isPadding = i.compare(Compare::Eq, index, padding);
  return {s.select(isPadding, accumulated, next),
          i.select(isPadding, counted, more)};
}

Value Bags::reduce(Scalars &s, Value bag, Value column) const {
  Scalars i(s.b, s.loc, Dtype::I64);
  Value number = tensor::DimOp::create(s.b, s.loc, indices.value, 0);
  Value one = createConstant(s, 1);
  Value next = arith::AddIOp::create(s.b, s.loc, bag, one);
  auto loop = scf::ForOp::create(
      s.b, s.loc, getOffset(s, bag, number), getOffset(s, next, number), one,
      ValueRange{s.number(0), i.integer(0)},
      [&](OpBuilder &b, Location loc, Value position, ValueRange carried) {
        Scalars inner(b, loc, s.dtype);
        scf::YieldOp::create(
            b, loc, take(inner, position, column, carried[0], carried[1]));
      });
  Value result = loop.getResult(0), counted = loop.getResult(1);
  if (mode != Mean)
    return result;
  Value divisor = i.castTo(s.dtype, i.max(counted, i.integer(1)));
  return s.divFloat(result, divisor);
}

/// Results besides the first are for a gradient: they are empty here, and
/// nothing may read them.
static void resultForGradient(Lowering &op, unsigned index) {
  if (!isUnused(op.resultName(index), op.scope.graph))
    (void)op.error("results for a gradient are not supported");
  const TensorMeta *meta = op.resultMeta(index);
  op.result(op.fill(Sizes(meta ? meta->sizes.size() : 1, op.literal(0)),
                    Dtype::I64, 0.0),
            index);
}

/// The padding index, counted from the end where it is negative. The inner
/// operators write -1 for none.
static Value getPadding(Lowering &op, const Tensor &weight) {
  if (!op.has("padding_idx"))
    return {};
  int64_t padding = op.integer("padding_idx", -1);
  if (padding >= 0)
    return op.scalar(op.literal(padding), Dtype::I64);
  if (op.target.starts_with("aten._"))
    return {};
  return op.scalar(op.exprs.add(weight.sizes[0], op.literal(padding)),
                   Dtype::I64);
}

static void checkBags(Lowering &op, const Bags &bags, bool isClosed) {
  checkInRange(op, bags.indices, bags.weight.sizes[0]);
  Expr number = bags.offsets.sizes[0], zero = op.literal(0);
  if (isClosed)
    op.check(Comparison::le(op.literal(1), number),
             Twine(op.target) + ": there are no offsets");
  // The first bag starts at the first index, and the last one within them. One
  // more offset is there to read where there is none.
  Value start = op.scalar(zero, Dtype::I64);
  Tensor offsets = buildPad(op, bags.offsets, {zero}, {op.literal(1)}, start);
  auto check = [&](Expr at, arith::CmpIPredicate kind, Value other) {
    Tensor offset = op.slice(offsets, 0, op.state.simplify(at), op.literal(1));
    Value ok = arith::CmpIOp::create(op.b, op.loc, kind,
                                     op.element(op.reshape(offset, {})), other);
    op.checkData(ok, Twine(op.target) + ": the offsets do not fit the indices");
  };
  check(zero, arith::CmpIPredicate::eq, start);
  check(op.exprs.max(op.exprs.sub(number, op.literal(1)), zero),
        arith::CmpIPredicate::sle,
        op.scalar(bags.indices.sizes[0], Dtype::I64));
}

static void lowerEmbeddingBag(Lowering &op) {
  Bags bags;
  bags.weight = op.tensor("weight");
  bags.indices = op.convert(op.tensor("indices"), Dtype::I64);
  bags.offsets = op.convert(op.tensor("offsets"), Dtype::I64);
  bags.factors = op.optionalTensor("per_sample_weights");
  int64_t mode = op.integer("mode", 0);
  bags.padding = getPadding(op, bags.weight);
  // These say how a gradient is computed.
  (void)op.find("scale_grad_by_freq");
  (void)op.find("sparse");
  bool isClosed = op.flag("include_last_offset", false);
  if (bags.weight.rank() != 2 || bags.indices.rank() != 1 ||
      bags.offsets.rank() != 1 || mode < Bags::Sum || mode > Bags::Max) {
    (void)op.error("the operands do not fit");
    return;
  }
  bags.mode = Bags::Mode(mode);
  if (bags.factors)
    op.checkEqual(bags.factors->sizes[0], bags.indices.sizes[0],
                  Twine(op.target) + ": there is no factor for each index");
  checkBags(op, bags, isClosed);
  Sizes sizes{op.state.simplify(op.exprs.sub(bags.offsets.sizes[0],
                                             op.literal(isClosed ? 1 : 0))),
              bags.weight.sizes[1]};
  Dtype dtype = getComputeDtype(bags.weight.dtype);
  op.result(
      isNothing(bags.indices.sizes) || isNothing(bags.weight.sizes)
          ? op.fill(sizes, dtype, 0.0)
          : op.generate(sizes, dtype, [&](Scalars &s, ValueRange at) -> Value {
              return bags.reduce(s, at[0], at[1]);
            }));
  for (unsigned i = 1; i < op.numResults(); ++i)
    resultForGradient(op, i);
}

void addBags(LoweringTable &table) {
  table.add("aten.embedding_bag.default", lowerEmbeddingBag);
  table.add("aten.embedding_bag.padding_idx", lowerEmbeddingBag);
  table.add("aten._embedding_bag.default", lowerEmbeddingBag);
  table.add("aten._embedding_bag_forward_only.default", lowerEmbeddingBag);
}

} // namespace tally::import_pt2
