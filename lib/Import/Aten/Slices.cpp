//===- Slices.cpp - Parts of a tensor -------------------------------------===//
//
// Sizes are those that Python's slices have, at every size of the tensor. What
// the archive records holds only where nothing is clamped.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "../Symbols.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Expr wrapIndex(Lowering &op, Expr index, Expr size) {
  if (op.state.isNonNegative(index))
    return index;
  Expr wrapped = op.exprs.add(index, size);
  if (op.state.facts.range(index).isAtMost(-1))
    return op.state.simplify(wrapped);
  return op.state.simplify(
      op.exprs.select(op.exprs.lt(index, op.literal(0)), wrapped, index));
}

/// No size is as large as the largest integer, with which slices have no end.
static bool isNoEnd(Expr index) {
  return index.isConstant() &&
         index.getInt64().value_or(INT64_MAX) == INT64_MAX;
}

Expr clampIndex(Lowering &op, Expr index, Expr size) {
  if (isNoEnd(index))
    return size;
  Expr inside = op.exprs.min(index, size);
  Expr wrapped = op.exprs.max(op.exprs.add(index, size), op.literal(0));
  if (op.state.isNonNegative(index))
    return op.state.simplify(inside);
  if (op.state.facts.range(index).isAtMost(-1))
    return op.state.simplify(wrapped);
  return op.state.simplify(
      op.exprs.select(op.exprs.lt(index, op.literal(0)), wrapped, inside));
}

/// Where a slice or an element is in memory may have a name too.
static void learnOffset(Lowering &op, StringRef base, int64_t dim, Expr start) {
  const TensorMeta *meta = op.resultMeta();
  const TensorMeta *in = op.argumentMeta(base);
  if (!meta || !in)
    return;
  std::optional<StringRef> symbol = getLoneSymbol(meta->storageOffset.srepr);
  if (!symbol || op.state.lookup(*symbol) || dim >= int64_t(in->strides.size()))
    return;
  // That of an argument may have a name which nothing binds, as it has no
  // meaning here.
  Expr offset = op.function.findRecorded(in->storageOffset);
  Expr stride = op.function.findRecorded(in->strides[dim]);
  if (!offset || !stride)
    return;
  op.state.define(*symbol, op.exprs.add(offset, op.exprs.mul(start, stride)));
}

namespace {
struct SliceRange {
  Expr start, size;
};
} // namespace

static SliceRange getSliceRange(Lowering &op, Expr size, Expr start, Expr end,
                                int64_t step) {
  SliceRange range;
  if (start && (!end || isNoEnd(end)) &&
      op.state.facts.range(start).isAtMost(-1)) {
    // The last ones: it is plain that there are at most so many.
    Expr span = op.state.simplify(op.exprs.min(size, op.exprs.neg(start)));
    range.start = op.state.simplify(op.exprs.sub(size, span));
    range.size = op.state.simplify(op.exprs.ceilDiv(span, op.literal(step)));
    return range;
  }
  range.start = start ? clampIndex(op, start, size) : op.literal(0);
  Expr stop = end ? clampIndex(op, end, size) : size;
  // A start past the end makes the slice empty, clamped or not: the expression
  // is simpler without the clamp.
  bool isPlain = start && op.state.isNonNegative(start);
  Expr span = op.exprs.sub(stop, isPlain ? start : range.start);
  span = op.exprs.max(span, op.literal(0));
  range.size = op.state.simplify(op.exprs.ceilDiv(span, op.literal(step)));
  return range;
}

static SliceRange getSliceRange(Lowering &op, const Tensor &in, int64_t dim) {
  int64_t step = op.integer("step", 1);
  if (step <= 0) {
    (void)op.error("the step must be positive");
    step = 1;
  }
  return getSliceRange(op, in.sizes[dim], op.symInt("start", Expr()),
                       op.symInt("end", Expr()), step);
}

/// Notes which dimensions of its base a slice has.
static void noteDims(Lowering &op, unsigned index, ArrayRef<int64_t> dims) {
  if (op.hasFailed() || index >= op.numResults())
    return;
  auto it = op.scope.values.find(op.resultName(index));
  if (it != op.scope.values.end() && it->second.isTensor())
    op.function.getSlot(it->second.slot).dimsOfBase =
        SmallVector<int64_t>(dims);
}

