//===- Joins.cpp - Concatenation, padding, repetition ---------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

/// Converts all tensors to the type they are promoted to.
static SmallVector<Tensor> promoteAll(Lowering &op, ArrayRef<Tensor> tensors) {
  Dtype dtype = op.resultDtype();
  SmallVector<Tensor> result;
  for (const Tensor &tensor : tensors)
    result.push_back(op.convert(tensor, dtype));
  return result;
}

static void lowerCat(Lowering &op) {
  SmallVector<Tensor> tensors;
  // An empty tensor of one dimension joins with anything, and adds nothing.
  SmallVector<Tensor> given = op.tensors("tensors");
  int64_t rank = 0;
  for (const Tensor &tensor : given)
    rank = std::max(rank, tensor.rank());
  for (const Tensor &tensor : given)
    if (tensor.rank() != 1 || rank == 1 || !tensor.sizes[0].isConstant(0))
      tensors.push_back(tensor);
  for (const Tensor &tensor : tensors)
    if (tensor.rank() != rank || rank == 0) {
      (void)op.error("the tensors differ in their number of dimensions");
      return;
    }
  op.result(op.concat(promoteAll(op, tensors), op.dim("dim", rank)));
}

static void resultStacked(Lowering &op, ArrayRef<Tensor> tensors, int64_t dim) {
  SmallVector<Tensor> parts;
  for (const Tensor &tensor : promoteAll(op, tensors))
    parts.push_back(op.unsqueeze(tensor, dim));
  op.result(op.concat(parts, dim));
}

static void lowerStack(Lowering &op) {
  SmallVector<Tensor> tensors = op.tensors("tensors");
  resultStacked(op, tensors, op.dim("dim", tensors[0].rank() + 1));
}

/// vstack, hstack, dstack: tensors with too few dimensions get them, as
/// atleast_2d and atleast_3d give them.
template <int64_t minRank, int64_t dim>
static void lowerStackAlong(Lowering &op) {
  SmallVector<Tensor> tensors = promoteAll(op, op.tensors("tensors"));
  bool isVector = tensors[0].rank() <= 1;
  for (Tensor &tensor : tensors) {
    if (tensor.rank() == 0)
      tensor = op.unsqueeze(tensor, 0);
    if (tensor.rank() == 1 && minRank > 1)
      tensor = op.unsqueeze(tensor, 0);
    if (tensor.rank() < minRank)
      tensor = op.unsqueeze(tensor, tensor.rank());
  }
  op.result(op.concat(tensors, dim == 1 && minRank == 1 && isVector ? 0 : dim));
}

/// Vectors become columns.
static void lowerColumnStack(Lowering &op) {
  SmallVector<Tensor> tensors = promoteAll(op, op.tensors("tensors"));
  for (Tensor &tensor : tensors)
    if (tensor.rank() <= 1)
      tensor = op.reshape(tensor, {op.numel(tensor), op.literal(1)});
  op.result(op.concat(tensors, 1));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

Tensor buildPad(Lowering &op, const Tensor &in, ArrayRef<Expr> low,
                ArrayRef<Expr> high, Value value) {
  // Negative padding takes elements away.
  Tensor inner = in;
  Expr zero = op.literal(0);
  Sizes before, after;
  for (int64_t dim = 0; dim < in.rank(); ++dim) {
    Expr cut = op.state.simplify(op.exprs.max(op.exprs.neg(low[dim]), zero));
    Expr cutEnd =
        op.state.simplify(op.exprs.max(op.exprs.neg(high[dim]), zero));
    if (!cut.isConstant(0) || !cutEnd.isConstant(0)) {
      Expr size = op.exprs.sub(in.sizes[dim], op.exprs.add(cut, cutEnd));
      inner = op.slice(inner, dim, cut, op.state.simplify(size));
    }
    before.push_back(op.state.simplify(op.exprs.max(low[dim], zero)));
    after.push_back(op.state.simplify(op.exprs.max(high[dim], zero)));
  }
  Sizes sizes;
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    sizes.push_back(op.exprs.sum({before[dim], inner.sizes[dim], after[dim]}));
  SmallVector<OpFoldResult> strides(size_t(in.rank()), op.b.getIndexAttr(1));
  return op.insertSlice(op.fill(sizes, in.dtype, value), inner,
                        op.sizesOrLiterals(before), strides);
}

/// Finds the pairs of a padding argument, which start at the last dimension.
/// Returns false, with an error, where they do not fit the tensor.
static bool getPadding(Lowering &op, int64_t rank, Sizes &low, Sizes &high) {
  Sizes pad = op.symInts(op.has("pad") ? "pad" : "padding");
  low.assign(rank, op.literal(0));
  high.assign(rank, op.literal(0));
  if (pad.size() % 2 != 0 || int64_t(pad.size()) > 2 * rank) {
    (void)op.error("the padding does not fit the tensor");
    return false;
  }
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    low[rank - 1 - int64_t(i / 2)] = pad[i];
    high[rank - 1 - int64_t(i / 2)] = pad[i + 1];
  }
  return true;
}

