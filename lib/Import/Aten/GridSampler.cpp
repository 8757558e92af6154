//===- GridSampler.cpp - Images read at places that a grid says -----------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
enum class Interpolation { Linear, Nearest, Cubic };
enum class Padding { Zeros, Border, Reflection };

/// Reads an image at places between its elements.
class Sampler {
public:
  Sampler(Lowering &op, const Tensor &in, Interpolation interpolation,
          Padding padding, bool alignsCorners)
      : interpolation(interpolation), padding(padding),
        alignsCorners(alignsCorners) {
    Expr count = op.literal(1);
    for (Expr size : ArrayRef(in.sizes).drop_front(2)) {
      sizes.push_back(op.scalar(size, getComputeDtype(in.dtype)));
      extents.push_back(op.scalar(size, Dtype::I64));
      count = op.exprs.mul(count, size);
    }
    elements = op.reshape(in, {in.sizes[0], in.sizes[1], count});
    last = op.size(op.exprs.sub(count, op.literal(1)));
  }

  /// Where a place in [-1, 1], which has the last dimension first, lies between
  /// elements.
  SmallVector<Value> locate(const Scalars &s, ArrayRef<Value> place) const;
  /// The number of elements that are mixed.
  int64_t countMixed() const {
    return int64_t(1) << countBits() * sizes.size();
  }
  /// Whether what is mixed is worth tensors of its indices and shares, which
  /// take at most 1.5 times the memory of the result.
  bool hasTensors(Expr channels) const {
    return channels.isConstant() && channels.getConstant() >= 2 * countMixed();
  }
  /// The place of one that is mixed, and its share.
  std::pair<SmallVector<Value>, Value>
  getMixed(const Scalars &s, ArrayRef<Value> place, Value number) const;
  /// The index of the element at whole places, or -1 where there is none.
  Value find(const Scalars &s, ArrayRef<Value> at) const;
  /// The element with an index, of a batch element and a channel (`lead`); 0
  /// where there is none.
  Value read(const Scalars &s, ValueRange lead, Value index) const;
  /// Mixes elements by cubics, along the dimensions that `at` has no place for
  /// yet.
  Value mixCubic(const Scalars &s, ValueRange lead, ArrayRef<Value> place,
                 SmallVector<Value> &at) const;

private:
  /// The bits that tell which element of a dimension is mixed.
  int64_t countBits() const {
    return interpolation == Interpolation::Nearest  ? 0
           : interpolation == Interpolation::Linear ? 1
                                                    : 2;
  }
  /// The place along a dimension of the element with a number there, and its
  /// share.
  std::pair<Value, Value> getMixed(const Scalars &s, Value x, Value number,
                                   size_t dim) const;
  Value getLast(const Scalars &s, size_t dim) const {
    return s.sub(sizes[dim], s.number(1));
  }
  Value toElements(const Scalars &s, Value x, size_t dim) const;
  Value reflect(const Scalars &s, Value x, size_t dim) const;
  Value pad(const Scalars &s, Value x, size_t dim) const;

  /// The image, whose spatial dimensions are one: each element that is read
  /// has one index, and `last` is the last one.
  Tensor elements;
  Value last;
  Interpolation interpolation;
  Padding padding;
  bool alignsCorners;
  /// The sizes of the spatial dimensions, as floats and as integers.
  SmallVector<Value> sizes, extents;
};
} // namespace

/// From -1 and 1, which are the ends of the image or the middles of its
/// outermost elements, to elements.
Value Sampler::toElements(const Scalars &s, Value x, size_t dim) const {
  Value moved = s.add(x, s.number(1)), two = s.number(2);
  if (alignsCorners)
    return s.mul(s.divFloat(moved, two), getLast(s, dim));
  return s.divFloat(s.sub(s.mul(moved, sizes[dim]), s.number(1)), two);
}

/// A place beyond an end as the one that a mirror there shows.
Value Sampler::reflect(const Scalars &s, Value x, size_t dim) const {
  Value zero = s.number(0), two = s.number(2), low = zero, span;
  if (alignsCorners) {
    span = getLast(s, dim);
  } else {
    low = s.number(-0.5);
    span = sizes[dim];
  }
  Value distance = s.abs(s.sub(x, low));
  Value rest = arith::RemFOp::create(s.b, s.loc, distance, span);
  Value flips = math::FloorOp::create(s.b, s.loc, s.divFloat(distance, span));
  Value odd = arith::RemFOp::create(s.b, s.loc, flips, two);
  Value isEven = s.compare(Compare::Eq, odd, zero);
  Value mirrored =
      s.select(isEven, s.add(rest, low), s.add(s.sub(span, rest), low));
  // One element is everywhere.
  return s.select(s.compare(Compare::Eq, span, zero), zero, mirrored);
}

