//===- DataDependent.cpp - Results whose sizes are in the data ------------===//
//
//===----------------------------------------------------------------------===//

#include "Subgraphs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

bool checkSizes(Lowering &op, const Tensor &in, ArrayRef<Expr> sizes) {
  if (in.sizes.size() != sizes.size()) {
    (void)op.error("a tensor has " + Twine(in.rank()) + " dimensions, where " +
                   Twine(sizes.size()) + " are needed");
    return false;
  }
  for (auto [mine, needed] : llvm::zip(in.sizes, sizes))
    op.checkEqual(mine, needed, Twine(op.target) + ": the sizes do not fit");
  return true;
}

void checkAll(Lowering &op, const Tensor &in, StringRef what,
              function_ref<Value(Scalars &, Value)> fn) {
  Value ok = op.all(
      in, [&](Scalars &s, ArrayRef<Value> args) { return fn(s, args[0]); });
  op.checkData(ok, Twine(op.target) + ": " + what);
}

/// The sum of the weights, or ones, for every value.
static void lowerBincount(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::I64);
  std::optional<Tensor> weights = op.optionalTensor("weights");
  Expr least = op.symInt("minlength", 0);
  // PyTorch 2.11 records int64 for sums of weights.
  Dtype dtype = Dtype::I64;
  if (weights)
    dtype = weights->dtype == Dtype::F32 ? Dtype::F32 : Dtype::F64;
  Value weight = weights ? op.convert(*weights, dtype).value : Value();
  auto [size, bindings] = declareNewSize(op, getRecordedSize(op, 0));
  op.state.facts.add(op.exprs.le(least, size), symbolic::Provenance::Checked);
  auto count = BincountOp::create(op.b, op.loc, in.value, op.size(least),
                                  weight, bindings);
  op.resultAsDefined(op.make(count.getResult(), dtype, {size}));
}

//===----------------------------------------------------------------------===//
// Repetition by counts
//===----------------------------------------------------------------------===//

/// For counts [2, 0, 1] the indices [0, 0, 2]. The caller may tell how many
/// there are.
static Tensor buildRepeatedIndices(Lowering &op, const Tensor &counts,
                                   const SymInt *recorded) {
  Expr given = op.symInt("output_size", Expr());
  auto [size, bindings] = declareNewSize(op, given ? nullptr : recorded);
  auto repeat =
      RepeatInterleaveOp::create(op.b, op.loc, counts.value, bindings);
  Tensor indices = op.make(repeat.getResult(), Dtype::I64, {size});
  if (!given)
    return indices;
  op.checkEqual(size, given,
                Twine(op.target) +
                    ": output_size is not the sum of the counts");
  return op.slice(indices, 0, op.literal(0), given);
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
  if (in.rank() == 0 || counts.rank() != 1) {
    (void)op.error("the tensor has no dimensions, or the counts have several");
    return;
  }
  if (counts.isOne(0) && !in.sizes[dim].isConstant(1))
    counts = op.expand(op.withStaticSize(counts, 0, 1), {in.sizes[dim]});
  op.checkEqual(counts.sizes[0], in.sizes[dim],
                Twine(op.target) + ": the counts do not fit the dimension");
  Tensor indices =
      buildRepeatedIndices(op, counts, getRecordedSize(op, unsigned(dim)));
  SmallVector<std::optional<Tensor>> at(size_t(dim), std::nullopt);
  at.push_back(indices);
  op.result(buildIndex(op, in, at));
}

static void lowerRepeatIndices(Lowering &op) {
  op.result(buildRepeatedIndices(op, getCounts(op, "repeats"),
                                 getRecordedSize(op, 0)));
}

//===----------------------------------------------------------------------===//
// Distinct values
//===----------------------------------------------------------------------===//

/// The places of the elements among the values, and how often each occurs; what
/// was not asked for is empty. Both are int64, whatever is recorded.
static void resultPlaces(Lowering &op, const Tensor &inverse,
                         const Tensor &counts) {
  Tensor nothing = op.fill({op.literal(0)}, Dtype::I64, 0.0);
  op.resultAsDefined(op.flag("return_inverse", false) ? inverse : nothing, 1);
  op.resultAsDefined(op.flag("return_counts", false) ? counts : nothing, 2);
}

/// Bytes are unsigned here, and signed there.
static void lowerUnique(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor in = self.dtype == Dtype::U8 ? op.convert(self, Dtype::I16) : self;
  auto [size, bindings] = declareNewSize(op, getRecordedSize(op, 0));
  op.state.facts.add(op.exprs.le(size, op.numel(in)),
                     symbolic::Provenance::Proven);
  auto unique = UniqueOp::create(op.b, op.loc, in.value, bindings);
  Tensor values = op.make(unique.getValues(), in.dtype, {size});
  op.result(op.convert(values, self.dtype), 0);
  resultPlaces(op, op.make(unique.getInverse(), Dtype::I64, self.sizes),
               op.make(unique.getCounts(), Dtype::I64, {size}));
}

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