namespace {

/// Where a padded element comes from along a dimension.
class PadIndex {
public:
  PadIndex(Scalars &s, StringRef mode) : s(s), mode(mode) {}

  /// The index of the element `i` behind the first one, or in front of it.
  Value get(Value i, Value size) {
    Value last = sub(size, constant(1));
    if (mode == "reflect") {
      // |i|, then mirrored at the last element.
      i = arith::MaxSIOp::create(s.b, s.loc, i, sub(constant(0), i));
      i = arith::MinSIOp::create(s.b, s.loc, i, sub(add(last, last), i));
    } else if (mode == "circular") {
      Value below = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::slt,
                                          i, constant(0));
      Value above =
          arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::sge, i, size);
      i = s.select(below, add(i, size), s.select(above, sub(i, size), i));
    }
    i = arith::MaxSIOp::create(s.b, s.loc, i, constant(0));
    return arith::MinSIOp::create(s.b, s.loc, i, last);
  }

  Value add(Value x, Value y) {
    return arith::AddIOp::create(s.b, s.loc, x, y);
  }
  Value sub(Value x, Value y) {
    return arith::SubIOp::create(s.b, s.loc, x, y);
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(s.b, s.loc, value);
  }

  Scalars &s;
  StringRef mode;
};

/// Elements of the border are repeated, mirrored, or taken from the other end.
class BorderPad {
public:
  BorderPad(Lowering &op, const Tensor &in, StringRef mode, ArrayRef<Expr> low,
            ArrayRef<Expr> high)
      : op(op), in(in), mode(mode), low(low), high(high) {
    for (int64_t dim = 0; dim < in.rank(); ++dim) {
      sizes.push_back(op.exprs.sum({low[dim], in.sizes[dim], high[dim]}));
      lowValues.push_back(op.size(low[dim]));
      sizeValues.push_back(op.size(in.sizes[dim]));
    }
  }