static void resultSlice(Lowering &op, int64_t dim, SliceRange range,
                        int64_t step, unsigned index = 0) {
  op.resultView(
      "self",
      [=](Lowering &op, const Tensor &in) {
        return op.slice(in, dim, range.start, range.size, step);
      },
      [=](Lowering &op, const Tensor &base, const Tensor &view) {
        return op.insertSlice(base, view, dim, range.start, step);
      },
      index);
  noteDims(op, index, llvm::to_vector(llvm::seq(op.tensor("self").rank())));
}

static void lowerSlice(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank());
  SliceRange range = getSliceRange(op, in, dim);
  learnOffset(op, "self", dim, range.start);
  resultSlice(op, dim, range, op.integer("step", 1));
}

static void lowerNarrow(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank());
  Expr length = op.symInt("length");
  Expr start = wrapIndex(op, op.symInt("start"), in.sizes[dim]);
  op.check({Comparison::le(op.literal(0), start),
            Comparison::le(op.literal(0), length),
            Comparison::le(op.exprs.add(start, length), in.sizes[dim])},
           Twine(op.target) + ": the slice is out of range");
  learnOffset(op, "self", dim, start);
  resultSlice(op, dim, {start, length}, 1);
}

static Tensor selectAt(Lowering &op, const Tensor &in, int64_t dim,
                       Expr start) {
  return op.squeeze(op.slice(in, dim, start, op.literal(1)), {dim});
}

static void resultSelect(Lowering &op, int64_t dim, Expr start,
                         unsigned index = 0) {
  op.resultView(
      "self",
      [=](Lowering &op, const Tensor &in) {
        return selectAt(op, in, dim, start);
      },
      [=](Lowering &op, const Tensor &base, const Tensor &view) {
        return op.insertSlice(base, op.unsqueeze(view, dim), dim, start);
      },
      index);
  auto dims = llvm::to_vector(llvm::seq(op.tensor("self").rank()));
  dims.erase(dims.begin() + dim);
  noteDims(op, index, dims);
}

void checkIndex(Lowering &op, Expr start, Expr size) {
  std::string message = (op.target + ": the index is out of range").str();
  // An index that counts from the end leaves nothing to say of the other one.
  Expr back = op.state.simplify(op.exprs.sub(size, start));
  if (back.isConstant() && back.getInt64().value_or(0) > 0)
    return op.check(Comparison::le(back, size), message);
  op.check({Comparison::le(op.literal(0), start), Comparison::lt(start, size)},
           message);
}

static void lowerSelect(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank());
  Expr start = wrapIndex(op, op.symInt("index"), in.sizes[dim]);
  checkIndex(op, start, in.sizes[dim]);
  learnOffset(op, "self", dim, start);
  resultSelect(op, dim, start);
}