/// The number of the run that each element belongs to.
static Tensor numberRuns(Lowering &op, const Tensor &starts) {
  Scalars scalars(op.b, op.loc, Dtype::I64);
  Value zero = scalars.integer(0), one = scalars.integer(1);
  SmallVector<Value> loop{op.empty(starts.sizes, Dtype::I64),
                          scalars.integer(-1)};
  loop = op.loop(
      starts.sizes, loop,
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value start =
            tensor::ExtractOp::create(b, op.loc, starts.value, positions);
        Value step = arith::SelectOp::create(b, op.loc, start, one, zero);
        Value run = arith::AddIOp::create(b, op.loc, carry[1], step);
        return SmallVector<Value>{
            tensor::InsertOp::create(b, op.loc, run, carry[0], positions), run};
      });
  return op.make(loop[0], Dtype::I64, starts.sizes);
}

/// How many elements each run has: up to the first one of the next, or to the
/// end.
static Tensor measureRuns(Lowering &op, const Tensor &first, Expr numElements) {
  Value number = op.size(first.sizes[0]);
  Value end = op.scalar(numElements, Dtype::I64);
  return op.generate(
      first.sizes, Dtype::I64, [&](Scalars &s, ValueRange indices) -> Value {
        Value one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
        Value next = arith::AddIOp::create(s.b, s.loc, indices[0], one);
        Value last = arith::SubIOp::create(s.b, s.loc, number, one);
        Value inside = arith::MinSIOp::create(s.b, s.loc, next, last);
        Value isLast = arith::CmpIOp::create(
            s.b, s.loc, arith::CmpIPredicate::eq, indices[0], last);
        Value from =
            tensor::ExtractOp::create(s.b, s.loc, first.value, indices);
        Value to = tensor::ExtractOp::create(s.b, s.loc, first.value,
                                             ValueRange{inside});
        to = arith::SelectOp::create(s.b, s.loc, isLast, end, to);
        return arith::SubIOp::create(s.b, s.loc, to, from);
      });
}

//===----------------------------------------------------------------------===//
// Distinct slices
//===----------------------------------------------------------------------===//

/// The order of the dimensions with one of them in front.
static SmallVector<int64_t> orderFirst(int64_t rank, int64_t dim) {
  SmallVector<int64_t> order{dim};
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim)
      order.push_back(i);
  return order;
}

/// Rows, or elements, in an order of their places.
static Tensor takeRows(Lowering &op, const Tensor &in, const Tensor &order) {
  Value last = op.size(op.exprs.sub(in.sizes[0], op.literal(1)));
  Sizes sizes = in.sizes;
  sizes[0] = order.sizes[0];
  return op.generate(sizes, in.dtype, [&](Scalars &s, ValueRange at) -> Value {
    SmallVector<Value> from(at);
    Value place =
        tensor::ExtractOp::create(s.b, s.loc, order.value, at.front());
    from[0] = buildClampedIndex(s.b, s.loc, place, last);
    return tensor::ExtractOp::create(s.b, s.loc, in.value, from);
  });
}

/// The places of rows in their order: they are sorted by each column, the last
/// one first, of which each leaves equal ones as they were.
static Tensor orderRows(Lowering &op, const Tensor &rows) {
  SliceLoop loop;
  loop.length = rows.sizes[1];
  loop.carried.push_back(buildIndices(op, rows.sizes[0]));
  loop.sliced.push_back(buildFlip(op, op.permute(rows, {1, 0}), {0}));
  loop.body = [&](ArrayRef<Actual> inputs) {
    Tensor order = *inputs[0].tensor, column = *inputs[1].tensor;
    Tensor places = buildSort(op, takeRows(op, column, order), 0, false).second;
    SmallVector<Binding> results(1);
    results[0].slot = op.function.addTensor(takeRows(op, order, places));
    return FailureOr<SmallVector<Binding>>(results);
  };
  SmallVector<Tensor> results = buildSliceLoop(op, loop);
  return results.empty() ? loop.carried[0] : results[0];
}

