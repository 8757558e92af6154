//===- Scatters.cpp - Writes at indices that are data ---------------------===//
//
// Indices may repeat, so elements are written one after the other. That all
// indices are in bounds is checked once, before.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Combines what is there with what is written; null to replace it.
using Combine = Value (*)(Scalars &s, Value old, Value value);
} // namespace

static Value combineAdd(Scalars &s, Value old, Value value) {
  return s.add(old, value);
}
static Value combineMul(Scalars &s, Value old, Value value) {
  return s.mul(old, value);
}
static Value combineMax(Scalars &s, Value old, Value value) {
  return s.max(old, value);
}
static Value combineMin(Scalars &s, Value old, Value value) {
  return s.min(old, value);
}

static Value toPosition(Lowering &op, OpBuilder &b, Value index) {
  if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, op.loc, b.getI64Type(), index);
  return arith::IndexCastOp::create(b, op.loc, b.getIndexType(), index);
}

/// Writes a value to a place, combined with what is there if `combine` says
/// how.
static Value insertCombined(Scalars &s, Value value, Value into, ValueRange at,
                            Combine combine) {
  if (combine)
    value = combine(s, tensor::ExtractOp::create(s.b, s.loc, into, at), value);
  return tensor::InsertOp::create(s.b, s.loc, value, into, at);
}

//===----------------------------------------------------------------------===//
// scatter: an index for every element of the source
//===----------------------------------------------------------------------===//

/// Checks that the index is no larger than what it tells the places of.
static void checkSizes(Lowering &op, const Tensor &self, int64_t dim,
                       const Tensor &index, const Operand &source) {
  for (int64_t i = 0; i < self.rank(); ++i) {
    if (i != dim)
      op.check(Comparison::le(index.sizes[i], self.sizes[i]),
               Twine(op.target) + ": the index is larger than the tensor");
    if (source.tensor)
      op.check(Comparison::le(index.sizes[i], source.tensor->sizes[i]),
               Twine(op.target) + ": the index is larger than the source");
  }
}

/// Writes source[i] into `self` at the position i with one coordinate replaced
/// by index[i], for all i of the index. All indices are in bounds.
static Tensor buildScatter(Lowering &op, const Tensor &self, int64_t dim,
                           const Tensor &index, const Operand &source,
                           Combine combine) {
  checkSizes(op, self, dim, index, source);
  Value number;
  if (!source.tensor) {
    // Without an index the value is not looked at.
    SmallVector<Expr> empty;
    for (Expr size : index.sizes)
      empty.push_back(op.exprs.eq(size, op.literal(0)));
    number = op.parameter(source, self.dtype, op.exprs.logicalOr(empty));
  }
  // Columns with the same indices are written row by row.
  Unexpanded own = findUnexpanded(op, index);
  SmallVector<Value> loop = op.loop(
      index.sizes, self.value,
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value value = number;
        if (source.tensor)
          value = tensor::ExtractOp::create(b, op.loc, source.tensor->value,
                                            positions);
        SmallVector<Value> ofIndex;
        for (std::optional<int64_t> dim : own.dims)
          ofIndex.push_back(dim ? positions[*dim]
                                : arith::ConstantIndexOp::create(b, op.loc, 0));
        Value target =
            tensor::ExtractOp::create(b, op.loc, own.tensor.value, ofIndex);
        SmallVector<Value> at(positions);
        at[dim] = toPosition(op, b, target);
        Scalars scalars(b, op.loc, self.dtype);
        return SmallVector<Value>{
            insertCombined(scalars, value, carry[0], at, combine)};
      });
  return op.make(loop[0], self.dtype, self.sizes);
}

Tensor buildScatterAdd(Lowering &op, const Tensor &self, int64_t dim,
                       const Tensor &index, const Tensor &source) {
  return buildScatter(op, self, dim, index, source, combineAdd);
}

Tensor buildScatterOver(Lowering &op, const Tensor &self, int64_t dim,
                        const Tensor &index, const Tensor &source) {
  return buildScatter(op, self, dim, index, source, nullptr);
}

