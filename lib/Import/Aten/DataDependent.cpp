//===- DataDependent.cpp - Results whose sizes are in the data ------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

void assertAll(Lowering &op, const Tensor &in, StringRef what,
               function_ref<Value(Scalars &, Value)> fn) {
  Value ok = op.all(
      in, [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); });
  AssertOp::create(op.b, op.loc, ok, (Twine(op.target) + ": " + what).str());
}

static void assertNonNegative(Lowering &op, const Tensor &in, StringRef what) {
  assertAll(op, in, what, [](Scalars &s, Value x) {
    return s.compare(Compare::Ge, x, s.integer(0));
  });
}

static const Number *getRecordedSize(Lowering &op, unsigned index,
                                     unsigned dim) {
  const TensorMeta *meta = op.resultMeta(index);
  return meta && dim < meta->sizes.size() ? &meta->sizes[dim] : nullptr;
}

/// Adds a weight, or one, for every element to the count of its value.
static void lowerBincount(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::I64);
  std::optional<Tensor> weights = op.optionalTensor("weights");
  Expr minimum = op.number("minlength", 0);
  assertNonNegative(op, in, "a value is negative");
  // The largest value; -1 where there is none.
  Value none = Scalars(op.b, op.loc, Dtype::I64).integer(-1);
  Tensor largest = op.reduce(
      in, {}, Dtype::I64, none,
      [](Scalars &s, Value element, Value acc) { return s.max(acc, element); });
  Expr last = buildItem(op, largest, nullptr);
  op.check(op.exprs.ge(last, op.literal(-1)), "a value is negative");
  Expr size = op.state.simplify(
      op.exprs.max(op.exprs.add(last, op.literal(1)), minimum));
  Dtype dtype = op.resultDtype();
  Tensor start = op.fill({size}, dtype, 0.0);
  Value one = Scalars(op.b, op.loc, dtype).integer(1);
  if (weights)
    weights = op.convert(*weights, dtype);
  SmallVector<Value> loop = op.loop(
      in.sizes, start.value,
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value value = tensor::ExtractOp::create(b, op.loc, in.value, positions);
        Value at =
            arith::IndexCastOp::create(b, op.loc, b.getIndexType(), value);
        Value weight = one;
        if (weights)
          weight =
              tensor::ExtractOp::create(b, op.loc, weights->value, positions);
        Value old = tensor::ExtractOp::create(b, op.loc, carry[0], at);
        Value sum = Scalars(b, op.loc, dtype).add(old, weight);
        return SmallVector<Value>{
            tensor::InsertOp::create(b, op.loc, sum, carry[0], at)};
      });
  op.result(op.make(loop[0], dtype, {size}));
}

//===----------------------------------------------------------------------===//
// Repetition by counts
//===----------------------------------------------------------------------===//

/// For counts [2, 0, 1] the indices [0, 0, 2].
static Tensor buildRepeatedIndices(Lowering &op, const Tensor &counts,
                                   const Number *recorded) {
  assertNonNegative(op, counts, "a negative number of repetitions");
  Expr total = buildItem(op, op.sum(counts, {}, Dtype::I64), recorded);
  op.check(op.exprs.ge(total, op.literal(0)),
           Twine(op.target) + ": a negative number of repetitions");
  Value start = op.empty({total}, Dtype::I64);
  Value zero = op.index(0), one = op.index(1);
  SmallVector<Value> loop = op.loop(
      counts.sizes, ValueRange{start, zero},
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value count =
            tensor::ExtractOp::create(b, op.loc, counts.value, positions);
        Value bound =
            arith::IndexCastOp::create(b, op.loc, b.getIndexType(), count);
        Value number =
            arith::IndexCastOp::create(b, op.loc, b.getI64Type(), positions[0]);
        auto inner = scf::ForOp::create(
            b, op.loc, zero, bound, one, carry,
            [&](OpBuilder &b, Location loc, Value, ValueRange args) {
              Value next = tensor::InsertOp::create(b, loc, number, args[0],
                                                    ValueRange{args[1]});
              Value at = arith::AddIOp::create(b, loc, args[1], one);
              scf::YieldOp::create(b, loc, ValueRange{next, at});
            });
        return SmallVector<Value>(inner.getResults());
      });
  return op.make(loop[0], Dtype::I64, {total});
}

static Tensor getCounts(Lowering &op, StringRef name) {
  Tensor counts = op.convert(op.tensor(name), Dtype::I64);
  return counts.rank() == 0 ? op.unsqueeze(counts, 0) : counts;
}

static void lowerRepeatInterleave(Lowering &op) {
  Tensor in = op.tensor("self"), counts = getCounts(op, "repeats");
  if (!op.has("dim"))
    in = op.flatten(in);
  int64_t dim = op.has("dim") ? op.dim("dim", in.rank()) : 0;
  if (counts.isOne(0) && !in.sizes[dim].isConstant(1))
    counts = op.expand(op.withStaticSize(counts, 0, 1), {in.sizes[dim]});
  op.checkEqual(counts.sizes[0], in.sizes[dim],
                Twine(op.target) + ": the counts do not fit the dimension");
  Tensor indices =
      buildRepeatedIndices(op, counts, getRecordedSize(op, 0, unsigned(dim)));
  SmallVector<std::optional<Tensor>> at(size_t(dim), std::nullopt);
  at.push_back(indices);
  op.result(buildIndex(op, in, at));
}

static void lowerRepeatIndices(Lowering &op) {
  op.result(buildRepeatedIndices(op, getCounts(op, "repeats"),
                                 getRecordedSize(op, 0, 0)));
}

