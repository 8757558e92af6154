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
/// A search in rows: which rows there are, and how long each is.
struct Search {
  Tensor rows;
  Value length;
  Dtype compute;
  /// The length is a number of the program.
  bool isStatic;

  /// States that a place is in [0, length], where there is always one to read.
  Value clamp(OpBuilder &b, Location loc, Value place) const {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value low = arith::MinSIOp::create(b, loc, place, length);
    return arith::MaxSIOp::create(b, loc, low, zero);
  }
};
} // namespace

/// A search in the last dimension of `sorted`.
static Search startSearch(Lowering &op, const Tensor &sorted) {
  // One more element is never looked at; with it there is always one to read.
  Sizes low(sorted.rank(), op.literal(0)), high = low;
  high.back() = op.literal(1);
  Value zero = Scalars(op.b, op.loc, sorted.dtype).integer(0);
  Search search;
  search.rows = buildPad(op, sorted, low, high, zero);
  search.length = op.size(sorted.sizes.back());
  search.compute = getComputeDtype(sorted.dtype);
  search.isStatic = sorted.sizes.back().isConstant();
  return search;
}

/// The place of `x` in a row, by halving what is left of it: in a sequence that
/// is not in order, or has a NaN, this is also what PyTorch finds. `stops` says
/// of an element whether the place is before it.
static Value
buildSearchInRow(Scalars &s, const Search &search, ValueRange row,
                 function_ref<Value(Scalars &s, Value element)> stops) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
  Value one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  // With a known length there is a third value: at least as large as what is
  // left, whatever the elements are. A loop of so many steps has no branches.
  SmallVector<Value> initial{zero, search.length};
  if (search.isStatic)
    initial.push_back(search.length);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, ValueRange(initial).getTypes(), initial,
      [&](OpBuilder &b, Location loc, ValueRange range) {
        Value isLeft = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::slt,
            search.isStatic ? zero : range.front(), range.back());
        scf::ConditionOp::create(b, loc, isLeft, range);
      },
      [&](OpBuilder &b, Location loc, ValueRange range) {
        Scalars c(b, loc, search.compute);
        Value span = arith::SubIOp::create(b, loc, range[1], range[0]);
        Value half = arith::ShRUIOp::create(b, loc, span, one);
        Value middle = arith::AddIOp::create(b, loc, range[0], half);
        SmallVector<Value> at(row);
        at.push_back(search.clamp(b, loc, middle));
        Value element =
            tensor::ExtractOp::create(b, loc, search.rows.value, at);
        element =
            Scalars(b, loc, search.rows.dtype).castTo(search.compute, element);
        Value isBefore = stops(c, element);
        Value next = arith::AddIOp::create(b, loc, middle, one);
        // Nothing may be left before the last step.
        if (search.isStatic)
          next = arith::MinSIOp::create(b, loc, next, range[1]);
        SmallVector<Value> results{
            arith::SelectOp::create(b, loc, isBefore, range[0], next),
            arith::SelectOp::create(b, loc, isBefore, middle, range[1])};
        if (search.isStatic)
          results.push_back(arith::ShRUIOp::create(b, loc, range[2], one));
        scf::YieldOp::create(b, loc, results);
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
                       : op.fromScalar(op.scalar(values.expr, type), type);
  bool isScalar = queries.rank() == 0;
  if (isScalar)
    queries = op.unsqueeze(queries, 0);
  Search search = startSearch(op, op.convert(sorted, type));
  Tensor places = op.generate(
      queries.sizes, Dtype::I64, [&](Scalars &s, ValueRange indices) -> Value {
        Value x = tensor::ExtractOp::create(s.b, s.loc, queries.value, indices);
        x = Scalars(s.b, s.loc, type).castTo(search.compute, x);
        ValueRange row = sorted.rank() > 1 ? indices.drop_back() : ValueRange();
        Value place =
            buildSearchInRow(s, search, row, [&](Scalars &s, Value element) {
              return s.compare(right ? Compare::Gt : Compare::Ge, element, x);
            });
        return arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), place);
      });
  return isScalar ? op.reshape(places, {}) : places;
}

/// Whether each element is one of some that are tried one after the other.
static Tensor buildIsOneOf(Lowering &op, const Tensor &elements,
                           const Tensor &tests) {
  Tensor same = op.map({op.unsqueeze(elements, elements.rank()), tests},
                       getComputeDtype(tests.dtype), Dtype::Bool,
                       [](Scalars &s, ArrayRef<Value> args) {
                         return s.compare(Compare::Eq, args[0], args[1]);
                       });
  Value none = Scalars(op.b, op.loc, Dtype::Bool).integer(0);
  return op.reduce(same, {same.rank() - 1}, Dtype::Bool, none,
                   [](Scalars &s, Value element, Value acc) {
                     return s.bitOr(acc, element);
                   });
}