/// Gets self, index and source in a form with dimensions, and writes.
static void lowerScatterWith(Lowering &op, Combine combine) {
  Tensor given = op.tensor("self"), self = op.withDim(given);
  Tensor index = op.withDim(op.tensor("index"));
  int64_t dim = op.dim("dim", self.rank());
  Operand source = op.has("src")     ? op.operand("src")
                   : op.has("value") ? op.operand("value")
                                     : op.operand("self");
  if (source.tensor)
    source = op.withDim(op.convert(*source.tensor, self.dtype));
  if (index.rank() != self.rank() ||
      (source.tensor && source.tensor->rank() != self.rank())) {
    (void)op.error("the operands differ in their number of dimensions");
    return;
  }
  // Sizes come first, as eager mode has it.
  checkSizes(op, self, dim, index, source);
  checkInRange(op, index, self.sizes[dim]);
  if (combine == combineAdd && source.tensor) {
    // Halves are not rounded after each addition.
    self = op.convert(self, getComputeDtype(self.dtype));
    source = op.convert(*source.tensor, self.dtype);
  }
  Tensor result = buildScatter(op, self, dim, index, source, combine);
  op.result(op.reshape(result, given.sizes));
}

static void lowerScatter(Lowering &op) {
  StringRef mode = op.string("reduce");
  if (!mode.empty() && mode != "add" && mode != "multiply") {
    (void)op.error("the reduction '" + mode + "' is not supported");
    return;
  }
  lowerScatterWith(op, mode == "add"        ? combineAdd
                       : mode == "multiply" ? combineMul
                                            : nullptr);
}
static void lowerScatterAdd(Lowering &op) { lowerScatterWith(op, combineAdd); }

/// The start of a reduction in which the tensor's own elements do not count.
static Value getNeutral(Lowering &op, StringRef mode, Dtype dtype) {
  Scalars s(op.b, op.loc, dtype);
  if (mode == "prod")
    return s.integer(1);
  if (mode == "amax")
    return s.lowest();
  if (mode == "amin")
    return s.highest();
  return s.integer(0);
}

static Combine getCombine(StringRef mode) {
  if (mode == "sum" || mode == "mean")
    return combineAdd;
  if (mode == "prod")
    return combineMul;
  if (mode == "amax")
    return combineMax;
  return mode == "amin" ? combineMin : nullptr;
}

namespace {
/// How many elements each position gets. Where columns get as many, one of them
/// is counted: dimensions of size 1 stand for as many positions as a number
/// tells, behind which there are none.
struct Counts {
  Tensor ofOne;
  SmallVector<std::pair<int64_t, Value>> ends;

  /// The count of the element that a body computes, of that in `ofOne`.
  Value at(Scalars &s, Value count) const {
    for (auto [dim, end] : ends) {
      Value index = linalg::IndexOp::create(s.b, s.loc, dim);
      Value isBefore = arith::CmpIOp::create(
          s.b, s.loc, arith::CmpIPredicate::slt, index, end);
      count = s.select(isBefore, count, s.integer(0));
    }
    return count;
  }
};
} // namespace
static Counts countWritten(Lowering &op, const Tensor &self, int64_t dim,
                           const Tensor &index) {
  Unexpanded own = findUnexpanded(op, index);
  SmallVector<int64_t> varying;
  for (std::optional<int64_t> ofIndex : own.dims)
    if (ofIndex)
      varying.push_back(*ofIndex);
  Counts counts;
  Tensor narrow = index;
  Sizes sizes = self.sizes;
  if (llvm::is_sorted(varying)) {
    Sizes single = index.sizes, given = index.sizes;
    for (int64_t i = 0; i < self.rank(); ++i) {
      if (llvm::is_contained(varying, i))
        continue;
      single[i] = op.literal(1);
      if (i == dim)
        continue;
      sizes[i] = op.literal(1);
      // Without a column there is nothing to count.
      given[i] = op.exprs.min(op.literal(1), index.sizes[i]);
      if (index.sizes[i] != self.sizes[i])
        counts.ends.emplace_back(i, op.size(index.sizes[i]));
    }
    narrow = op.expand(op.reshape(own.tensor, single), given);
  }
  counts.ofOne = buildScatter(op, op.fill(sizes, Dtype::I64, 0.0), dim, narrow,
                              op.literal(1), combineAdd);
  return counts;
}

