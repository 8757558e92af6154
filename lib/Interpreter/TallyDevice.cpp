//===- TallyDevice.cpp - What the host asks of a device -------------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

/// The threads of a block of a kernel that multiplies, and the most blocks; as
/// the runtime launches it.
static constexpr int64_t kMatmulThreads = 256;
static constexpr int64_t kMostMatmulBlocks = int64_t(65535) * 16;

static LogicalResult runReadBack(ReadBackOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getIndices());
  if (failed(indices))
    return failure();
  FailureOr<Scalar> element =
      loadElement(op, execution.getBuffer(op.getSource()), *indices, execution);
  if (failed(element))
    return failure();
  if (element->isPoison())
    return execution.observedPoison(op, "what the host reads");
  execution.set(op, std::move(*element));
  return success();
}

static LogicalResult runAnyOrder(AnyOrderOp op, Execution &execution) {
  execution.set(op.getResult(),
                Scalar(APInt(1, execution.getOptions().seed / 2 % 2)));
  return success();
}

/// A kernel gets a pointer to the first element of a buffer.
static Buffer toPointer(Buffer buffer, bool isReadOnly) {
  buffer.base += std::exchange(buffer.offset, 0);
  buffer.isReadOnly = isReadOnly;
  return buffer;
}

/// Launches the kernel of the product, as the runtime does without a library.
static LogicalResult runMatmul(MatmulOp op, Execution &execution) {
  if (!isa<MemRefType>(op.getC().getType()) || !op.getFallbackAttr())
    return execution.unsupported(op, "a matmul needs buffers and a kernel");
  if (op.getPrologue())
    return execution.unsupported(op, "a matmul on a GPU has no prologue");
  FunctionOpInterface kernel =
      execution.lookupFunction(op, op.getFallbackAttr());
  SmallVector<RuntimeValue> arguments;
  SmallVector<int64_t> leading, between;
  for (mlir::Value operand : {op.getA(), op.getB(), op.getC()}) {
    Buffer buffer = execution.getBuffer(operand);
    size_t rank = buffer.sizes.size();
    leading.push_back(buffer.strides[rank - 2]);
    between.push_back(rank > 2 ? buffer.strides[rank - 3] : 0);
    arguments.emplace_back(
        toPointer(std::move(buffer), /*isReadOnly=*/operand != op.getC()));
  }
  ArrayRef<int64_t> c = execution.getBuffer(op.getC()).sizes;
  ArrayRef<int64_t> a = execution.getBuffer(op.getA()).sizes;
  int64_t batch = 1;
  for (int64_t size : c.drop_back(2))
    batch *= size;
  int64_t m = c[c.size() - 2], n = c.back();
  int64_t k = op.getTransposeA() ? a[a.size() - 2] : a.back();
  SmallVector<int64_t> numbers = {batch, m, n, k};
  numbers.append(leading);
  numbers.append(between);
  for (int64_t value : numbers)
    arguments.emplace_back(Scalar::ofIndex(value));
  if (mlir::Value bias = op.getBias())
    arguments.emplace_back(
        toPointer(execution.getBuffer(bias), /*isReadOnly=*/true));
  auto blocks = static_cast<int64_t>(divideCeil(batch * m * n, kMatmulThreads));
  return launchKernel(op, kernel, {std::min(blocks, kMostMatmulBlocks), 1, 1},
                      {kMatmulThreads, 1, 1}, arguments, execution);
}

namespace {
/// The sizes of a convolution; of spatial dimensions there are three.
struct ConvolutionSizes {
  ConvolutionSizes(ContractOp op, const Execution &execution);

  int64_t batch, groups = 1, inChannels, outChannels;
  /// Those of spatial dimensions, as the kernel that copies windows has them.
  std::array<int64_t, 3> in, window, out, stride, dilation, padding;
  bool givesWeight, givesImage;
};
} // namespace