/// Whether each element is one of many, which are sorted. A NaN is equal to
/// none; those among the many are at the end.
static Tensor buildIsFound(Lowering &op, const Tensor &elements,
                           const Tensor &tests) {
  Search search = startSearch(op, buildSort(op, tests, 0, false).first);
  return op.map(
      {elements}, search.compute, Dtype::Bool,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value x = args[0];
        Value place =
            buildSearchInRow(s, search, {}, [&](Scalars &s, Value element) {
              return s.bitOr(s.compare(Compare::Ge, element, x),
                             s.isNan(element));
            });
        Value element = tensor::ExtractOp::create(
            s.b, s.loc, search.rows.value, search.clamp(s.b, s.loc, place));
        element = Scalars(s.b, s.loc, search.rows.dtype)
                      .castTo(search.compute, element);
        Value isThere = arith::CmpIOp::create(
            s.b, s.loc, arith::CmpIPredicate::ult, place, search.length);
        return s.bitAnd(isThere, s.compare(Compare::Eq, element, x));
      });
}

/// Whether each element is one of the others.
static void lowerIsIn(Lowering &op) {
  Operand elements = op.operand(op.has("elements") ? "elements" : "element");
  Operand tests =
      op.operand(op.has("test_elements") ? "test_elements" : "test_element");
  bool invert = op.flag("invert", false);
  (void)op.find("assume_unique");
  Dtype type = getResultType({elements, tests});
  auto get = [&](const Operand &operand) {
    return operand.tensor ? op.convert(*operand.tensor, type)
                          : op.fromScalar(op.scalar(operand.expr, type), type);
  };
  Tensor in = get(elements), all = op.flatten(get(tests));
  constexpr int64_t few = 8;
  bool isFew = all.sizes[0].isConstant() && *all.sizes[0].getInt64() <= few;
  Tensor found = isFew ? buildIsOneOf(op, in, all) : buildIsFound(op, in, all);
  if (invert)
    found = op.map({found}, Dtype::Bool, Dtype::Bool,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.compare(Compare::Eq, args[0], s.integer(0));
                   });
  op.result(found);
}

static bool isRight(Lowering &op) {
  bool right = op.flag("right", false);
  StringRef side = op.string("side");
  return side.empty() ? right : side == "right";
}

/// The elements of rows in an order that is given by their places.
static Tensor takeInOrder(Lowering &op, const Tensor &in, const Tensor &order) {
  if (order.dtype != Dtype::I64 || !checkSizes(op, order, in.sizes)) {
    (void)op.error("the sorter must be of int64, with the sizes of the "
                   "sequence");
    return in;
  }
  checkInRange(op, order, in.sizes.back());
  Value last = op.size(op.exprs.sub(in.sizes.back(), op.literal(1)));
  return op.generate(
      in.sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at(indices);
        Value place =
            tensor::ExtractOp::create(s.b, s.loc, order.value, indices);
        at.back() = buildClampedIndex(s.b, s.loc, place, last);
        return tensor::ExtractOp::create(s.b, s.loc, in.value, at);
      });
}