/// The tensor with the start of the reduction in each element that is written.
static Tensor withoutOwn(Lowering &op, const Tensor &self, const Counts &counts,
                         StringRef mode) {
  Value neutral = getNeutral(op, mode, self.dtype);
  return op.map(
      {self, counts.ofOne}, self.dtype, self.dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value count = counts.at(s, args[1]);
        Value hit = s.compare(Compare::Ne, count, s.integer(0));
        return s.select(hit, neutral, args[0]);
      },
      self.sizes);
}

/// Divides sums by how many elements each got, with or without its own.
static Tensor divideByCounts(Lowering &op, const Tensor &sums,
                             const Counts &counts, bool includeSelf) {
  return op.map(
      {sums, counts.ofOne}, sums.dtype, sums.dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value one = s.integer(1), count = counts.at(s, args[1]);
        count = includeSelf ? s.add(count, one) : s.max(count, one);
        return s.isFloat() ? s.divFloat(args[0], count)
                           : s.divFloor(args[0], count);
      },
      sums.sizes);
}

static void lowerScatterReduce(Lowering &op) {
  Tensor given = op.tensor("self"), self = op.withDim(given);
  Tensor index = op.withDim(op.tensor("index"));
  Tensor source = op.withDim(op.convert(op.tensor("src"), self.dtype));
  StringRef mode = op.string("reduce");
  bool includeSelf = op.flag("include_self", true);
  Combine combine = getCombine(mode);
  if (!combine || index.rank() != self.rank() || source.rank() != self.rank()) {
    (void)op.error("reductions of this name, or of tensors whose dimensions "
                   "differ in number, are not supported");
    return;
  }
  int64_t dim = op.dim("dim", self.rank());
  // Sizes come first, as eager mode has it.
  checkSizes(op, self, dim, index, source);
  checkInRange(op, index, self.sizes[dim]);
  // How many elements each position gets, besides its own.
  std::optional<Counts> counts;
  if (!includeSelf || mode == "mean")
    counts = countWritten(op, self, dim, index);
  Tensor start = includeSelf ? self : withoutOwn(op, self, *counts, mode);
  Tensor result = buildScatter(op, start, dim, index, source, combine);
  if (mode == "mean")
    result = divideByCounts(op, result, *counts, includeSelf);
  op.result(op.reshape(result, given.sizes));
}

//===----------------------------------------------------------------------===//
// index_...: an index for every slice
//===----------------------------------------------------------------------===//

/// Checks that the indices of slices are in bounds, where there is something in
/// a slice.
static void checkSlices(Lowering &op, const Tensor &self, int64_t dim,
                        const Tensor &index, bool allowNegative) {
  SmallVector<Expr> empty;
  for (auto [i, size] : llvm::enumerate(self.sizes))
    if (int64_t(i) != dim)
      empty.push_back(op.exprs.eq(size, op.literal(0)));
  checkInRange(op, index, self.sizes[dim], allowNegative,
               op.state.simplify(op.exprs.logicalOr(empty)));
}

