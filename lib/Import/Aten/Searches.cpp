//===- Searches.cpp - Sorted sequences, histograms, runs ------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Searches in sorted sequences
//===----------------------------------------------------------------------===//

namespace {
/// A search in rows: which rows there are, how long each is, and whether equal
/// elements come before what is searched.
struct Search {
  Tensor rows;
  Value length;
  Dtype compute;
  bool right;
};
} // namespace

/// The place of `x` in a row, by halving what is left of it: in a sequence that
/// is not in order, or has a NaN, this is also what PyTorch finds.
static Value buildSearchInRow(Scalars &s, const Search &search, ValueRange row,
                              Value x) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
  Value one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{zero.getType(), zero.getType()},
      ValueRange{zero, search.length},
      [&](OpBuilder &b, Location loc, ValueRange range) {
        Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             range[0], range[1]);
        scf::ConditionOp::create(b, loc, isLeft, range);
      },
      [&](OpBuilder &b, Location loc, ValueRange range) {
        Scalars c(b, loc, search.compute);
        Value span = arith::SubIOp::create(b, loc, range[1], range[0]);
        Value half = arith::ShRUIOp::create(b, loc, span, one);
        Value middle = arith::AddIOp::create(b, loc, range[0], half);
        SmallVector<Value> at(row);
        at.push_back(arith::MaxSIOp::create(
            b, loc, arith::MinSIOp::create(b, loc, middle, search.length),
            zero));
        Value element =
            tensor::ExtractOp::create(b, loc, search.rows.value, at);
        element =
            Scalars(b, loc, search.rows.dtype).castTo(search.compute, element);
        Value stops =
            c.compare(search.right ? Compare::Gt : Compare::Ge, element, x);
        Value next = arith::AddIOp::create(b, loc, middle, one);
        scf::YieldOp::create(
            b, loc,
            ValueRange{
                arith::SelectOp::create(b, loc, stops, range[0], next),
                arith::SelectOp::create(b, loc, stops, middle, range[1])});
      });
  return loop.getResult(0);
}

/// The places of values in the last dimension of `sorted`: of rows if it has
/// more dimensions, those of the values' own row.
static Tensor buildSearch(Lowering &op, const Tensor &sorted,
                          const Operand &values, bool right) {
  Dtype type = getResultType({sorted, values});
  Tensor queries = values.tensor
                       ? op.convert(*values.tensor, type)
                       : op.fromScalar(op.scalar(values.number, type), type);
  bool isScalar = queries.rank() == 0;
  if (isScalar)
    queries = op.unsqueeze(queries, 0);
  // One more element is never looked at; with it there is always one to read.
  Sizes low(sorted.rank(), op.literal(0)), high = low;
  high.back() = op.literal(1);
  Value zero = Scalars(op.b, op.loc, type).integer(0);
  Search search;
  search.rows = buildPad(op, op.convert(sorted, type), low, high, zero);
  search.length = op.size(sorted.sizes.back());
  search.compute = getComputeDtype(type);
  search.right = right;
  Tensor places = op.generate(
      queries.sizes, Dtype::I64, [&](Scalars &s, ValueRange indices) -> Value {
        Value x = tensor::ExtractOp::create(s.b, s.loc, queries.value, indices);
        x = Scalars(s.b, s.loc, type).castTo(search.compute, x);
        ValueRange row = sorted.rank() > 1 ? indices.drop_back() : ValueRange();
        Value place = buildSearchInRow(s, search, row, x);
        return arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), place);
      });
  return isScalar ? op.reshape(places, {}) : places;
}

static bool isRight(Lowering &op) {
  bool right = op.flag("right", false);
  StringRef side = op.string("side");
  return side.empty() ? right : side == "right";
}

static void lowerSearchSorted(Lowering &op) {
  Tensor sorted = op.tensor("sorted_sequence");
  Operand values = op.operand("self");
  (void)op.find("out_int32");
  if (sorted.rank() == 0 ||
      (sorted.rank() > 1 &&
       (!values.tensor || values.tensor->rank() != sorted.rank()))) {
    (void)op.error("the values do not fit the sequence");
    return;
  }
  if (sorted.rank() > 1)
    for (int64_t dim = 0; dim + 1 < sorted.rank(); ++dim)
      op.checkEqual(sorted.sizes[dim], values.tensor->sizes[dim],
                    Twine(op.target) + ": the batches differ");
  op.result(buildSearch(op, sorted, values, isRight(op)));
}

