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
  /// The row that has the largest element of a bag in a column.
  Value findLargest(const Scalars &s, Value bag, Value column) const;
  /// How many indices of a bag count.
  Value count(const Scalars &s, Value bag) const;
  /// The last bag that starts at a position or before it.
  Value findBag(const Scalars &s, Value position) const;

private:
  Value getOffset(const Scalars &s, Value bag, Value number) const;
  /// A loop over the positions of a bag.
  scf::ForOp loop(const Scalars &s, Value bag, ValueRange init,
                  function_ref<SmallVector<Value>(OpBuilder &, Value position,
                                                  ValueRange carried)>
                      body) const;
  /// The value of a bag in a column, the number of indices that count, and the
  /// row that was taken last.
  scf::ForOp accumulate(const Scalars &s, Value bag, Value column) const;
  /// The same with one more index.
  SmallVector<Value> take(Scalars &s, Value position, Value column,
                          ValueRange carried) const;
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
                              ValueRange carried) const {
  Value accumulated = carried[0], counted = carried[1], taken = carried[2];
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
  Value next, row64 = index;
  if (mode == Max) {
    Value isFirst = i.compare(Compare::Eq, counted, i.integer(0));
    Value isLarger = i.bitOr(isFirst, s.compare(Compare::Gt, x, accumulated));
    next = s.select(isLarger, x, accumulated);
    row64 = i.select(isLarger, index, taken);
  } else {
    next = s.add(accumulated, x);
  }
  Value more = i.add(counted, i.integer(1));
  if (!padding)
    return {next, more, row64};
  Value isPadding = i.compare(Compare::Eq, index, padding);
  return {s.select(isPadding, accumulated, next),
          i.select(isPadding, counted, more),
          i.select(isPadding, taken, row64)};
}

scf::ForOp
Bags::loop(const Scalars &s, Value bag, ValueRange init,
           function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)>
               body) const {
  Value number = tensor::DimOp::create(s.b, s.loc, indices.value, 0);
  Value one = createConstant(s, 1);
  Value next = arith::AddIOp::create(s.b, s.loc, bag, one);
  return scf::ForOp::create(
      s.b, s.loc, getOffset(s, bag, number), getOffset(s, next, number), one,
      init,
      [&](OpBuilder &b, Location loc, Value position, ValueRange carried) {
        scf::YieldOp::create(b, loc, body(b, position, carried));
      });
}

scf::ForOp Bags::accumulate(const Scalars &s, Value bag, Value column) const {
  Scalars i(s.b, s.loc, Dtype::I64);
  return loop(s, bag, ValueRange{s.number(0), i.integer(0), i.integer(0)},
              [&](OpBuilder &b, Value position, ValueRange carried) {
                Scalars inner(b, s.loc, s.dtype);
                return take(inner, position, column, carried);
              });
}

Value Bags::findLargest(const Scalars &s, Value bag, Value column) const {
  Scalars of(s.b, s.loc, getComputeDtype(weight.dtype));
  return accumulate(of, bag, column).getResult(2);
}

Value Bags::count(const Scalars &s, Value bag) const {
  return loop(
             s, bag, ValueRange{s.integer(0)},
             [&](OpBuilder &b, Value position, ValueRange carried) {
               Scalars i(b, s.loc, Dtype::I64);
               Value more = i.add(carried[0], i.integer(1));
               if (!padding)
                 return SmallVector<Value>{more};
               Value index =
                   tensor::ExtractOp::create(b, s.loc, indices.value, position);
               Value isPadding = i.compare(Compare::Eq, index, padding);
               return SmallVector<Value>{i.select(isPadding, carried[0], more)};
             })
      .getResult(0);
}

Value Bags::findBag(const Scalars &s, Value position) const {
  Value number = tensor::DimOp::create(s.b, s.loc, offsets.value, 0);
  Value at = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), position);
  auto loop = scf::ForOp::create(
      s.b, s.loc, createConstant(s, 0), number, createConstant(s, 1),
      ValueRange{s.integer(0)},
      [&](OpBuilder &b, Location loc, Value bag, ValueRange carried) {
        Scalars i(b, loc, Dtype::I64);
        Value start = tensor::ExtractOp::create(b, loc, offsets.value, bag);
        Value bag64 = arith::IndexCastOp::create(b, loc, b.getI64Type(), bag);
        Value isBehind = i.compare(Compare::Le, start, at);
        scf::YieldOp::create(b, loc, i.select(isBehind, bag64, carried[0]));
      });
  return loop.getResult(0);
}

Value Bags::reduce(Scalars &s, Value bag, Value column) const {
  Scalars i(s.b, s.loc, Dtype::I64);
  auto loop = accumulate(s, bag, column);
  Value result = loop.getResult(0), counted = loop.getResult(1);
  if (mode != Mean)
    return result;
  Value divisor = i.castTo(s.dtype, i.max(counted, i.integer(1)));
  return s.divFloat(result, divisor);
}

/// The results for a gradient: the bag of each index, how many indices of each
/// bag count, and of maxima the rows that have them.
static void resultPlaces(Lowering &op, const Bags &bags, ArrayRef<Expr> sizes) {
  Tensor counts =
      op.generate({sizes[0]}, Dtype::I64, [&](Scalars &s, ValueRange at) {
        return bags.count(s, at[0]);
      });
  op.result(op.generate(bags.indices.sizes, Dtype::I64,
                        [&](Scalars &s, ValueRange at) {
                          return bags.findBag(s, at[0]);
                        }),
            1);
  op.result(counts, 2);
  if (bags.mode != Bags::Max)
    return op.result(counts, 3);
  op.result(op.generate(sizes, Dtype::I64,
                        [&](Scalars &s, ValueRange at) {
                          return bags.findLargest(s, at[0], at[1]);
                        }),
            3);
}

/// Results for the gradient of sums, or with an offset behind the last bag: not
/// all of them are defined. They are empty here, and nothing may read them.
static void resultForGradient(Lowering &op, unsigned index) {
  if (!isUnused(op.resultName(index), op.scope.graph))
    (void)op.error(
        "a result that only a gradient needs is used: this is not supported");
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
      bags.offsets.rank() != 1 || (bags.factors && bags.factors->rank() != 1)) {
    (void)op.error("the weight must be a matrix, and the indices, the offsets "
                   "and the weights of samples must be vectors");
    return;
  }
  if (mode < Bags::Sum || mode > Bags::Max) {
    (void)op.error("mode " + Twine(mode) + " is not known");
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
  bool isRead = false;
  for (unsigned i = 1; i < op.numResults(); ++i)
    isRead |= !isUnused(op.resultName(i), op.scope.graph);
  if (isRead && op.numResults() == 4 && mode != Bags::Sum && !isClosed)
    return resultPlaces(op, bags, sizes);
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