/// Writes slice i of the source into slice index[i] of `self`. All indices are
/// in bounds.
static Tensor buildIndexed(Lowering &op, const Tensor &self, int64_t dim,
                           const Tensor &index, const Operand &source,
                           Combine combine, bool allowNegative) {
  if (index.rank() != 1) {
    (void)op.error("the index must be a vector");
    return self;
  }
  Sizes sizes = self.sizes;
  sizes[dim] = index.sizes[0];
  std::optional<Tensor> values;
  Value number;
  if (source.tensor && source.tensor->rank() > 0) {
    values = op.convert(*source.tensor, self.dtype);
    if (values->rank() != self.rank()) {
      (void)op.error("the source differs in its number of dimensions");
      return self;
    }
    for (int64_t i = 0; i < self.rank(); ++i)
      op.checkEqual(values->sizes[i], sizes[i],
                    Twine(op.target) + ": the source has another size");
  } else {
    number = op.parameter(source, self.dtype);
  }
  Value size = op.size(self.sizes[dim]);
  SmallVector<Value> loop = op.loop(
      sizes, self.value,
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value value = number;
        if (values)
          value =
              tensor::ExtractOp::create(b, op.loc, values->value, positions);
        Value slice = tensor::ExtractOp::create(b, op.loc, index.value,
                                                ValueRange{positions[dim]});
        SmallVector<Value> at(positions);
        at[dim] = toPosition(op, b, slice);
        if (allowNegative) {
          Value zero = arith::ConstantIndexOp::create(b, op.loc, 0);
          Value negative = arith::CmpIOp::create(
              b, op.loc, arith::CmpIPredicate::slt, at[dim], zero);
          Value wrapped = arith::AddIOp::create(b, op.loc, at[dim], size);
          at[dim] =
              arith::SelectOp::create(b, op.loc, negative, wrapped, at[dim]);
        }
        Scalars scalars(b, op.loc, self.dtype);
        return SmallVector<Value>{
            insertCombined(scalars, value, carry[0], at, combine)};
      });
  return op.make(loop[0], self.dtype, self.sizes);
}

static void lowerIndexed(Lowering &op, const Operand &source, Combine combine,
                         bool allowNegative) {
  Tensor given = op.tensor("self"), self = op.withDim(given);
  Tensor index = op.withDim(op.tensor("index"));
  int64_t dim = op.dim("dim", self.rank());
  checkSlices(op, self, dim, index, allowNegative);
  // Sums of halves are rounded once, but those of single elements each time.
  if (combine == combineAdd && given.rank() > 1)
    self = op.convert(self, getComputeDtype(self.dtype));
  Tensor result =
      buildIndexed(op, self, dim, index, source, combine, allowNegative);
  op.result(given.rank() == 0 ? op.reshape(result, {}) : result);
}

/// Writes at indices of the flattened tensor.
static void lowerPut(Lowering &op) {
  Tensor self = op.tensor("self"), index = op.tensor("index");
  Tensor source = op.flatten(op.tensor("source"));
  bool accumulate = op.flag("accumulate", false);
  Tensor flat = op.flatten(self);
  index = op.flatten(index);
  checkSlices(op, flat, 0, index, /*allowNegative=*/true);
  Tensor result =
      buildIndexed(op, flat, 0, index, source,
                   accumulate ? combineAdd : nullptr, /*allowNegative=*/true);
  op.result(op.reshape(result, self.sizes));
}

static void lowerIndexCopy(Lowering &op) {
  lowerIndexed(op, op.operand("source"), nullptr, false);
}

static void lowerIndexAdd(Lowering &op) {
  Tensor source = op.tensor("source");
  Expr alpha = op.number("alpha", 1);
  Dtype dtype = source.dtype;
  if (!(alpha.isInt() && alpha.isConstant(1)))
    source = op.map({source, Operand(op.parameter(alpha, dtype), dtype)}, dtype,
                    dtype, [](Scalars &s, ArrayRef<Value> args) {
                      return s.mul(args[0], args[1]);
                    });
  lowerIndexed(op, source, combineAdd, false);
}

static void lowerIndexReduce(Lowering &op) {
  StringRef mode = op.string("reduce");
  bool includeSelf = op.flag("include_self", true);
  Tensor given = op.tensor("self"), self = op.withDim(given);
  Tensor index = op.withDim(op.tensor("index"));
  int64_t dim = op.dim("dim", self.rank());
  // Unlike other operators, it looks at indices of slices without elements.
  checkInRange(op, index, self.sizes[dim]);
  Operand source = op.withDim(op.tensor("source"));
  Tensor start = self;
  Counts counts;
  if (!includeSelf || mode == "mean") {
    Sizes slices(self.rank(), op.literal(1));
    slices[dim] = self.sizes[dim];
    counts.ofOne =
        buildIndexed(op, op.fill(slices, Dtype::I64, 0.0), dim, index,
                     op.literal(1), combineAdd, /*allowNegative=*/false);
  }
  if (!includeSelf)
    start = withoutOwn(op, self, counts, mode);
  Tensor result = buildIndexed(op, start, dim, index, source, getCombine(mode),
                               /*allowNegative=*/false);
  if (mode == "mean")
    result = divideByCounts(op, result, counts, includeSelf);
  op.result(given.rank() == 0 ? op.reshape(result, {}) : result);
}