/// A place where the image has none is one where it has, or stays.
Value Sampler::pad(const Scalars &s, Value x, size_t dim) const {
  if (padding == Padding::Zeros)
    return x;
  if (padding == Padding::Reflection)
    x = reflect(s, x, dim);
  return s.min(s.max(x, s.number(0)), getLast(s, dim));
}

Value Sampler::find(const Scalars &s, ArrayRef<Value> at) const {
  Scalars wide(s.b, s.loc, Dtype::I64);
  Value isInside, index;
  for (auto [dim, place] : llvm::enumerate(at)) {
    // False for a NaN.
    Value fits = arith::AndIOp::create(
        s.b, s.loc, s.compare(Compare::Ge, place, s.number(0)),
        s.compare(Compare::Le, place, getLast(s, dim)));
    Value safe = s.select(fits, place, s.number(0));
    Value own = arith::FPToSIOp::create(s.b, s.loc, s.b.getI64Type(), safe);
    index = index ? wide.add(wide.mul(index, extents[dim]), own) : own;
    isInside =
        isInside ? arith::AndIOp::create(s.b, s.loc, isInside, fits) : fits;
  }
  return wide.select(isInside, index, wide.integer(-1));
}

Value Sampler::read(const Scalars &s, ValueRange lead, Value index) const {
  Scalars wide(s.b, s.loc, Dtype::I64);
  SmallVector<Value> at(lead);
  at.push_back(buildClampedIndex(s.b, s.loc, index, last));
  Value x = tensor::ExtractOp::create(s.b, s.loc, elements.value, at);
  x = Scalars(s.b, s.loc, elements.dtype).castTo(s.dtype, x);
  Value isInside = wide.compare(Compare::Ge, index, wide.integer(0));
  return s.select(isInside, x, s.number(0));
}

Value Sampler::mixCubic(const Scalars &s, ValueRange lead,
                        ArrayRef<Value> place, SmallVector<Value> &at) const {
  size_t dim = at.size();
  if (dim == place.size())
    return read(s, lead, find(s, at));
  Value low = math::FloorOp::create(s.b, s.loc, place[dim]);
  Value sum;
  for (auto [i, weight] :
       llvm::enumerate(getCubicWeights(s, s.sub(place[dim], low)))) {
    at.push_back(pad(s, s.add(low, s.number(double(i) - 1)), dim));
    Value term = s.mul(weight, mixCubic(s, lead, place, at));
    at.pop_back();
    sum = sum ? s.add(sum, term) : term;
  }
  return sum;
}

SmallVector<Value> Sampler::locate(const Scalars &s,
                                   ArrayRef<Value> place) const {
  SmallVector<Value> located;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    Value x = toElements(s, place[sizes.size() - 1 - dim], dim);
    located.push_back(interpolation == Interpolation::Cubic ? x
                                                            : pad(s, x, dim));
  }
  return located;
}

std::pair<Value, Value> Sampler::getMixed(const Scalars &s, Value x,
                                          Value number, size_t dim) const {
  if (interpolation == Interpolation::Nearest)
    return {math::RoundEvenOp::create(s.b, s.loc, x), s.number(1)};
  Scalars wide(s.b, s.loc, Dtype::I64);
  auto hasNumber = [&](int64_t other) {
    return wide.compare(Compare::Eq, number, wide.integer(other));
  };
  Value low = math::FloorOp::create(s.b, s.loc, x), rest = s.sub(x, low);
  if (interpolation == Interpolation::Linear) {
    Value isFirst = hasNumber(0), one = s.number(1);
    return {s.add(low, s.select(isFirst, s.number(0), one)),
            s.select(isFirst, s.sub(one, rest), rest)};
  }
  auto weights = getCubicWeights(s, rest);
  Value share = weights.back();
  for (int64_t i = 0; i < 3; ++i)
    share = s.select(hasNumber(i), weights[i], share);
  Value offset = wide.castTo(s.dtype, wide.sub(number, wide.integer(1)));
  return {pad(s, s.add(low, offset), dim), share};
}

std::pair<SmallVector<Value>, Value>
Sampler::getMixed(const Scalars &s, ArrayRef<Value> place, Value number) const {
  Scalars wide(s.b, s.loc, Dtype::I64);
  Value mask = wide.integer((int64_t(1) << countBits()) - 1), share;
  SmallVector<Value> at;
  for (auto [dim, x] : llvm::enumerate(place)) {
    // The bits of the number say which are the next ones.
    int64_t shift = countBits() * int64_t(place.size() - 1 - dim);
    Value bits =
        wide.bitAnd(wide.shiftRight(number, wide.integer(shift)), mask);
    auto [own, ownShare] = getMixed(s, x, bits, dim);
    at.push_back(own);
    share = share ? s.mul(share, ownShare) : ownShare;
  }
  return {at, share};
}