//===----------------------------------------------------------------------===//
// Distinct values
//===----------------------------------------------------------------------===//

/// Whether an element differs from the one before it.
static Tensor buildRunStarts(Lowering &op, const Tensor &sorted) {
  return op.generate(
      sorted.sizes, Dtype::Bool, [&](Scalars &s, ValueRange indices) -> Value {
        Scalars v(s.b, s.loc, sorted.dtype);
        Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
        Value one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
        Value isFirst = arith::CmpIOp::create(
            s.b, s.loc, arith::CmpIPredicate::eq, indices[0], zero);
        Value before = arith::SelectOp::create(
            s.b, s.loc, isFirst, zero,
            arith::SubIOp::create(s.b, s.loc, indices[0], one));
        Value x = tensor::ExtractOp::create(s.b, s.loc, sorted.value, indices);
        Value y = tensor::ExtractOp::create(s.b, s.loc, sorted.value,
                                            ValueRange{before});
        return s.bitOr(isFirst, v.compare(Compare::Ne, x, y));
      });
}

/// The first of each run of equal elements of `sorted`, the run that each
/// element belongs to, and the lengths of the runs. Element i of `sorted` is
/// element order[i] of `self`.
static void resultRuns(Lowering &op, const Tensor &self, const Tensor &sorted,
                       const Tensor &order) {
  const Tensor &in = sorted;
  Tensor starts = buildRunStarts(op, sorted);
  Tensor rows = buildNonzero(op, starts, getRecordedSize(op, 0, 0));
  Tensor first = op.squeeze(rows, {1});
  op.result(buildIndex(op, sorted, {first}), 0);
  bool wantsInverse = op.flag("return_inverse", false);
  bool wantsCounts = op.flag("return_counts", false);
  Expr size = rows.sizes[0];
  Value inverse = op.empty(in.sizes, Dtype::I64);
  Tensor counts = op.fill({size}, Dtype::I64, 0.0);
  Value zero = Scalars(op.b, op.loc, Dtype::I64).integer(0);
  Value one = Scalars(op.b, op.loc, Dtype::I64).integer(1);
  Value before = Scalars(op.b, op.loc, Dtype::I64).integer(-1);
  SmallVector<Value> loop{inverse, counts.value, before};
  if (wantsInverse || wantsCounts)
    loop = op.loop(
        in.sizes, loop,
        [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
          Value start =
              tensor::ExtractOp::create(b, op.loc, starts.value, positions);
          Value step = arith::SelectOp::create(b, op.loc, start, one, zero);
          Value run = arith::AddIOp::create(b, op.loc, carry[2], step);
          auto toIndex = [&](Value value) -> Value {
            return arith::IndexCastOp::create(b, op.loc, b.getIndexType(),
                                              value);
          };
          Value at = toIndex(
              tensor::ExtractOp::create(b, op.loc, order.value, positions));
          Value place = toIndex(run);
          Value old = tensor::ExtractOp::create(b, op.loc, carry[1], place);
          Value next = arith::AddIOp::create(b, op.loc, old, one);
          return SmallVector<Value>{
              tensor::InsertOp::create(b, op.loc, run, carry[0], at),
              tensor::InsertOp::create(b, op.loc, next, carry[1], place), run};
        });
  // What was not asked for is empty.
  Tensor nothing = op.fill({op.literal(0)}, Dtype::I64, 0.0);
  op.result(wantsInverse
                ? op.reshape(op.make(loop[0], Dtype::I64, in.sizes), self.sizes)
                : nothing,
            1);
  op.result(wantsCounts ? op.make(loop[1], Dtype::I64, {size}) : nothing, 2);
}

static void lowerOneHot(Lowering &op) {
  Tensor in = op.tensor("self");
  Expr classes = op.number("num_classes", -1);
  if (classes.isConstant(-1)) {
    (void)op.error("the number of classes must be given");
    return;
  }
  Value limit = op.scalar(classes, in.dtype);
  assertAll(op, in, "a class is out of range", [&](Scalars &s, Value x) {
    return s.bitAnd(s.compare(Compare::Ge, x, s.integer(0)),
                    s.compare(Compare::Lt, x, limit));
  });
  Tensor wide = op.unsqueeze(in, in.rank());
  Sizes sizes = in.sizes;
  sizes.push_back(classes);
  Tensor spread = op.expand(wide, sizes);
  Tensor numbers = buildIndices(op, classes);
  op.result(op.map(
      {spread, numbers}, Dtype::I64, Dtype::Bool,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.compare(Compare::Eq, args[0], args[1]);
      },
      sizes, Dtype::I64));
}

static void lowerUnique(Lowering &op) {
  Tensor self = op.tensor("self");
  auto [sorted, order] =
      buildSort(op, op.flatten(self), 0, /*descending=*/false);
  resultRuns(op, self, sorted, order);
}

static void lowerUniqueConsecutive(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.flatten(self);
  if (op.has("dim") && self.rank() != 1) {
    (void)op.error("a dimension of several is not supported");
    return;
  }
  resultRuns(op, self, in, buildIndices(op, in.sizes[0]));
}

void addDataDependent(LoweringTable &table) {
  table.add("aten.bincount.default", lowerBincount);
  table.add("aten.repeat_interleave.self_Tensor", lowerRepeatInterleave);
  table.add("aten.repeat_interleave.Tensor", lowerRepeatIndices);
  table.add("aten._unique2.default", lowerUnique);
  table.add("aten.unique_consecutive.default", lowerUniqueConsecutive);
  table.add("aten.one_hot.default", lowerOneHot);
}

} // namespace tally::import_pt2