/// Whether a row differs from the one before it.
static Tensor buildRowStarts(Lowering &op, const Tensor &rows) {
  auto isFirst = [](Scalars &s, Value row) -> Value {
    Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
    return arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::eq, row,
                                 zero);
  };
  Tensor differs =
      op.generate(rows.sizes, Dtype::Bool, [&](Scalars &s, ValueRange at) {
        Scalars v(s.b, s.loc, rows.dtype);
        Value one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
        Value before = arith::SubIOp::create(s.b, s.loc, at[0], one);
        before = arith::SelectOp::create(s.b, s.loc, isFirst(s, at[0]), at[0],
                                         before);
        Value x = tensor::ExtractOp::create(s.b, s.loc, rows.value, at);
        Value y = tensor::ExtractOp::create(s.b, s.loc, rows.value,
                                            ValueRange{before, at[1]});
        return v.compare(Compare::Ne, x, y);
      });
  Value none = Scalars(op.b, op.loc, Dtype::Bool).integer(0);
  Tensor any = op.reduce(differs, {1}, Dtype::Bool, none,
                         [](Scalars &s, Value element, Value acc) {
                           return s.bitOr(acc, element);
                         });
  return op.generate(any.sizes, Dtype::Bool, [&](Scalars &s, ValueRange at) {
    Value differs = tensor::ExtractOp::create(s.b, s.loc, any.value, at);
    return s.bitOr(isFirst(s, at[0]), differs);
  });
}

/// The distinct slices along a dimension, in order, or the first of each run of
/// equal ones; which one each slice is, and how many there are of each. These
/// are there whether they are asked for or not.
static void resultDistinctSlices(Lowering &op, bool isSorted) {
  Tensor self = op.tensor("self", 1);
  int64_t dim = op.dim("dim", self.rank());
  for (StringRef name : {"return_inverse", "return_counts"})
    (void)op.find(name);
  SmallVector<int64_t> order = orderFirst(self.rank(), dim), back(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = int64_t(to);
  Tensor moved = op.permute(self, order);
  Expr width = op.product(ArrayRef(moved.sizes).drop_front());
  op.check(op.exprs.gt(width, op.literal(0)),
           Twine(op.target) + ": the slices must not be empty");
  Tensor rows = op.reshape(moved, {moved.sizes[0], width});
  Tensor places;
  if (isSorted) {
    places = orderRows(op, rows);
    rows = takeRows(op, rows, places);
  }
  Tensor starts = buildRowStarts(op, rows);
  Tensor first = op.squeeze(
      buildNonzero(op, starts, getRecordedSize(op, unsigned(dim))), {1});
  Sizes sizes = moved.sizes;
  sizes[0] = first.sizes[0];
  op.result(op.permute(op.reshape(takeRows(op, rows, first), sizes), back), 0);
  Tensor runs = numberRuns(op, starts);
  if (isSorted) {
    checkInRange(op, places, runs.sizes[0]);
    runs = buildScatterOver(op, runs, 0, places, runs);
  }
  op.resultAsDefined(runs, 1);
  op.resultAsDefined(measureRuns(op, first, rows.sizes[0]), 2);
}

static void lowerUniqueSlices(Lowering &op) {
  (void)op.find("sorted");
  resultDistinctSlices(op, /*isSorted=*/true);
}

/// The first of each run of equal elements, the run that each element belongs
/// to, and the lengths of the runs.
static void lowerUniqueConsecutive(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.flatten(self);
  if (op.has("dim") && self.rank() != 0)
    return resultDistinctSlices(op, /*isSorted=*/false);
  Tensor starts = buildRunStarts(op, in);
  Tensor rows = buildNonzero(op, starts, getRecordedSize(op, 0));
  Tensor first = op.squeeze(rows, {1});
  op.result(buildIndex(op, in, {first}), 0);
  bool wantsInverse = op.flag("return_inverse", false);
  bool wantsCounts = op.flag("return_counts", false);
  Tensor inverse = wantsInverse ? op.reshape(numberRuns(op, starts), self.sizes)
                                : op.make(op.empty(self.sizes, Dtype::I64),
                                          Dtype::I64, self.sizes);
  resultPlaces(op, inverse,
               wantsCounts ? measureRuns(op, first, in.sizes[0]) : first);
}

static void lowerOneHot(Lowering &op) {
  Tensor in = op.tensor("self");
  Expr classes = op.symInt("num_classes", -1);
  if (classes.isConstant(-1)) {
    (void)op.error("the number of classes must be given");
    return;
  }
  Value limit = op.scalar(classes, in.dtype);
  checkAll(op, in, "a class is out of range", [&](Scalars &s, Value x) {
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

void addDataDependent(LoweringTable &table) {
  table.add("aten.bincount.default", lowerBincount);
  table.add("aten.repeat_interleave.self_Tensor", lowerRepeatInterleave);
  table.add("aten.repeat_interleave.Tensor", lowerRepeatIndices);
  table.add("aten._unique2.default", lowerUnique);
  table.add("aten.unique_consecutive.default", lowerUniqueConsecutive);
  table.add("aten.unique_dim.default", lowerUniqueSlices);
  table.add("aten.one_hot.default", lowerOneHot);
}

} // namespace tally::import_pt2