namespace {
/// Gives the place of an element of the result without its channel.
using PlaceFn =
    function_ref<SmallVector<Value>(const Scalars &s, ValueRange at)>;
/// Gives the index of an element in the image, and its share.
using MixedFn = function_ref<std::pair<Value, Value>(
    const Scalars &s, ValueRange at, Value number)>;
} // namespace

/// Mixes what `getMixed` says.
static Tensor mixElements(Lowering &op, const Sampler &sampler,
                          ArrayRef<Expr> sizes, Dtype dtype, MixedFn getMixed) {
  return op.generate(sizes, dtype, [&](Scalars &s, ValueRange indices) {
    SmallVector<Value> at{indices[0]};
    llvm::append_range(at, indices.drop_front(2));
    Value sum;
    for (int64_t i = 0; i < sampler.countMixed(); ++i) {
      Value number = arith::ConstantIndexOp::create(s.b, s.loc, i);
      auto [index, share] = getMixed(s, at, number);
      Value x = sampler.read(s, indices.take_front(2), index);
      Value term = sampler.countMixed() == 1 ? x : s.mul(x, share);
      sum = sum ? s.add(sum, term) : term;
    }
    return sum;
  });
}

/// Mixes the elements of each place, which are the same in all channels. Where
/// there are enough of these, elements are found once and written to tensors.
static Tensor mixElements(Lowering &op, const Sampler &sampler,
                          ArrayRef<Expr> sizes, Dtype dtype, PlaceFn getPlace) {
  auto find = [&](const Scalars &s, ValueRange at, Value number) {
    Value bits =
        arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), number);
    auto [place, share] = sampler.getMixed(s, getPlace(s, at), bits);
    return std::pair(sampler.find(s, place), share);
  };
  if (!sampler.hasTensors(sizes[1]))
    return mixElements(op, sampler, sizes, dtype, MixedFn(find));
  Sizes each{op.literal(sampler.countMixed()), sizes[0]};
  llvm::append_range(each, sizes.drop_front(2));
  Tensor found = op.generate(each, Dtype::I64, [&](Scalars &s, ValueRange at) {
    Scalars floats(s.b, s.loc, dtype);
    return find(floats, at.drop_front(), at[0]).first;
  });
  Tensor shares = op.generate(each, dtype, [&](Scalars &s, ValueRange at) {
    return find(s, at.drop_front(), at[0]).second;
  });
  return mixElements(
      op, sampler, sizes, dtype,
      MixedFn([&](const Scalars &s, ValueRange place, Value number) {
        SmallVector<Value> at{number};
        llvm::append_range(at, place);
        auto read = [&](const Tensor &from) -> Value {
          return tensor::ExtractOp::create(s.b, s.loc, from.value, at);
        };
        return std::pair(read(found), read(shares));
      }));
}

/// The image at the places of a grid, whose last dimension has them.
static void lowerGridSampler(Lowering &op) {
  Tensor in = op.tensor("input"), grid = op.tensor("grid");
  int64_t spatial = in.rank() - 2;
  int64_t interpolation = op.integer("interpolation_mode", 0);
  int64_t padding = op.integer("padding_mode", 0);
  if (spatial < 2 || spatial > 3 || grid.rank() != in.rank() ||
      grid.dtype != in.dtype) {
    (void)op.error("the input and the grid must have four or five dimensions, "
                   "and one type");
    return;
  }
  if (interpolation < 0 || interpolation > (spatial == 2 ? 2 : 1) ||
      padding < 0 || padding > 2) {
    (void)op.error("the mode of interpolation or padding is not known");
    return;
  }
  op.checkEqual(in.sizes[0], grid.sizes[0],
                Twine(op.target) + ": the batch sizes differ");
  op.checkEqual(grid.sizes.back(), op.literal(spatial),
                Twine(op.target) + ": the grid must have a coordinate for "
                                   "each dimension of the image");
  for (Expr size : ArrayRef(in.sizes).drop_front(2))
    op.check(op.exprs.gt(size, op.literal(0)),
             Twine(op.target) + ": the input is empty");
  Sampler sampler(op, in, Interpolation(interpolation), Padding(padding),
                  op.flag("align_corners", false));
  // The places are one dimension, so that one loop goes over short rows.
  Sizes sizes{in.sizes[0], in.sizes[1]};
  sizes.append(grid.sizes.begin() + 1, grid.sizes.end() - 1);
  Expr count = op.product(ArrayRef(sizes).drop_front(2));
  grid = op.reshape(grid, {grid.sizes[0], count, grid.sizes.back()});
  Sizes merged{sizes[0], sizes[1], count};
  Dtype dtype = getComputeDtype(in.dtype);
  auto getPlace = [&](const Scalars &s, ValueRange indices) {
    SmallVector<Value> place, at(indices);
    for (int64_t i = 0; i < spatial; ++i) {
      at.push_back(arith::ConstantIndexOp::create(s.b, s.loc, i));
      Value x = tensor::ExtractOp::create(s.b, s.loc, grid.value, at);
      place.push_back(Scalars(s.b, s.loc, grid.dtype).castTo(s.dtype, x));
      at.pop_back();
    }
    return sampler.locate(s, place);
  };
  if (interpolation != int64_t(Interpolation::Cubic) ||
      sampler.hasTensors(sizes[1])) {
    Tensor mixed = mixElements(op, sampler, merged, dtype, PlaceFn(getPlace));
    op.result(op.reshape(mixed, sizes));
    return;
  }
  Tensor mixed =
      op.generate(merged, dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at{indices[0], indices[2]}, found;
        return sampler.mixCubic(s, indices.take_front(2), getPlace(s, at),
                                found);
      });
  op.result(op.reshape(mixed, sizes));
}