static void lowerBucketize(Lowering &op) {
  Tensor boundaries = op.tensor("boundaries");
  (void)op.find("out_int32");
  if (boundaries.rank() != 1) {
    (void)op.error("the boundaries must be a vector");
    return;
  }
  op.result(buildSearch(op, boundaries, op.operand("self"), isRight(op)));
}

/// The number of elements in each of some equal parts of a range.
static void lowerHistogram(Lowering &op) {
  Tensor in = op.flatten(op.tensor("self"));
  Expr bins = op.symInt("bins", 100);
  double low = op.real("min", 0), high = op.real("max", 0);
  if (low >= high) {
    (void)op.error("the bounds must be given, and in order");
    return;
  }
  Dtype compute = getComputeDtype(in.dtype);
  Value count = op.scalar(bins, compute);
  Tensor places =
      op.map({in}, compute, Dtype::I64, [&](Scalars &s, ArrayRef<Value> args) {
        Value x = args[0];
        Value span = s.number(high - low);
        Value place = s.divFloat(s.mul(s.sub(x, s.number(low)), count), span);
        Value inside = s.bitAnd(s.compare(Compare::Ge, x, s.number(low)),
                                s.compare(Compare::Le, x, s.number(high)));
        // The upper bound belongs to the last part.
        Value last = s.sub(count, s.number(1));
        place = s.select(inside, s.min(place, last), s.number(-1));
        return s.castTo(Dtype::I64, place);
      });
  Tensor numbers = buildIndices(op, bins);
  Tensor hits = op.map({op.unsqueeze(numbers, 1), places}, Dtype::I64,
                       Dtype::Bool, [](Scalars &s, ArrayRef<Value> args) {
                         return s.compare(Compare::Eq, args[0], args[1]);
                       });
  op.result(op.sum(hits, {1}, compute));
}

//===----------------------------------------------------------------------===//
// A number of indices that is given
//===----------------------------------------------------------------------===//

/// The first indices where a tensor is not zero; too few are filled up.
static void lowerNonzeroStatic(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::Bool);
  Expr size = op.symInt("size");
  Expr fill = op.number("fill_value", -1);
  op.check(op.exprs.ge(size, op.literal(0)),
           Twine(op.target) + ": a negative size");
  Sizes sizes{size, op.literal(in.rank())};
  Tensor start = op.fill(sizes, Dtype::I64, op.scalar(fill, Dtype::I64));
  Value limit = op.size(size), one = op.index(1);
  SmallVector<Value> loop = op.loop(
      in.sizes, ValueRange{start.value, op.index(0)},
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value flag = tensor::ExtractOp::create(b, op.loc, in.value, positions);
        Value fits = arith::CmpIOp::create(b, op.loc, arith::CmpIPredicate::ult,
                                           carry[1], limit);
        Value taken = arith::AndIOp::create(b, op.loc, flag, fits);
        auto ifOp = scf::IfOp::create(
            b, op.loc, taken,
            [&](OpBuilder &b, Location loc) {
              Value rows = carry[0];
              for (auto [column, position] : llvm::enumerate(positions)) {
                Value number = arith::IndexCastOp::create(
                    b, loc, b.getI64Type(), position);
                Value at =
                    arith::ConstantIndexOp::create(b, loc, int64_t(column));
                rows = tensor::InsertOp::create(b, loc, number, rows,
                                                ValueRange{carry[1], at});
              }
              Value next = arith::AddIOp::create(b, loc, carry[1], one);
              scf::YieldOp::create(b, loc, ValueRange{rows, next});
            },
            [&](OpBuilder &b, Location loc) {
              scf::YieldOp::create(b, loc, carry);
            });
        return SmallVector<Value>(ifOp.getResults());
      });
  op.result(op.make(loop[0], Dtype::I64, sizes));
}

void addSearches(LoweringTable &table) {
  table.add("aten.searchsorted.Tensor", lowerSearchSorted);
  table.add("aten.searchsorted.Scalar", lowerSearchSorted);
  table.add("aten.bucketize.Tensor", lowerBucketize);
  table.add("aten.bucketize.Scalar", lowerBucketize);
  table.add("aten.histc.default", lowerHistogram);
  table.add("aten.nonzero_static.default", lowerNonzeroStatic);
}

} // namespace tally::import_pt2