static void lowerUnbind(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dim", in.rank());
  op.checkEqual(in.sizes[dim], op.literal(op.numResults()),
                Twine(op.target) +
                    ": the number of parts is that of the traced call");
  for (unsigned i = 0; i < op.numResults(); ++i)
    resultSelect(op, dim, op.literal(i), i);
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

/// Gives the parts of a dimension, one after the other.
static void resultParts(Lowering &op, const Tensor &in, int64_t dim,
                        ArrayRef<Expr> sizes) {
  op.checkEqual(op.exprs.sum(sizes), in.sizes[dim],
                Twine(op.target) + ": the parts do not add up to the size");
  Expr start = op.literal(0);
  for (unsigned i = 0; i < op.numResults() && i < sizes.size(); ++i) {
    resultSlice(op, dim, {start, sizes[i]}, 1, i);
    start = op.state.simplify(op.exprs.add(start, sizes[i]));
  }
}

/// Parts of one size, but for the last, in the number that was recorded. What
/// is empty has so many empty parts where `splitsNothing`.
static void resultEqualParts(Lowering &op, const Tensor &in, int64_t dim,
                             Expr size, bool splitsNothing = false) {
  SmallVector<Expr> sizes(op.numResults(), size);
  if (!sizes.empty()) {
    Expr others = op.exprs.mul(size, op.literal(op.numResults() - 1));
    Expr all = op.exprs.mul(size, op.literal(op.numResults()));
    sizes.back() = op.state.simplify(op.exprs.sub(in.sizes[dim], others));
    // As many parts as were recorded, and no more.
    bool mayBeEmpty = op.numResults() == 1 || splitsNothing;
    op.check({mayBeEmpty ? Comparison::le(others, in.sizes[dim])
                         : Comparison::lt(others, in.sizes[dim]),
              Comparison::le(in.sizes[dim], all)},
             Twine(op.target) +
                 ": the number of parts is that of the traced call");
    if (splitsNothing && op.numResults() != 1)
      op.check(op.exprs.logicalOr(op.exprs.eq(in.sizes[dim], op.literal(0)),
                                  op.exprs.lt(others, in.sizes[dim])),
               Twine(op.target) +
                   ": the number of parts is that of the traced call");
  }
  resultParts(op, in, dim, sizes);
}

static void lowerSplit(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t dim = op.dim("dim", std::max<int64_t>(in.rank(), 1));
  StringRef name = op.has("split_sizes") ? "split_sizes" : "split_size";
  const Argument *argument = op.find(name);
  if (in.rank() == 0 || !argument) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  if (argument->kind == Argument::Kind::List)
    return resultParts(op, in, dim, op.symInts(name));
  resultEqualParts(op, in, dim, op.numeric(name));
}

static void lowerChunk(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t dim = op.dim("dim", std::max<int64_t>(in.rank(), 1));
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t chunks = op.integer("chunks", 1);
  Expr size =
      op.state.simplify(op.exprs.ceilDiv(in.sizes[dim], op.literal(chunks)));
  resultEqualParts(op, in, dim, size, chunks == int64_t(op.numResults()));
}

//===----------------------------------------------------------------------===//
// Diagonals and windows
//===----------------------------------------------------------------------===//

/// The position of an element of a window, which the last index counts.
static SmallVector<Value> getUnfolded(OpBuilder &b, Location loc,
                                      ValueRange indices, int64_t dim,
                                      Value stride) {
  SmallVector<Value> at(indices.drop_back());
  Value start = arith::MulIOp::create(b, loc, at[dim], stride);
  at[dim] = arith::AddIOp::create(b, loc, start, indices.back());
  return at;
}

/// Windows of `size` elements, `step` apart, along a new last dimension.
static void lowerUnfold(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  int64_t dim = op.dim("dimension", in.rank());
  Expr size = op.symInt("size"), step = op.symInt("step");
  op.check({Comparison::le(size, in.sizes[dim]),
            Comparison::lt(op.literal(0), step)},
           Twine(op.target) + ": the window is larger than the tensor");
  op.resultView(
      "self",
      [=](Lowering &op, const Tensor &in) {
        Sizes sizes = in.sizes;
        sizes[dim] = op.state.simplify(op.exprs.add(
            op.exprs.floorDiv(op.exprs.sub(in.sizes[dim], size), step),
            op.literal(1)));
        sizes.push_back(size);
        Value stride = op.size(step);
        return op.generate(sizes, in.dtype,
                           [&](Scalars &s, ValueRange indices) -> Value {
                             return tensor::ExtractOp::create(
                                 s.b, s.loc, in.value,
                                 getUnfolded(s.b, s.loc, indices, dim, stride));
                           });
      },
      [=](Lowering &op, const Tensor &base, const Tensor &view) {
        // Which of several windows an element is written by is not defined.
        op.check(Comparison::le(size, step),
                 Twine(op.target) + ": windows that overlap are read only");
        Value stride = op.size(step);
        SmallVector<Value> loop =
            op.loop(view.sizes, base.value,
                    [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
                      Value value = tensor::ExtractOp::create(
                          b, op.loc, view.value, positions);
                      return SmallVector<Value>{tensor::InsertOp::create(
                          b, op.loc, value, carry[0],
                          getUnfolded(b, op.loc, positions, dim, stride))};
                    });
        return op.make(loop[0], base.dtype, base.sizes);
      });
}

static void lowerTrace(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() != 2) {
    (void)op.error("a matrix is needed");
    return;
  }
  Expr length = op.state.simplify(op.exprs.min(in.sizes[0], in.sizes[1]));
  Tensor diagonal = op.generate(
      {length}, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        return tensor::ExtractOp::create(s.b, s.loc, in.value,
                                         ValueRange{indices[0], indices[0]});
      });
  op.result(op.sum(diagonal, {},
                   getComputeDtype(op.resultDtype(0, getSumDtype(in.dtype)))));
}