/// The gradient of a lookup: the sums of what was looked up of each row. What
/// is no row, and what is padding, is added to one more row, which is left out.
static void lowerEmbeddingDenseBackward(Lowering &op) {
  Tensor grad = op.tensor("grad_output", 1), given = op.tensor("indices");
  Expr rows = op.symInt("num_weights");
  int64_t padding = op.integer("padding_idx", -1);
  bool isByFrequency = op.flag("scale_grad_by_freq", false);
  Expr width = grad.sizes.back();
  Dtype dtype = getComputeDtype(grad.dtype);
  Value limit = op.scalar(rows, Dtype::I64);
  Tensor index = op.map(
      {op.flatten(op.convert(given, Dtype::I64))}, Dtype::I64, Dtype::I64,
      [&](Scalars &s, ArrayRef<Value> args) {
        Scalars truth(s.b, s.loc, Dtype::Bool);
        Value x = args[0];
        Value isRow = truth.bitAnd(s.compare(Compare::Ge, x, s.integer(0)),
                                   s.compare(Compare::Lt, x, limit));
        isRow =
            truth.bitAnd(isRow, s.compare(Compare::Ne, x, s.integer(padding)));
        return s.select(isRow, x, limit);
      });
  Expr more = op.exprs.add(rows, op.literal(1));
  checkInRange(op, index, more);
  // Only the number of elements has to match.
  Tensor source =
      op.reshape(op.flatten(op.convert(grad, dtype)), {index.sizes[0], width});
  if (isByFrequency) {
    Tensor counts = buildIndexed(op, op.fill({more}, dtype, 0.0), 0, index,
                                 op.literal(1), combineAdd,
                                 /*allowNegative=*/false);
    Tensor often = op.unsqueeze(buildIndex(op, counts, {index}), 1);
    source = op.map(
        {source, often}, dtype, dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.divFloat(args[0], args[1]);
        },
        source.sizes);
  }
  Tensor zeros = op.fill({more, width}, dtype, 0.0);
  Tensor sums = buildIndexed(op, zeros, 0, index, source, combineAdd,
                             /*allowNegative=*/false);
  op.result(op.slice(sums, 0, op.literal(0), rows));
}

static void lowerIndexFill(Lowering &op) {
  lowerIndexed(op, op.operand("value"), nullptr, true);
}

//===----------------------------------------------------------------------===//
// select_scatter, slice_scatter
//===----------------------------------------------------------------------===//

static void lowerSelectScatter(Lowering &op) {
  Tensor self = op.tensor("self", 1), source = op.tensor("src");
  int64_t dim = op.dim("dim", self.rank());
  Expr start = wrapIndex(op, op.symInt("index"), self.sizes[dim]);
  checkIndex(op, start, self.sizes[dim]);
  Sizes sizes = self.sizes;
  sizes.erase(sizes.begin() + dim);
  Tensor part = op.expand(op.convert(source, self.dtype), sizes);
  op.result(op.insertSlice(self, op.unsqueeze(part, dim), dim, start));
}

static void lowerSliceScatter(Lowering &op) {
  Tensor self = op.tensor("self", 1), source = op.tensor("src");
  int64_t dim = op.dim("dim", self.rank());
  int64_t step = op.integer("step", 1);
  if (source.rank() != self.rank() || step <= 0) {
    (void)op.error("the source must have the dimensions of the tensor, and the "
                   "step must be positive");
    return;
  }
  Expr size = self.sizes[dim];
  Expr start = clampIndex(op, op.symInt("start", 0), size);
  Expr end = clampIndex(op, op.symInt("end", size), size);
  Expr span = op.exprs.max(op.exprs.sub(end, start), op.literal(0));
  Sizes sizes = self.sizes;
  sizes[dim] = op.state.simplify(op.exprs.ceilDiv(span, op.literal(step)));
  for (auto [mine, its] : llvm::zip(sizes, source.sizes))
    op.checkEqual(mine, its,
                  Twine(op.target) + ": the source has another size");
  Tensor part = op.convert(source, self.dtype);
  part.sizes = sizes;
  part.value = op.cast(part.value, op.tensorType(sizes, self.dtype));
  op.result(op.insertSlice(self, part, dim, start, step));
}

