//===- STFT.cpp - Fourier transforms of windows ---------------------------===//
//
// A signal is cut into windows that overlap, each is transformed, and what
// comes of windows is added up again.
//
//===----------------------------------------------------------------------===//

#include "FFT.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// How a signal is divided.
struct Division {
  /// The elements of a window, from one to the next, and those whose weights
  /// are not 0.
  int64_t size, step, weighted;

  int64_t getLeft() const { return (size - weighted) / 2; }
};
} // namespace

/// Nothing, after an error, where numbers make no sense.
static std::optional<Division> getDivision(Lowering &op) {
  Division division;
  division.size = op.integer("n_fft", 0);
  division.step = op.integer("hop_length", division.size / 4);
  division.weighted = op.integer("win_length", division.size);
  if (division.size > 0 && division.step > 0 && division.weighted > 0 &&
      division.weighted <= division.size)
    return division;
  (void)op.error("expected 0 < n_fft, 0 < hop_length and 0 < win_length <= "
                 "n_fft");
  return std::nullopt;
}

/// The weights of a window's elements; nothing where all are 1.
static std::optional<Tensor> getWeights(Lowering &op,
                                        const Division &division) {
  if (isComplex(op, "window")) {
    (void)op.error("windows of complex weights are not supported");
    return std::nullopt;
  }
  std::optional<Tensor> window = op.optionalTensor("window");
  int64_t left = division.getLeft();
  Expr weighted = op.literal(division.weighted);
  if (window && !checkSizes(op, *window, {weighted}))
    return std::nullopt;
  if (division.weighted == division.size)
    return window;
  if (!window)
    window = op.fill({weighted}, Dtype::F32, 1.0);
  return buildPad(op, *window, {op.literal(left)},
                  {op.literal(division.size - division.weighted - left)},
                  Scalars(op.b, op.loc, window->dtype).number(0));
}

/// Multiplies the elements of windows, the dimension `dim`, by their weights.
static void weigh(Lowering &op, Tensor &windows, int64_t dim,
                  const std::optional<Tensor> &weights) {
  if (!weights)
    return;
  Dtype dtype = promoteTypes(windows.dtype, weights->dtype);
  windows = op.map(
      {windows, alongDim(op, *weights, windows.rank(), dim)}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.mul(args[0], args[1]); });
}

/// The windows of the dimension `dim`, which counts them then, with their
/// elements as the next dimension.
static Tensor buildWindows(Lowering &op, const Tensor &in, int64_t dim,
                           const Division &division) {
  Expr size = op.literal(division.size), step = op.literal(division.step);
  op.check(Comparison::le(size, in.sizes[dim]),
           Twine(op.target) + ": the window is larger than the tensor");
  Sizes sizes = in.sizes;
  sizes[dim] = op.state.simplify(
      op.exprs.add(op.exprs.floorDiv(op.exprs.sub(in.sizes[dim], size), step),
                   op.literal(1)));
  sizes.insert(sizes.begin() + dim + 1, size);
  return op.generate(
      sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        auto at = llvm::to_vector(indices);
        Value stride =
            arith::ConstantIndexOp::create(s.b, s.loc, division.step);
        at[dim] = arith::AddIOp::create(
            s.b, s.loc, arith::MulIOp::create(s.b, s.loc, at[dim], stride),
            at[dim + 1]);
        at.erase(at.begin() + dim + 1);
        return tensor::ExtractOp::create(s.b, s.loc, in.value, at);
      });
}

namespace {
/// Adds windows up where they overlap.
class OverlapAdd {
public:
  /// The windows are the dimension `dim` of `in`, their elements, of which
  /// there are `size`, the dimension `elements`.
  OverlapAdd(Lowering &op, const Tensor &in, int64_t dim, int64_t elements,
             int64_t size, int64_t step)
      : op(op), in(in), dim(dim), elements(elements), size(size), step(step) {}

