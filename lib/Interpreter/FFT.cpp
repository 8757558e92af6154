//===- FFT.cpp - Fourier transforms ---------------------------------------===//
//
// The definition: sums of products in doubles, rounded once.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "tally/IR/TallyFFTOps.h"

#include <cmath>
#include <complex>

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

namespace {

/// Runs one operation.
template <typename T>
class FFTRun {
public:
  FFTRun(FFTOp op, const Tensor &in, const Tensor &out)
      : op(op), rank(op.getSignalRank()), dim(op.getDim()),
        inShape(in.getShape().take_front(rank)),
        outShape(out.getShape().take_front(rank)),
        length(op.givesComplex() ? in.getDim(dim) : out.getDim(dim)),
        from(reinterpret_cast<const T *>(in.getBytes().data())),
        to(size_t(out.getNumElements())) {}

  /// The elements of the result.
  ArrayRef<T> run();

private:
  std::complex<double> read(ArrayRef<int64_t> line, int64_t at);
  void transform(SmallVector<int64_t> line);

  FFTOp op;
  int64_t rank, dim;
  ArrayRef<int64_t> inShape, outShape;
  int64_t length;
  const T *from;
  std::vector<T> to;
};

} // namespace

static int64_t getPosition(ArrayRef<int64_t> shape, ArrayRef<int64_t> line,
                           int64_t dim, int64_t at) {
  int64_t position = 0;
  for (auto [i, size] : enumerate(shape))
    position = position * size + (int64_t(i) == dim ? at : line[i]);
  return position;
}

/// A number of a line. Of what becomes real, the second half is the first one,
/// conjugated.
template <typename T>
std::complex<double> FFTRun<T>::read(ArrayRef<int64_t> line, int64_t at) {
  bool isMirrored = op.getKind() == FFTKind::ComplexToReal && at > length / 2;
  int64_t position =
      getPosition(inShape, line, dim, isMirrored ? length - at : at);
  if (!op.takesComplex())
    return from[position];
  std::complex<double> number(from[2 * position], from[2 * position + 1]);
  bool isReal = op.getKind() == FFTKind::ComplexToReal && 2 * at % length == 0;
  if (isReal)
    return number.real();
  return isMirrored ? std::conj(number) : number;
}

template <typename T>
void FFTRun<T>::transform(SmallVector<int64_t> line) {
  bool isForward = op.getKind() == FFTKind::Forward ||
                   op.getKind() == FFTKind::RealToComplex;
  double step = (isForward ? -2 : 2) * M_PI / double(length), divisor = 1;
  if (op.getScaling() == FFTScaling::Root)
    divisor = std::sqrt(double(length));
  if (op.getScaling() == FFTScaling::Length)
    divisor = double(length);
  for (int64_t k = 0; k < outShape[dim]; ++k) {
    std::complex<double> sum = 0;
    for (int64_t j = 0; j < length; ++j)
      sum += read(line, j) * std::polar(1.0, step * double(j * k % length));
    sum /= divisor;
    int64_t position = getPosition(outShape, line, dim, k);
    if (!op.givesComplex()) {
      to[position] = T(sum.real());
      continue;
    }
    to[2 * position] = T(sum.real());
    to[2 * position + 1] = T(sum.imag());
  }
}

template <typename T>
ArrayRef<T> FFTRun<T>::run() {
  SmallVector<int64_t> lines(outShape);
  lines[dim] = std::min<int64_t>(lines[dim], 1);
  (void)forEachIndex(lines, [&](ArrayRef<int64_t> line) {
    transform(SmallVector<int64_t>(line));
    return success();
  });
  return to;
}

/// Computes the elements of the result.
static FailureOr<Tensor> compute(FFTOp op, const Tensor &in, const Tensor &out,
                                 Execution &execution) {
  int64_t dim = op.getDim();
  for (int64_t i = 0; i < op.getSignalRank(); ++i) {
    int64_t from = in.getDim(i), to = out.getDim(i);
    if (i == dim && op.getKind() == FFTKind::RealToComplex)
      from = from / 2 + 1;
    if (i == dim && op.getKind() == FFTKind::ComplexToReal)
      to = to / 2 + 1;
    if (failed(execution.requireEqual(op, from, to, "size")))
      return failure();
  }
  int64_t length = std::max(in.getDim(dim), out.getDim(dim));
  if (failed(execution.spend(op, out.getNumElements() * (length + 1))))
    return failure();
  if (in.findPoison())
    return execution.observedPoison(op, "an element of a Fourier transform");
  auto result = [&](auto run) {
    auto elements = run.run();
    return Tensor::fromBytes(out.getElementType(), out.getShape(),
                             reinterpret_cast<const char *>(elements.data()));
  };
  if (out.getElementType().isF32())
    return result(FFTRun<float>(op, in, out));
  return result(FFTRun<double>(op, in, out));
}

static LogicalResult runOnBuffers(FFTOp op, Execution &execution) {
  Buffer to = execution.getBuffer(op.getOutput());
  FailureOr<Tensor> in =
      readBuffer(op, execution.getBuffer(op.getInput()), execution);
  if (failed(in))
    return failure();
  Tensor out(getElementTypeOrSelf(op.getOutput().getType()), to.sizes);
  FailureOr<Tensor> result = compute(op, *in, out, execution);
  if (failed(result))
    return failure();
  int64_t position = 0;
  return forEachIndex(to.sizes, [&](ArrayRef<int64_t> indices) {
    return storeElement(op, to, indices, result->get(position++), execution);
  });
}

static LogicalResult runFFT(FFTOp op, Execution &execution) {
  if (!op.getResult())
    return runOnBuffers(op, execution);
  FailureOr<Tensor> result =
      compute(op, execution.getTensor(op.getInput()),
              execution.getTensor(op.getOutput()), execution);
  if (succeeded(result))
    execution.set(op.getResult(), *result);
  return success(succeeded(result));
}

void tally::interpreter::registerFFT(HandlerTable &table) {
  addHandler<FFTOp>(table, runFFT);
}