static void lowerSearchSorted(Lowering &op) {
  Tensor sorted = op.tensor("sorted_sequence");
  Operand values = op.operand("self");
  (void)op.find("out_int32");
  if (sorted.rank() == 0 ||
      (sorted.rank() > 1 &&
       (!values.tensor || values.tensor->rank() != sorted.rank()))) {
    (void)op.error("the values must have the dimensions of the sequence, which "
                   "must have one at least");
    return;
  }
  if (sorted.rank() > 1)
    for (int64_t dim = 0; dim + 1 < sorted.rank(); ++dim)
      op.checkEqual(sorted.sizes[dim], values.tensor->sizes[dim],
                    Twine(op.target) + ": the batches differ");
  if (std::optional<Tensor> sorter = op.optionalTensor("sorter"))
    sorted = takeInOrder(op, sorted, *sorter);
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

/// The smallest and the largest element; one less and one more than these where
/// they are equal.
static SmallVector<Operand> findBounds(Lowering &op, const Tensor &in,
                                       Dtype compute) {
  checkAll(op, in, "the range of the elements is not finite",
           [](Scalars &s, Value x) {
             return s.compare(Compare::Lt, s.abs(x), s.highest());
           });
  Scalars number(op.b, op.loc, compute);
  Tensor least = op.reduce(
      in, {}, compute, number.highest(),
      [](Scalars &s, Value element, Value acc) { return s.min(acc, element); });
  Tensor most = op.max(in, {});
  auto widen = [&](const Tensor &bound, double by) {
    return op.map({least, most, bound}, compute, compute,
                  [&](Scalars &s, ArrayRef<Value> args) {
                    return s.select(s.compare(Compare::Eq, args[0], args[1]),
                                    s.add(args[2], s.number(by)), args[2]);
                  });
  };
  return {widen(least, -1), widen(most, 1)};
}

/// The number of elements in each of some equal parts of a range, that of the
/// elements where the bounds are equal.
static void lowerHistogram(Lowering &op) {
  Tensor in = op.flatten(op.tensor("self"));
  Expr bins = op.symInt("bins", 100);
  double low = op.real("min", 0), high = op.real("max", 0);
  if (low > high) {
    (void)op.error("the bounds must be in order");
    return;
  }
  // Integers, which PyTorch takes on a GPU, are exact in f64.
  Dtype compute = isFloating(in.dtype) ? getComputeDtype(in.dtype) : Dtype::F64;
  Value count = op.scalar(bins, compute), behind = op.scalar(bins, Dtype::I64);
  SmallVector<Operand> operands{in};
  if (low == high)
    llvm::append_range(operands,
                       findBounds(op, op.convert(in, compute), compute));
  Tensor places = op.map(
      operands, compute, Dtype::I64, [&](Scalars &s, ArrayRef<Value> args) {
        Value x = args[0];
        Value first = low == high ? args[1] : s.number(low);
        Value last = low == high ? args[2] : s.number(high);
        Value span = low == high ? s.sub(last, first) : s.number(high - low);
        Value place = s.divFloat(s.mul(s.sub(x, first), count), span);
        Value inside = s.bitAnd(s.compare(Compare::Ge, x, first),
                                s.compare(Compare::Le, x, last));
        // The upper bound belongs to the last part; what is outside has one of
        // its own, behind the others.
        Scalars number(s.b, s.loc, Dtype::I64);
        Value lastPart = number.sub(behind, number.number(1));
        Value found = number.min(s.castTo(Dtype::I64, place), lastPart);
        return number.select(inside, found, behind);
      });
  Tensor none = op.fill({op.exprs.add(bins, op.literal(1))}, Dtype::I64, 0.0);
  SmallVector<Value> counts = op.loop(
      in.sizes, none.value,
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value place =
            tensor::ExtractOp::create(b, op.loc, places.value, positions);
        // So it is known to be in bounds.
        Scalars s(b, op.loc, Dtype::I64);
        place = s.max(s.min(place, behind), s.number(0));
        Value at =
            arith::IndexCastOp::create(b, op.loc, b.getIndexType(), place);
        Value old = tensor::ExtractOp::create(b, op.loc, carry[0], at);
        return SmallVector<Value>{tensor::InsertOp::create(
            b, op.loc, s.add(old, s.number(1)), carry[0], at)};
      });
  Tensor all = op.make(counts[0], Dtype::I64, none.sizes);
  op.result(op.convert(op.slice(all, 0, op.literal(0), bins), compute));
}

//===----------------------------------------------------------------------===//
// A number of indices that is given
//===----------------------------------------------------------------------===//

/// The first indices where a tensor is not zero; too few are filled up. Each
/// is found by the number of those before it.
static void lowerNonzeroStatic(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::Bool);
  Expr size = op.symInt("size");
  Value fill = op.scalar(op.number("fill_value", -1), Dtype::I64);
  op.check(op.exprs.ge(size, op.literal(0)),
           Twine(op.target) + ": a negative size");
  Sizes sizes{size, op.literal(in.rank())};
  if (in.rank() == 0 || isNothing(in.sizes))
    return op.result(op.fill(sizes, Dtype::I64, fill));
  Tensor counts = buildRunningSum(op, op.flatten(in), 0, Dtype::I64);
  Tensor places =
      buildSearch(op, counts, buildIndices(op, size), /*right=*/true);
  Value all = op.scalar(op.numel(in), Dtype::I64);
  SmallVector<Value> extents;
  for (Expr extent : in.sizes)
    extents.push_back(
        op.scalar(op.exprs.max(extent, op.literal(1)), Dtype::I64));
  op.result(op.generate(sizes, Dtype::I64, [&](Scalars &s, ValueRange at) {
    Value place = tensor::ExtractOp::create(s.b, s.loc, places.value, at[0]);
    Value exists = s.compare(Compare::Lt, place, all);
    // The index in the dimension of the column, from the last one on.
    Value column = arith::IndexCastOp::create(s.b, s.loc, s.type(), at[1]);
    Value index = s.integer(0), rest = place;
    for (int64_t dim = in.rank() - 1; dim >= 0; --dim) {
      Value inner = arith::RemUIOp::create(s.b, s.loc, rest, extents[dim]);
      rest = arith::DivUIOp::create(s.b, s.loc, rest, extents[dim]);
      index = s.select(s.compare(Compare::Eq, column, s.integer(dim)), inner,
                       index);
    }
    return s.select(exists, index, fill);
  }));
}

void addSearches(LoweringTable &table) {
  table.add("aten.searchsorted.Tensor", lowerSearchSorted);
  table.add("aten.searchsorted.Scalar", lowerSearchSorted);
  table.add("aten.bucketize.Tensor", lowerBucketize);
  table.add("aten.bucketize.Scalar", lowerBucketize);
  for (StringRef overload : {"Tensor_Tensor", "Tensor_Scalar", "Scalar_Tensor"})
    table.add(("aten.isin." + overload).str(), lowerIsIn);
  table.add("aten.histc.default", lowerHistogram);
  table.add("aten.nonzero_static.default", lowerNonzeroStatic);
}

} // namespace tally::import_pt2