/// Parts whose sizes differ by one at most, the larger ones first.
static void resultSections(Lowering &op, const Tensor &in, int64_t dim,
                           int64_t sections) {
  Expr start = op.literal(0);
  for (int64_t i = 0; i < sections && i < int64_t(op.numResults()); ++i) {
    Expr rest = op.exprs.add(in.sizes[dim], op.literal(sections - 1 - i));
    Expr size =
        op.state.simplify(op.exprs.floorDiv(rest, op.literal(sections)));
    resultSlice(op, dim, {start, size}, 1, unsigned(i));
    start = op.state.simplify(op.exprs.add(start, size));
  }
}

/// Parts that end where the next one starts, as Python's slices.
static void resultBetween(Lowering &op, const Tensor &in, int64_t dim,
                          ArrayRef<Expr> indices) {
  for (unsigned i = 0; i < op.numResults() && i <= indices.size(); ++i) {
    Expr start = i == 0 ? op.literal(0) : indices[i - 1];
    Expr end = i < indices.size() ? indices[i] : in.sizes[dim];
    resultSlice(op, dim, getSliceRange(op, in.sizes[dim], start, end, 1), 1, i);
  }
}

static void lowerTensorSplit(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t dim = op.dim("dim", std::max<int64_t>(in.rank(), 1));
  if (in.rank() == 0)
    (void)op.error("the tensor has no dimensions");
  else if (op.has("indices"))
    resultBetween(op, in, dim, op.symInts("indices"));
  else
    resultSections(op, in, dim, op.integer("sections", 1));
}

/// hsplit, vsplit, dsplit: along a dimension of their own.
template <int64_t along>
static void lowerSplitAlong(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t dim = along == 1 && in.rank() == 1 ? 0 : along;
  if (dim >= in.rank()) {
    (void)op.error("the tensor has too few dimensions");
    return;
  }
  if (op.has("indices"))
    return resultBetween(op, in, dim, op.symInts("indices"));
  int64_t sections = op.integer("sections", 1);
  op.checkEqual(op.exprs.mod(in.sizes[dim], op.literal(sections)),
                op.literal(0),
                Twine(op.target) + ": the parts must be of one size");
  resultSections(op, in, dim, sections);
}

void addSlices(LoweringTable &table) {
  table.add("aten.slice.Tensor", lowerSlice);
  table.add("aten.narrow.default", lowerNarrow);
  table.add("aten.select.int", lowerSelect);
  table.add("aten.unbind.int", lowerUnbind);
  table.add("aten.split.Tensor", lowerSplit);
  table.add("aten.split.sizes", lowerSplit);
  table.add("aten.split.default", lowerSplit);
  table.add("aten.split_with_sizes.default", lowerSplit);
  table.add("aten.chunk.default", lowerChunk);
  table.add("aten.tensor_split.sections", lowerTensorSplit);
  table.add("aten.tensor_split.indices", lowerTensorSplit);
  for (StringRef overload : {"int", "array"}) {
    table.add(("aten.hsplit." + overload).str(), lowerSplitAlong<1>);
    table.add(("aten.vsplit." + overload).str(), lowerSplitAlong<0>);
    table.add(("aten.dsplit." + overload).str(), lowerSplitAlong<2>);
  }
  table.add("aten.unfold.default", lowerUnfold);
  table.add("aten.trace.default", lowerTrace);
}

} // namespace tally::import_pt2
