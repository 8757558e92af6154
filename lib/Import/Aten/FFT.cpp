//===- FFT.cpp - Fourier transforms ---------------------------------------===//
//
// Transforms of several dimensions are made one dimension at a time.
//
//===----------------------------------------------------------------------===//

#include "FFT.h"

using namespace mlir;

namespace tally::import_pt2 {

Signal getSignal(Lowering &op, StringRef name) {
  bool isOfPairs = isComplex(op, name);
  Tensor tensor = op.tensor(name, isOfPairs);
  if (!isFloating(tensor.dtype))
    tensor = op.convert(tensor, Dtype::F32);
  if (isHalf(tensor.dtype))
    (void)op.error("Fourier transforms of halves are not supported");
  return {tensor, isOfPairs};
}

void makeComplex(Lowering &op, Signal &signal) {
  if (signal.isComplex)
    return;
  const Tensor &re = signal.tensor;
  signal = {buildPairs(op, re, op.fill(re.sizes, re.dtype, 0.0)), true};
}

void transform(Lowering &op, Signal &signal, FFTKind kind, int64_t dim,
               FFTScaling scaling, Expr length) {
  op.check(Comparison::le(op.literal(1), length),
           Twine(op.target) + ": the number of data points must not be 0");
  Sizes sizes = signal.tensor.sizes;
  Expr half = op.state.simplify(
      op.exprs.add(op.exprs.floorDiv(length, op.literal(2)), op.literal(1)));
  if (kind == FFTKind::RealToComplex) {
    sizes[dim] = half;
    sizes.push_back(op.literal(2));
  } else if (kind == FFTKind::ComplexToReal) {
    sizes[dim] = length;
    sizes.pop_back();
  }
  Value out = op.empty(sizes, signal.tensor.dtype);
  auto made = FFTOp::create(op.b, op.loc, out.getType(), kind, dim, scaling,
                            signal.tensor.value, out);
  signal = {op.make(made.getResult(), signal.tensor.dtype, sizes),
            kind != FFTKind::ComplexToReal};
}

/// Transforms of complex numbers along some dimensions.
static void transformAll(Lowering &op, Signal &signal, ArrayRef<int64_t> dims,
                         bool isForward, FFTScaling scaling) {
  makeComplex(op, signal);
  for (int64_t dim : llvm::reverse(dims))
    transform(op, signal, isForward ? FFTKind::Forward : FFTKind::Backward, dim,
              scaling, signal.tensor.sizes[dim]);
}

/// Cuts a dimension, or adds zeros behind it.
static void resize(Lowering &op, Signal &signal, int64_t dim, Expr size) {
  Tensor &in = signal.tensor;
  if (in.sizes[dim] == size)
    return;
  Sizes low(size_t(in.rank()), op.literal(0)), high = low;
  high[dim] = op.state.simplify(op.exprs.sub(size, in.sizes[dim]));
  Value zero = Scalars(op.b, op.loc, in.dtype).number(0);
  in = buildPad(op, in, low, high, zero);
  // Both ways lead to this size.
  if (in.sizes[dim] != size) {
    Sizes sizes = in.sizes;
    sizes[dim] = size;
    in = op.make(op.cast(in.value, op.tensorType(sizes, in.dtype)), in.dtype,
                 sizes);
  }
}

/// Gives a dimension the numbers that a transform to so many real ones reads,
/// which are half as many and one more. Of an even length, the half of an
/// expression for it is not always the expression that the dimension has.
static void resizeToHalf(Lowering &op, Signal &signal, int64_t dim,
                         Expr length) {
  Expr one = op.literal(1), two = op.literal(2);
  Expr last = op.exprs.sub(signal.tensor.sizes[dim], one);
  if (op.state.simplify(op.exprs.mul(two, last)) == length)
    return;
  resize(op, signal, dim,
         op.state.simplify(op.exprs.add(op.exprs.floorDiv(length, two), one)));
}

static void conjugate(Lowering &op, Signal &signal) {
  Tensor re = getPart(op, signal.tensor, 0);
  Tensor im =
      op.map({getPart(op, signal.tensor, 1)}, re.dtype, re.dtype,
             [](Scalars &s, ArrayRef<Value> args) { return s.neg(args[0]); });
  signal.tensor = buildPairs(op, re, im);
}

/// What sums are divided by.
static FFTScaling getScaling(Lowering &op, bool isForward) {
  StringRef norm = op.string("norm", "backward");
  if (!llvm::is_contained({"backward", "ortho", "forward"}, norm))
    (void)op.error("the argument 'norm' is one of backward, ortho, forward");
  if (norm == "ortho")
    return FFTScaling::Root;
  return (norm == "forward") == isForward ? FFTScaling::Length
                                          : FFTScaling::None;
}

//===----------------------------------------------------------------------===//
// Operators of torch.fft
//===----------------------------------------------------------------------===//

/// The dimensions of a transform.
static SmallVector<int64_t> getDims(Lowering &op, Signal &signal,
                                    StringRef absent) {
  SmallVector<int64_t> dims;
  int64_t rank = signal.rank();
  bool isOne = absent == "one", isTwo = absent == "two";
  if (op.has("dim"))
    for (int64_t dim : op.integers("dim"))
      dims.push_back(op.wrapDim(dim, rank));
  else if (isOne || isTwo)
    for (int64_t dim = isTwo ? 2 : 1; dim > 0; --dim)
      dims.push_back(op.wrapDim(-dim, rank));
  else
    for (int64_t dim = 0; dim < rank; ++dim)
      dims.push_back(dim);
  // What is no dimension has been told.
  llvm::erase_if(dims, [&](int64_t dim) { return dim < 0 || dim >= rank; });
  auto sorted = llvm::to_vector(dims);
  llvm::sort(sorted);
  if (llvm::adjacent_find(sorted) != sorted.end())
    (void)op.error("a dimension is given twice");
  return dims;
}

/// The dimensions of a transform of real numbers, or to them, of which there
/// must be one; empty where there is none.
static SmallVector<int64_t> getRealDims(Lowering &op, Signal &signal,
                                        StringRef absent) {
  SmallVector<int64_t> dims = getDims(op, signal, absent);
  if (dims.empty())
    (void)op.error("there is no dimension to transform");
  return dims;
}

/// The sizes that the operand gets along the dimensions; without names, these
/// are the last ones.
static Sizes getLengths(Lowering &op, StringRef name,
                        SmallVectorImpl<int64_t> &dims) {
  Sizes sizes = op.symInts(name);
  if (!op.has("dim") && !sizes.empty() && sizes.size() < dims.size())
    dims.erase(dims.begin(), dims.end() - int64_t(sizes.size()));
  return sizes;
}

/// Transforms whose operands and results are of complex numbers, or whose
/// operands may be of others.
template <bool isForward>
static void lowerComplex(Lowering &op, StringRef absent, StringRef lengths) {
  Signal signal = getSignal(op, "self");
  makeComplex(op, signal);
  SmallVector<int64_t> dims = getDims(op, signal, absent);
  Sizes sizes = getLengths(op, lengths, dims);
  for (auto [dim, size] : llvm::zip(dims, sizes))
    if (!size.isConstant(-1))
      resize(op, signal, dim, size);
  transformAll(op, signal, dims, isForward, getScaling(op, isForward));
  op.result(signal.tensor);
}

/// Transforms of real numbers, of which the inverse is conjugated.
template <bool isForward>
static void lowerFromReal(Lowering &op, StringRef absent, StringRef lengths) {
  Signal signal = getSignal(op, "self");
  if (signal.isComplex) {
    (void)op.error("the operand must be of real numbers");
    return;
  }
  SmallVector<int64_t> dims = getRealDims(op, signal, absent);
  if (dims.empty())
    return;
  Sizes sizes = getLengths(op, lengths, dims);
  for (auto [dim, size] : llvm::zip(dims, sizes))
    if (!size.isConstant(-1))
      resize(op, signal, dim, size);
  FFTScaling scaling = getScaling(op, isForward);
  int64_t last = dims.back();
  transform(op, signal, FFTKind::RealToComplex, last, scaling,
            signal.tensor.sizes[last]);
  if (!isForward)
    conjugate(op, signal);
  transformAll(op, signal, ArrayRef(dims).drop_back(), isForward, scaling);
  op.result(signal.tensor);
}

/// Transforms to real numbers. Of a forward one, the operand is conjugated.
template <bool isForward>
static void lowerToReal(Lowering &op, StringRef absent, StringRef lengths) {
  Signal signal = getSignal(op, "self");
  makeComplex(op, signal);
  SmallVector<int64_t> dims = getRealDims(op, signal, absent);
  if (dims.empty())
    return;
  Sizes sizes = getLengths(op, lengths, dims);
  int64_t last = dims.back();
  Expr one = op.literal(1), two = op.literal(2);
  Expr length = op.exprs.mul(two, op.exprs.sub(signal.tensor.sizes[last], one));
  if (sizes.size() == dims.size() && !sizes.back().isConstant(-1))
    length = sizes.back();
  length = op.state.simplify(length);
  op.check(Comparison::le(one, length),
           Twine(op.target) + ": the number of data points must not be 0");
  for (auto [dim, size] : llvm::zip(dims, sizes))
    if (dim != last && !size.isConstant(-1))
      resize(op, signal, dim, size);
  resizeToHalf(op, signal, last, length);
  FFTScaling scaling = getScaling(op, isForward);
  if (isForward)
    conjugate(op, signal);
  transformAll(op, signal, ArrayRef(dims).drop_back(), false, scaling);
  transform(op, signal, FFTKind::ComplexToReal, last, scaling, length);
  op.result(signal.tensor);
}

//===----------------------------------------------------------------------===//
// What they are decomposed to
//===----------------------------------------------------------------------===//

static FFTScaling getNormalization(Lowering &op) {
  int64_t scaling = op.integer("normalization", 0);
  if (scaling >= 0 && scaling <= 2)
    return FFTScaling(scaling);
  (void)op.error("the argument 'normalization' is one of 0, 1, 2");
  return FFTScaling::None;
}

static void lowerC2C(Lowering &op) {
  Signal signal = getSignal(op, "self");
  transformAll(op, signal, getDims(op, signal, "all"), op.flag("forward", true),
               getNormalization(op));
  op.result(signal.tensor);
}

static void lowerR2C(Lowering &op) {
  Signal signal = getSignal(op, "self");
  SmallVector<int64_t> dims = getRealDims(op, signal, "all");
  if (dims.empty())
    return;
  FFTScaling scaling = getNormalization(op);
  ArrayRef<int64_t> rest = dims;
  if (op.flag("onesided", true)) {
    transform(op, signal, FFTKind::RealToComplex, dims.back(), scaling,
              signal.tensor.sizes[dims.back()]);
    rest = rest.drop_back();
  }
  transformAll(op, signal, rest, true, scaling);
  op.result(signal.tensor);
}

static void lowerC2R(Lowering &op) {
  Signal signal = getSignal(op, "self");
  SmallVector<int64_t> dims = getRealDims(op, signal, "all");
  if (dims.empty())
    return;
  FFTScaling scaling = getNormalization(op);
  transformAll(op, signal, ArrayRef(dims).drop_back(), false, scaling);
  Expr length = op.symInt("last_dim_size");
  resizeToHalf(op, signal, dims.back(), op.state.simplify(length));
  transform(op, signal, FFTKind::ComplexToReal, dims.back(), scaling, length);
  op.result(signal.tensor);
}

/// The lowerings of one dimension, of two, and of all.
template <void (*lower)(Lowering &, StringRef, StringRef)>
static void addNamed(LoweringTable &table, StringRef one, StringRef two,
                     StringRef all) {
  table.add(("aten.fft_" + one + ".default").str(),
            [](Lowering &op) { lower(op, "one", "n"); });
  table.add(("aten.fft_" + two + ".default").str(),
            [](Lowering &op) { lower(op, "two", "s"); });
  table.add(("aten.fft_" + all + ".default").str(),
            [](Lowering &op) { lower(op, "all", "s"); });
}

void addFFTToReal(LoweringTable &table) {
  addNamed<lowerToReal<false>>(table, "irfft", "irfft2", "irfftn");
  addNamed<lowerToReal<true>>(table, "hfft", "hfft2", "hfftn");
}

void addFFT(LoweringTable &table) {
  table.add("aten._fft_c2c.default", lowerC2C);
  table.add("aten._fft_r2c.default", lowerR2C);
  table.add("aten._fft_c2r.default", lowerC2R);
  addNamed<lowerComplex<true>>(table, "fft", "fft2", "fftn");
  addNamed<lowerComplex<false>>(table, "ifft", "ifft2", "ifftn");
  addNamed<lowerFromReal<true>>(table, "rfft", "rfft2", "rfftn");
  addNamed<lowerFromReal<false>>(table, "ihfft", "ihfft2", "ihfftn");
  addFFTToReal(table);
}

} // namespace tally::import_pt2