  Tensor build() {
    Expr before = low.back(), after = high.back();
    if (!before.isConstant() || !after.isConstant() ||
        before.getConstant() < 0 || after.getConstant() < 0)
      return buildPart(op.literal(0), sizes.back(), /*isInside=*/false);
    // All but the borders of the last dimension is copied row by row.
    SmallVector<Tensor> parts;
    auto addPart = [&](Expr start, Expr size, bool isInside) {
      if (!size.isConstant(0))
        parts.push_back(buildPart(start, size, isInside));
    };
    addPart(op.literal(0), before, /*isInside=*/false);
    addPart(before, in.sizes.back(), /*isInside=*/true);
    addPart(op.exprs.add(before, in.sizes.back()), after, /*isInside=*/false);
    if (parts.empty())
      return buildPart(op.literal(0), sizes.back(), /*isInside=*/false);
    Tensor result = op.concat(parts, in.rank() - 1);
    return op.make(result.value, in.dtype, sizes);
  }

private:
  /// Some columns of the result, from `start` on.
  Tensor buildPart(Expr start, Expr size, bool isInside) {
    Sizes part = sizes;
    part.back() = size;
    Value first = op.size(start);
    return op.generate(
        part, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
          PadIndex index(s, mode);
          SmallVector<Value> at;
          for (auto [i, low, size] :
               llvm::zip(indices, lowValues, sizeValues)) {
            bool isLast = at.size() + 1 == indices.size();
            if (isLast && isInside) {
              at.push_back(i);
              continue;
            }
            Value column = isLast ? index.add(i, first) : i;
            at.push_back(index.get(index.sub(column, low), size));
          }
          return tensor::ExtractOp::create(s.b, s.loc, in.value, at);
        });
  }

  Lowering &op;
  const Tensor &in;
  StringRef mode;
  ArrayRef<Expr> low, high;
  Sizes sizes;
  SmallVector<Value> lowValues, sizeValues;
};

} // namespace

/// Removes what negative padding removes, so that what goes around is what is
/// left.
static Tensor cutNegative(Lowering &op, Tensor in, Sizes &low, Sizes &high) {
  Expr zero = op.literal(0);
  auto isPositive = [](Expr pad) {
    return pad.isConstant() && pad.getConstant() >= 0;
  };
  for (int64_t dim = 0; dim < in.rank(); ++dim) {
    if (isPositive(low[dim]) && isPositive(high[dim]))
      continue;
    Expr first = op.exprs.max(op.exprs.sub(zero, low[dim]), zero);
    Expr last = op.exprs.max(op.exprs.sub(zero, high[dim]), zero);
    Expr cut = op.exprs.add(first, last);
    op.check(op.exprs.le(cut, in.sizes[dim]),
             Twine(op.target) + ": more is removed than there is");
    in = op.slice(in, dim, op.state.simplify(first),
                  op.state.simplify(op.exprs.sub(in.sizes[dim], cut)));
    low[dim] = op.state.simplify(op.exprs.max(low[dim], zero));
    high[dim] = op.state.simplify(op.exprs.max(high[dim], zero));
  }
  return in;
}

static void lowerPadByIndex(Lowering &op, StringRef mode) {
  Tensor in = op.tensor("self");
  Sizes low, high;
  if (!getPadding(op, in.rank(), low, high))
    return;
  if (in.rank() == 0) {
    (void)op.error("a tensor of rank 0 has no border");
    return;
  }
  if (mode == "circular")
    in = cutNegative(op, in, low, high);
  // All dimensions but a batch must have elements, also those that stay.
  size_t pads = op.symInts(op.has("pad") ? "pad" : "padding").size() / 2;
  int64_t batch = int64_t(pads) + 2 == in.rank() ? 1 : 0;
  for (int64_t dim = batch; dim < in.rank() && mode != "circular"; ++dim)
    op.check(op.exprs.gt(in.sizes[dim], op.literal(0)),
             Twine(op.target) + ": the input is empty");
  for (int64_t dim = 0; dim < in.rank(); ++dim) {
    bool isPadded = !low[dim].isConstant(0) || !high[dim].isConstant(0);
    Expr least = op.literal(1);
    if (mode == "reflect")
      least = op.exprs.add(op.exprs.max(low[dim], high[dim]), op.literal(1));
    else if (mode == "circular")
      least = op.exprs.max({low[dim], high[dim], op.literal(1)});
    if (isPadded)
      op.check(Comparison::le(least, in.sizes[dim]),
               Twine(op.target) + ": too few elements for the padding");
  }
  op.result(BorderPad(op, in, mode, low, high).build());
}