static int64_t multiplyAll(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

ConvolutionSizes::ConvolutionSizes(ContractOp op, const Execution &execution) {
  Convolution convolution = *getConvolution(getLoops(op));
  size_t lead = convolution.isGrouped ? 1 : 0;
  givesWeight = convolution.givesWeight;
  givesImage = convolution.givesImage;
  ArrayRef<int64_t> a = execution.getBuffer(op.getA()).sizes;
  ArrayRef<int64_t> b = execution.getBuffer(op.getB()).sizes;
  ArrayRef<int64_t> c = execution.getBuffer(op.getC()).sizes;
  if (givesWeight)
    std::swap(a, c);
  if (givesImage)
    std::swap(b, c);
  batch = c[0];
  if (lead)
    groups = c[1];
  inChannels = a[1 + lead];
  outChannels = a[lead];
  auto fill = [](std::array<int64_t, 3> &all, ArrayRef<int64_t> last) {
    all.fill(1);
    llvm::copy(last, all.end() - last.size());
  };
  fill(in, b.drop_front(2 + lead));
  fill(window, a.drop_front(2 + lead));
  fill(out, c.drop_front(2 + lead));
  fill(stride, convolution.strides);
  fill(dilation, convolution.dilations);
  fill(padding, convolution.padding);
  for (size_t i = 0; i + convolution.padding.size() < 3; ++i)
    padding[i] = 0;
}

/// Launches the kernels of a convolution, as the runtime does without a
/// library.
static LogicalResult runConvolution(ContractOp op, Execution &execution) {
  auto kernels = op->getAttrOfType<ArrayAttr>(kFallbacksAttr);
  if (!isa<MemRefType>(op.getC().getType()) || !kernels)
    return execution.unsupported(op, "a contraction needs buffers and kernels");
  ConvolutionSizes sizes(op, execution);
  int64_t taps = multiplyAll(sizes.window), positions = multiplyAll(sizes.out);
  int64_t rows = sizes.groups * sizes.inChannels;
  Buffer image = toPointer(execution.getBuffer(op.getB()), true);
  Buffer weight = toPointer(execution.getBuffer(op.getA()), true);
  Buffer result = toPointer(execution.getBuffer(op.getC()), false);
  auto launch = [&](mlir::Attribute kernel, int64_t blocks,
                    ArrayRef<Buffer> buffers, ArrayRef<int64_t> numbers) {
    SmallVector<RuntimeValue> arguments(buffers.begin(), buffers.end());
    for (int64_t number : numbers)
      arguments.emplace_back(Scalar::ofIndex(number));
    return launchKernel(
        op, execution.lookupFunction(op, cast<SymbolRefAttr>(kernel)),
        {std::min(blocks, kMostMatmulBlocks), 1, 1}, {kMatmulThreads, 1, 1},
        arguments, execution);
  };
  if (sizes.givesWeight || sizes.givesImage) {
    SmallVector<int64_t> numbers{sizes.batch, sizes.groups, sizes.inChannels,
                                 sizes.outChannels};
    for (ArrayRef<int64_t> three :
         {ArrayRef<int64_t>(sizes.in), ArrayRef<int64_t>(sizes.window),
          ArrayRef<int64_t>(sizes.out), ArrayRef<int64_t>(sizes.stride),
          ArrayRef<int64_t>(sizes.dilation), ArrayRef<int64_t>(sizes.padding)})
      llvm::append_range(numbers, three);
    int64_t elements = sizes.givesWeight
                           ? rows * sizes.outChannels * taps
                           : sizes.batch * rows * multiplyAll(sizes.in);
    auto blocks = static_cast<int64_t>(divideCeil(elements, kMatmulThreads));
    if (blocks == 0)
      return success();
    // The kernel takes the image, the result and the weight.
    if (sizes.givesImage)
      return launch(kernels[0], blocks, {result, image, weight}, numbers);
    return launch(kernels[0], blocks, {image, weight, result}, numbers);
  }
  FailureOr<Buffer> copies = execution.allocate(
      op, getElementTypeOrSelf(op.getC().getType()), {rows * taps * positions});
  if (failed(copies))
    return failure();
  SmallVector<int64_t> windows{rows};
  llvm::append_range(windows, sizes.in);
  llvm::append_range(windows, sizes.window);
  windows.append({sizes.out[1], sizes.out[2]});
  llvm::append_range(windows, sizes.stride);
  llvm::append_range(windows, sizes.dilation);
  llvm::append_range(windows, sizes.padding);
  windows.append({0, positions});
  int64_t m = sizes.outChannels, k = sizes.inChannels * taps;
  SmallVector<int64_t> product{sizes.groups,
                               m,
                               positions,
                               k,
                               k,
                               positions,
                               positions,
                               m * k,
                               k * positions,
                               m * positions};
  int64_t elements = sizes.groups * m * positions;
  for (int64_t n = 0; n < sizes.batch && elements != 0; ++n) {
    Buffer copied = *copies;
    if (failed(launch(kernels[0], rows * taps, {image, copied}, windows)))
      return failure();
    copied.isReadOnly = true;
    auto blocks = static_cast<int64_t>(divideCeil(elements, kMatmulThreads));
    if (failed(launch(kernels[1], blocks, {weight, copied, result}, product)))
      return failure();
    image.base += rows * multiplyAll(sizes.in);
    result.base += elements;
  }
  return success();
}

void tally::interpreter::registerTallyDevice(HandlerTable &table) {
  addHandler<ReadBackOp>(table, runReadBack);
  addHandler<AnyOrderOp>(table, runAnyOrder);
  addHandler<ContractOp>(table, runConvolution);
  addHandler<MatmulOp>(table, runMatmul);
}