/// A coordinate in [-1, 1] of an element, of so many along a dimension: from
/// end to end, or the middles of equal parts. That of one element is 0.
static Value getCoordinate(const Scalars &s, Value index, Value size,
                           bool alignsCorners) {
  Scalars wide(s.b, s.loc, Dtype::I64);
  Value i = wide.castTo(
      s.dtype, arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index));
  Value one = s.number(1), two = s.number(2);
  Value gaps = s.max(s.sub(size, one), one);
  Value x = s.sub(s.mul(i, s.divFloat(two, gaps)), one);
  if (!alignsCorners)
    x = s.divFloat(s.mul(x, s.sub(size, one)), size);
  return s.select(s.compare(Compare::Le, size, one), s.number(0), x);
}

/// The places at which affine maps read an image, for each of its elements: the
/// coordinates, of the last dimension first, times a matrix.
static void lowerAffineGrid(Lowering &op) {
  Tensor theta = op.tensor("theta");
  Sizes size = op.symInts("size");
  bool alignsCorners = op.flag("align_corners", false);
  int64_t spatial = int64_t(size.size()) - 2;
  if (theta.rank() != 3 || (spatial != 2 && spatial != 3)) {
    (void)op.error(
        "the size of an image or a volume needs matrices of three dimensions");
    return;
  }
  Expr wanted[] = {size[0], op.literal(spatial), op.literal(spatial + 1)};
  for (auto [mine, its] : llvm::zip(theta.sizes, wanted))
    op.checkEqual(mine, its,
                  Twine(op.target) + ": the matrices do not fit the size");
  // Where F.affine_grid warns of a single row, it does not look at the batch
  // and the channels.
  bool isSingle =
      alignsCorners && llvm::any_of(ArrayRef(size).drop_front(2),
                                    [](Expr of) { return of.isConstant(1); });
  for (Expr of : ArrayRef(size).drop_front(isSingle ? 2 : 0))
    op.check(Comparison::le(op.literal(1), of),
             Twine(op.target) + ": the size must be positive");
  Dtype dtype = getComputeDtype(theta.dtype);
  SmallVector<Value> sizes;
  for (Expr of : ArrayRef(size).drop_front(2))
    sizes.push_back(op.scalar(of, dtype));
  Sizes out{size[0]};
  out.append(size.begin() + 2, size.end());
  out.push_back(op.literal(spatial));
  op.result(op.generate(out, dtype, [&](Scalars &s, ValueRange at) {
    Value sum;
    for (int64_t i = 0; i <= spatial; ++i) {
      Value column = arith::ConstantIndexOp::create(s.b, s.loc, i);
      Value factor = tensor::ExtractOp::create(
          s.b, s.loc, theta.value, ValueRange{at[0], at.back(), column});
      factor = Scalars(s.b, s.loc, theta.dtype).castTo(dtype, factor);
      if (i < spatial)
        factor =
            s.mul(factor, getCoordinate(s, at[spatial - i],
                                        sizes[spatial - 1 - i], alignsCorners));
      sum = sum ? s.add(sum, factor) : factor;
    }
    return sum;
  }));
}

void addGridSampler(LoweringTable &table) {
  table.add("aten.affine_grid_generator.default", lowerAffineGrid);
  table.add("aten.grid_sampler.default", lowerGridSampler);
  table.add("aten.grid_sampler_2d.default", lowerGridSampler);
  table.add("aten.grid_sampler_3d.default", lowerGridSampler);
}

} // namespace tally::import_pt2