static void lowerPad(Lowering &op) {
  StringRef mode = op.string("mode", "constant");
  if (mode != "constant")
    return lowerPadByIndex(op, mode);
  Tensor in = op.tensor("self");
  Sizes low, high;
  if (!getPadding(op, in.rank(), low, high))
    return;
  // Where nothing is added the value is not looked at.
  SmallVector<Expr> cuts;
  for (Expr pad : llvm::concat<Expr>(low, high))
    cuts.push_back(op.exprs.le(pad, op.literal(0)));
  Value value =
      op.parameter(op.number("value", 0), in.dtype, op.exprs.logicalAnd(cuts));
  op.result(buildPad(op, in, low, high, value));
}
static void lowerReflectionPad(Lowering &op) { lowerPadByIndex(op, "reflect"); }
static void lowerReplicationPad(Lowering &op) {
  lowerPadByIndex(op, "replicate");
}

/// Sequences side by side, each as long as the longest one.
static void lowerPadSequence(Lowering &op) {
  SmallVector<Tensor> sequences = op.tensors("sequences");
  bool isLeft = op.string("padding_side", "right") == "left";
  Expr longest = op.literal(0), zero = longest;
  for (const Tensor &sequence : sequences) {
    if (sequence.rank() == 0) {
      (void)op.error("a sequence has no dimensions");
      return;
    }
    longest = op.exprs.max(longest, sequence.sizes[0]);
  }
  longest = op.state.simplify(longest);
  Value value = op.scalar(op.number("padding_value", 0), sequences[0].dtype);
  SmallVector<Tensor> padded;
  for (const Tensor &sequence : sequences) {
    Sizes none(sequence.rank(), zero), some = none, sizes = sequence.sizes;
    some[0] = op.state.simplify(op.exprs.sub(longest, sequence.sizes[0]));
    Tensor wide = buildPad(op, sequence, isLeft ? some : none,
                           isLeft ? none : some, value);
    sizes[0] = longest;
    padded.push_back(op.make(wide.value, wide.dtype, sizes));
  }
  resultStacked(op, padded, op.flag("batch_first", false) ? 0 : 1);
}

//===----------------------------------------------------------------------===//
// Repetition and reversal
//===----------------------------------------------------------------------===//

/// Repeats the whole tensor along each dimension.
static void lowerRepeat(Lowering &op) {
  Tensor in = op.tensor("self");
  Sizes repeats = op.symInts(op.has("repeats") ? "repeats" : "dims");
  Tensor source = in;
  while (source.rank() < int64_t(repeats.size()))
    source = op.unsqueeze(source, 0);
  while (int64_t(repeats.size()) < source.rank())
    repeats.insert(repeats.begin(), op.literal(1));
  // [a, b] repeated is [r0, a, r1, b] expanded and flattened.
  Sizes ones, wide, merged;
  for (auto [size, repeat] : llvm::zip(source.sizes, repeats)) {
    op.check(Comparison::le(op.literal(0), repeat),
             Twine(op.target) + ": a negative number of repetitions");
    ones.append({op.literal(1), size});
    wide.append({repeat, size});
    merged.push_back(op.exprs.mul(repeat, size));
  }
  if (repeats.empty())
    return op.result(in);
  Tensor spread = op.expand(op.reshape(source, ones), wide);
  op.result(op.reshape(spread, merged));
}

/// Repeats each element the same number of times.
static void lowerRepeatInterleave(Lowering &op) {
  Tensor in = op.tensor("self");
  Expr repeats = op.symInt("repeats");
  if (!op.has("dim"))
    in = op.flatten(in);
  int64_t dim = op.has("dim") ? op.dim("dim", in.rank()) : 0;
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  op.check(Comparison::le(op.literal(0), repeats),
           Twine(op.target) + ": a negative number of repetitions");
  Sizes wide = in.sizes, merged = in.sizes;
  wide.insert(wide.begin() + dim + 1, repeats);
  merged[dim] = op.exprs.mul(in.sizes[dim], repeats);
  if (op.has("output_size"))
    op.checkEqual(op.symInt("output_size"), merged[dim],
                  Twine(op.target) + ": the output has another size");
  op.result(op.reshape(op.expand(op.unsqueeze(in, dim + 1), wide), merged));
}