  /// A tensor with `length` elements along the dimension. To each of them
  /// belong as many windows as overlap.
  Tensor build(Expr length) {
    op.check(Comparison::le(op.literal(1), in.sizes[dim]),
             Twine(op.target) + ": there are no windows");
    Sizes sizes = in.sizes;
    sizes[dim] = length;
    sizes.erase(sizes.begin() + elements);
    sizes.push_back(op.literal((size + step - 1) / step));
    Value last = op.size(op.exprs.sub(in.sizes[dim], op.literal(1)));
    Dtype dtype = getComputeDtype(in.dtype);
    Tensor parts =
        op.generate(sizes, dtype, [&](Scalars &s, ValueRange indices) {
          return buildPart(s, indices, last);
        });
    return op.sum(parts, {int64_t(sizes.size()) - 1}, dtype);
  }

private:
  /// What the window number `indices.back()`, counted backwards from the last
  /// one that begins there, adds to an element.
  Value buildPart(Scalars &s, ValueRange indices, Value last) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(s.b, s.loc, value);
    };
    auto holds = [&](arith::CmpIPredicate kind, Value x, Value y) -> Value {
      return arith::CmpIOp::create(s.b, s.loc, kind, x, y);
    };
    Value place = indices[dim], back = indices.back(), stride = constant(step);
    Value window = arith::SubIOp::create(
        s.b, s.loc, arith::DivSIOp::create(s.b, s.loc, place, stride), back);
    Value element = arith::SubIOp::create(
        s.b, s.loc, place, arith::MulIOp::create(s.b, s.loc, window, stride));
    Value isThere = arith::AndIOp::create(
        s.b, s.loc,
        arith::AndIOp::create(
            s.b, s.loc, holds(arith::CmpIPredicate::sge, window, constant(0)),
            holds(arith::CmpIPredicate::sle, window, last)),
        holds(arith::CmpIPredicate::slt, element, constant(size)));
    auto clamp = [&](Value x, Value most) -> Value {
      x = arith::MinSIOp::create(s.b, s.loc, x, most);
      return arith::MaxSIOp::create(s.b, s.loc, x, constant(0));
    };
    auto at = llvm::to_vector(indices.drop_back());
    at[dim] = clamp(window, last);
    at.insert(at.begin() + elements, clamp(element, constant(size - 1)));
    Value x = tensor::ExtractOp::create(s.b, s.loc, in.value, at);
    x = Scalars(s.b, s.loc, in.dtype).castTo(s.dtype, x);
    return s.select(isThere, x, s.integer(0));
  }

  Lowering &op;
  const Tensor &in;
  int64_t dim, elements, size, step;
};
} // namespace

/// Windows of `unfold` become the tensor that they were of.
static void lowerUnfoldBackward(Lowering &op) {
  bool isOfPairs = isComplex(op, "grad_in");
  Tensor in = op.tensor("grad_in", 1 + isOfPairs);
  Sizes sizes = op.symInts("input_sizes");
  int64_t rank = in.rank() - 1 - isOfPairs;
  if (rank == 0 || int64_t(sizes.size()) != rank) {
    (void)op.error("the sizes do not fit those of the windows");
    return;
  }
  int64_t dim = op.dim("dim", rank);
  int64_t size = op.integer("size", 1), step = op.integer("step", 1);
  if (size <= 0 || step <= 0) {
    (void)op.error("windows without elements, or without a step, are not "
                   "supported");
    return;
  }
  op.checkEqual(in.sizes[rank], op.literal(size),
                Twine(op.target) + ": the size of a window does not fit");
  Tensor result = OverlapAdd(op, in, dim, rank, size, step).build(sizes[dim]);
  if (isOfPairs)
    sizes.push_back(op.literal(2));
  op.result(op.make(op.cast(result.value, op.tensorType(sizes, result.dtype)),
                    result.dtype, sizes));
}

//===----------------------------------------------------------------------===//
// The transforms
//===----------------------------------------------------------------------===//

/// Parts are the dimension behind others.
static SmallVector<int64_t> getSwapped(const Signal &signal) {
  SmallVector<int64_t> order{0, 2, 1};
  if (signal.isComplex)
    order.push_back(3);
  return order;
}

static void lowerSTFT(Lowering &op) {
  Signal signal = getSignal(op, "self");
  std::optional<Division> division = getDivision(op);
  int64_t rank = signal.rank();
  if (rank != 1 && rank != 2)
    (void)op.error("expected a signal of one dimension, or several signals");
  if (op.hasFailed())
    return;
  bool isOneSided = op.flag("onesided", !signal.isComplex);
  if (signal.isComplex && isOneSided)
    (void)op.error("a signal of complex numbers has a transform of two sides");
  std::optional<Tensor> weights = getWeights(op, *division);
  // What is returned has the same elements as pairs.
  (void)op.flag("return_complex", true);
  FFTScaling scaling =
      op.flag("normalized", false) ? FFTScaling::Root : FFTScaling::None;
  Tensor &tensor = signal.tensor;
  if (rank == 1)
    tensor = op.unsqueeze(tensor, 0);
  if (op.flag("align_to_window", false)) {
    Sizes low(size_t(tensor.rank()), op.literal(0)), high = low;
    low[1] = op.literal(division->getLeft());
    high[1] =
        op.literal(division->size - division->weighted - division->getLeft());
    tensor = buildPad(op, tensor, low, high,
                      Scalars(op.b, op.loc, tensor.dtype).number(0));
  }
  tensor = buildWindows(op, tensor, 1, *division);
  weigh(op, tensor, 2, weights);
  if (!isOneSided)
    makeComplex(op, signal);
  transform(op, signal, isOneSided ? FFTKind::RealToComplex : FFTKind::Forward,
            2, scaling, op.literal(division->size));
  tensor = op.permute(tensor, getSwapped(signal));
  op.result(rank == 1 ? op.squeeze(tensor, {0}) : tensor);
}