/// The elements of the source, one after the other, where the mask is true.
static void lowerMaskedScatter(Lowering &op) {
  Tensor self = op.tensor("self"), mask = op.tensor("mask");
  Tensor source = op.flatten(op.convert(op.tensor("source"), self.dtype));
  Sizes sizes = op.broadcastSizes({self, mask});
  self = op.expand(self, sizes);
  Tensor wide = op.expand(op.convert(mask, Dtype::Bool), sizes);
  Tensor count = op.sum(wide, {}, Dtype::I64);
  Value number = op.element(count);
  Value limit = op.scalar(source.sizes[0], Dtype::I64);
  Value ok = arith::CmpIOp::create(op.b, op.loc, arith::CmpIPredicate::sle,
                                   number, limit);
  bool isScalar = self.rank() == 0;
  Tensor target = op.withDim(self);
  wide = op.withDim(wide);
  op.checkData(ok, Twine(op.target) + ": too few source elements");
  Value available = op.size(source.sizes[0]);
  SmallVector<Value> loop = op.loop(
      target.sizes, ValueRange{target.value, op.index(0)},
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        Value flag =
            tensor::ExtractOp::create(b, op.loc, wide.value, positions);
        // Past the last element nothing is taken any more.
        Value zero = arith::ConstantIndexOp::create(b, op.loc, 0);
        Value one = arith::ConstantIndexOp::create(b, op.loc, 1);
        Value old = tensor::ExtractOp::create(b, op.loc, carry[0], positions);
        // There are enough of them, as has been checked.
        Value isThere = arith::CmpIOp::create(
            b, op.loc, arith::CmpIPredicate::slt, carry[1], available);
        auto ifOp = scf::IfOp::create(
            b, op.loc, arith::AndIOp::create(b, op.loc, flag, isThere),
            [&](OpBuilder &b, Location loc) {
              Value taken = tensor::ExtractOp::create(b, loc, source.value,
                                                      ValueRange{carry[1]});
              scf::YieldOp::create(b, loc, taken);
            },
            [&](OpBuilder &b, Location loc) {
              scf::YieldOp::create(b, loc, old);
            });
        Value step = arith::SelectOp::create(b, op.loc, flag, one, zero);
        Value next = arith::AddIOp::create(b, op.loc, carry[1], step);
        Value result = tensor::InsertOp::create(b, op.loc, ifOp.getResult(0),
                                                carry[0], positions);
        return SmallVector<Value>{result, next};
      });
  Tensor result = op.make(loop[0], self.dtype, target.sizes);
  op.result(isScalar ? op.reshape(result, {}) : result);
}

void addScatters(LoweringTable &table) {
  for (StringRef overload : {"src", "value", "reduce", "value_reduce"})
    table.add(("aten.scatter." + overload).str(), lowerScatter);
  table.add("aten.scatter_add.default", lowerScatterAdd);
  table.add("aten.scatter_reduce.two", lowerScatterReduce);
  table.add("aten.index_copy.default", lowerIndexCopy);
  table.add("aten.index_add.default", lowerIndexAdd);
  table.add("aten.embedding_dense_backward.default",
            lowerEmbeddingDenseBackward);
  table.add("aten.put.default", lowerPut);
  table.add("aten.index_reduce.default", lowerIndexReduce);
  table.add("aten.index_fill.int_Scalar", lowerIndexFill);
  table.add("aten.index_fill.int_Tensor", lowerIndexFill);
  table.add("aten.select_scatter.default", lowerSelectScatter);
  table.add("aten.slice_scatter.default", lowerSliceScatter);
  table.add("aten.masked_scatter.default", lowerMaskedScatter);
}

} // namespace tally::import_pt2