/// Reads with an index computed per dimension.
static Tensor remap(
    Lowering &op, const Tensor &in,
    function_ref<Value(OpBuilder &, int64_t dim, Value index, Value size)> fn) {
  SmallVector<Value> sizes;
  for (Expr size : in.sizes)
    sizes.push_back(op.size(size));
  return op.generate(
      in.sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at;
        for (auto [dim, index] : llvm::enumerate(indices))
          at.push_back(fn(s.b, int64_t(dim), index, sizes[dim]));
        return tensor::ExtractOp::create(s.b, s.loc, in.value, at);
      });
}

Tensor buildFlip(Lowering &op, const Tensor &in, ArrayRef<int64_t> dims) {
  return remap(op, in, [&](OpBuilder &b, int64_t dim, Value i, Value size) {
    if (!llvm::is_contained(dims, dim))
      return i;
    Value one = arith::ConstantIndexOp::create(b, op.loc, 1);
    Value last = arith::SubIOp::create(b, op.loc, size, one);
    return Value(arith::SubIOp::create(b, op.loc, last, i));
  });
}

static void lowerFlip(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims;
  for (int64_t dim : op.integers("dims"))
    dims.push_back(op.wrapDim(dim, in.rank()));
  op.result(buildFlip(op, in, dims));
}

/// fliplr and flipud.
template <int64_t dim>
static void lowerFlipAlong(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() <= dim) {
    (void)op.error("the tensor has too few dimensions");
    return;
  }
  op.result(buildFlip(op, in, {dim}));
}

/// Quarter turns in the plane of two dimensions.
static void lowerRot90(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims = op.integers("dims");
  if (dims.empty())
    dims = {0, 1};
  if (dims.size() != 2 || in.rank() < 2) {
    (void)op.error("two dimensions are needed");
    return;
  }
  int64_t a = op.wrapDim(dims[0], in.rank());
  int64_t c = op.wrapDim(dims[1], in.rank());
  int64_t turns = ((op.integer("k", 1) % 4) + 4) % 4;
  auto swapped = llvm::to_vector(llvm::seq<int64_t>(0, in.rank()));
  std::swap(swapped[a], swapped[c]);
  if (turns == 1)
    in = op.permute(buildFlip(op, in, {c}), swapped);
  else if (turns == 2)
    in = buildFlip(op, in, {a, c});
  else if (turns == 3)
    in = buildFlip(op, op.permute(in, swapped), {c});
  op.result(in);
}

/// The elements of a dimension `shift` further on; what leaves it at one end
/// comes in at the other.
static Tensor rollDim(Lowering &op, const Tensor &in, int64_t rolled,
                      Expr shift) {
  // -shift, brought into [0, size); there is nothing at size 0.
  Expr size = in.sizes[rolled];
  Expr start = op.state.simplify(
      op.exprs.mod(op.exprs.neg(shift), op.exprs.max(size, op.literal(1))));
  Expr rest = op.state.simplify(op.exprs.sub(size, start));
  Tensor last = op.slice(in, rolled, start, rest),
         first = op.slice(in, rolled, op.literal(0), start);
  // Of a symbol that is one number, both parts may be numbers.
  Value whole = op.concat({last, first}, rolled).value;
  return op.make(op.cast(whole, op.tensorType(in.sizes, in.dtype)), in.dtype,
                 in.sizes);
}

/// Brings the first element of dimensions to their middle, or back.
template <bool isBack>
static void lowerShift(Lowering &op) {
  Tensor in = op.tensor("self");
  for (int64_t dim : op.dims("dim", in.rank())) {
    Expr more = op.exprs.add(in.sizes[dim], op.literal(isBack ? 1 : 0));
    in = rollDim(op, in, dim, op.exprs.floorDiv(more, op.literal(2)));
  }
  op.result(in);
}