/// Transforms windows back, real ones unless all of them are complex.
static void transformBack(Lowering &op, Signal &signal,
                          const Division &division, bool isComplex) {
  int64_t half = division.size / 2 + 1;
  bool isOneSided =
      op.flag("onesided", !signal.tensor.sizes[2].isConstant(division.size));
  FFTScaling scaling =
      op.flag("normalized", false) ? FFTScaling::Root : FFTScaling::Length;
  op.checkEqual(signal.tensor.sizes[2],
                op.literal(isOneSided ? half : division.size),
                Twine(op.target) + ": the number of frequencies does not fit "
                                   "the window");
  if (isComplex && isOneSided)
    (void)op.error("a signal of complex numbers has a transform of two sides");
  if (isComplex) {
    transform(op, signal, FFTKind::Backward, 2, scaling,
              op.literal(division.size));
    return;
  }
  signal.tensor = op.slice(signal.tensor, 2, op.literal(0), op.literal(half));
  transform(op, signal, FFTKind::ComplexToReal, 2, scaling,
            op.literal(division.size));
}

/// Divides what was added up by the sums of the squares of weights.
static Tensor divide(Lowering &op, const Tensor &sums, const Tensor &squares) {
  op.checkData(op.all(squares,
                      [](Scalars &s, ArrayRef<Value> args) {
                        return s.compare(Compare::Ge, s.abs(args[0]),
                                         s.number(1e-11));
                      }),
               Twine(op.target) +
                   ": windows do not overlap enough: a sum of squared weights "
                   "is 0");
  return op.map({sums, alongDim(op, squares, sums.rank(), 1)}, sums.dtype,
                sums.dtype, [](Scalars &s, ArrayRef<Value> args) {
                  return s.divFloat(args[0], args[1]);
                });
}

static void lowerISTFT(Lowering &op) {
  Signal signal = getSignal(op, "self");
  std::optional<Division> division = getDivision(op);
  int64_t rank = signal.rank();
  if (!signal.isComplex || (rank != 2 && rank != 3))
    (void)op.error("expected complex frequencies of windows");
  if (op.hasFailed())
    return;
  if (division->step > division->weighted)
    (void)op.error("expected hop_length <= win_length");
  Tensor &tensor = signal.tensor;
  if (rank == 2)
    tensor = op.unsqueeze(tensor, 0);
  op.check(Comparison::lt(op.literal(0), op.numel(tensor)),
           Twine(op.target) + ": the input is empty");
  Expr count = tensor.sizes[2];
  tensor = op.permute(tensor, getSwapped(signal));
  bool isComplex = op.flag("return_complex", false);
  transformBack(op, signal, *division, isComplex);
  std::optional<Tensor> weights = getWeights(op, *division);
  weigh(op, tensor, 2, weights);
  // From where the first window begins to where the last one ends.
  int64_t size = division->size, step = division->step;
  Expr all = op.state.simplify(op.exprs.add(
      op.literal(size - step), op.exprs.mul(op.literal(step), count)));
  bool isCentered = op.flag("center", true);
  Expr start = op.literal(isCentered ? size / 2 : 0);
  Expr end = isCentered ? op.exprs.sub(all, start) : all;
  if (op.has("length"))
    end = op.exprs.add(start, op.symInt("length"));
  Expr most = op.state.simplify(op.exprs.min(end, all));
  Expr length = op.state.simplify(op.exprs.sub(most, start));
  op.check(Comparison::lt(op.literal(0), length),
           Twine(op.target) + ": the signal is empty");
  if (!weights)
    weights = op.fill({op.literal(size)}, tensor.dtype, 1.0);
  Tensor squares =
      op.generate({count, op.literal(size)}, tensor.dtype,
                  [&](Scalars &s, ValueRange indices) {
                    Value x = tensor::ExtractOp::create(
                        s.b, s.loc, weights->value, ValueRange(indices[1]));
                    x = Scalars(s.b, s.loc, weights->dtype).castTo(s.dtype, x);
                    return s.mul(x, x);
                  });
  auto addUp = [&](const Tensor &windows, int64_t dim) {
    Tensor sums = OverlapAdd(op, windows, dim, dim + 1, size, step).build(all);
    return op.slice(sums, dim, start, length);
  };
  tensor = divide(op, addUp(tensor, 1), addUp(squares, 0));
  if (op.has("length")) {
    Sizes low(size_t(tensor.rank()), op.literal(0)), high = low;
    high[1] = op.state.simplify(op.exprs.sub(end, most));
    tensor = buildPad(op, tensor, low, high,
                      Scalars(op.b, op.loc, tensor.dtype).number(0));
    Sizes sizes = tensor.sizes;
    sizes[1] = op.symInt("length");
    tensor = op.make(op.cast(tensor.value, op.tensorType(sizes, tensor.dtype)),
                     tensor.dtype, sizes);
  }
  op.result(rank == 2 ? op.squeeze(tensor, {0}) : tensor);
}

void addSTFT(LoweringTable &table) {
  table.add("aten.istft.default", lowerISTFT);
  table.add("aten.stft.default", lowerSTFT);
  table.add("aten.unfold_backward.default", lowerUnfoldBackward);
}

} // namespace tally::import_pt2