static void lowerRoll(Lowering &op) {
  Tensor self = op.tensor("self");
  Sizes shifts = op.symInts("shifts");
  SmallVector<int64_t> dims = op.integers("dims");
  Tensor in = dims.empty() ? op.flatten(self) : self;
  if (dims.empty())
    dims.push_back(0);
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    int64_t rolled = op.wrapDim(dim, in.rank());
    if (in.rank() == 0) {
      (void)op.error("a tensor without dimensions has none to roll");
      return;
    }
    in = rollDim(op, in, rolled, shift);
  }
  op.result(op.reshape(in, self.sizes));
}

/// Keeps a triangle of the last two dimensions; the rest becomes zero.
template <bool isUpper>
static void lowerTriangle(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t rank = in.rank();
  if (rank < 2) {
    (void)op.error("two dimensions are needed");
    return;
  }
  Value diagonal = op.size(op.symInt("diagonal", 0));
  Value init = op.empty(in.sizes, in.dtype);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{init.getType()}, ValueRange{in.value},
      ValueRange{init},
      ArrayRef<AffineMap>{op.identityMap(rank), op.identityMap(rank)},
      op.parallel(rank), [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, in.dtype);
        Value row = linalg::IndexOp::create(b, loc, rank - 2);
        Value column = linalg::IndexOp::create(b, loc, rank - 1);
        Value edge = arith::AddIOp::create(b, loc, row, diagonal);
        Value keep = arith::CmpIOp::create(b, loc,
                                           isUpper ? arith::CmpIPredicate::sge
                                                   : arith::CmpIPredicate::sle,
                                           column, edge);
        linalg::YieldOp::create(b, loc, s.select(keep, args[0], s.integer(0)));
      });
  op.result(op.make(generic.getResult(0), in.dtype, in.sizes));
}

void addJoins(LoweringTable &table) {
  table.add("aten.cat.default", lowerCat);
  table.add("aten.concat.default", lowerCat);
  table.add("aten.concatenate.default", lowerCat);
  table.add("aten.stack.default", lowerStack);
  table.add("aten.vstack.default", lowerStackAlong<2, 0>);
  table.add("aten.row_stack.default", lowerStackAlong<2, 0>);
  table.add("aten.hstack.default", lowerStackAlong<1, 1>);
  table.add("aten.dstack.default", lowerStackAlong<3, 2>);
  table.add("aten.column_stack.default", lowerColumnStack);
  table.add("aten.pad_sequence.default", lowerPadSequence);
  table.add("aten.fft_fftshift.default", lowerShift<false>);
  table.add("aten.fft_ifftshift.default", lowerShift<true>);
  table.add("aten.pad.default", lowerPad);
  table.add("aten.constant_pad_nd.default", lowerPad);
  for (StringRef dims : {"1d", "2d", "3d"}) {
    table.add(("aten.reflection_pad" + dims + ".default").str(),
              lowerReflectionPad);
    table.add(("aten.replication_pad" + dims + ".default").str(),
              lowerReplicationPad);
  }
  table.add("aten.repeat.default", lowerRepeat);
  table.add("aten.tile.default", lowerRepeat);
  table.add("aten.repeat_interleave.self_int", lowerRepeatInterleave);
  table.add("aten.flip.default", lowerFlip);
  table.add("aten.fliplr.default", lowerFlipAlong<1>);
  table.add("aten.flipud.default", lowerFlipAlong<0>);
  table.add("aten.rot90.default", lowerRot90);
  table.add("aten.roll.default", lowerRoll);
  table.add("aten.triu.default", lowerTriangle<true>);
  table.add("aten.tril.default", lowerTriangle<false>);
}

} // namespace tally::import_pt2
