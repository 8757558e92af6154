//===- ScheduleDepthwise.cpp - Convolutions of one channel each -----------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Emitter.h"
#include "Kernels/Kernels.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#include <limits>

namespace tally {
#define GEN_PASS_DEF_SCHEDULEDEPTHWISE
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-depthwise"

using namespace mlir;
using namespace tally::codegen;

namespace {

constexpr int64_t kThreads = 256;
/// Windows of more elements are a library's, as the weights of a thread are in
/// registers.
constexpr int64_t kMostTaps = 64;

/// The elements that a thread reads along a dimension, and for which of its
/// results.
struct Line {
  int64_t window, stride, dilation, padding;
  /// How many results.
  int64_t results;

  int64_t getOffset(int64_t result, int64_t tap) const {
    return result * stride + tap * dilation;
  }
  /// Their distances from where the first window starts.
  SmallVector<int64_t> getOffsets() const {
    SmallVector<int64_t> offsets;
    for (int64_t result = 0; result < results; ++result)
      for (int64_t tap = 0; tap < window; ++tap)
        offsets.push_back(getOffset(result, tap));
    llvm::sort(offsets);
    offsets.erase(llvm::unique(offsets), offsets.end());
    return offsets;
  }
};

/// Emits what a thread does: a few results below each other. Rows that their
/// windows share are read once.
class DepthwiseThread : public Emitter {
public:
  DepthwiseThread(OpBuilder &builder, Location loc, ArrayRef<Line> lines,
                  Value weight, Value image, Value result)
      : Emitter(builder, loc), lines(lines), weight(weight), image(image),
        result(result) {
    type = ::cast<MemRefType>(image.getType()).getElementType();
    sumType = type.getIntOrFloatBitWidth() < 32 ? builder.getF32Type() : type;
  }

  /// How many threads there are.
  Value getCount() {
    Value count = size(result, 0);
    for (int64_t dim : {1, 2})
      count = create<arith::MulIOp>(count, size(result, dim));
    for (size_t dim = 0; dim < lines.size(); ++dim)
      count = create<arith::MulIOp>(count, getParts(dim));
    return count;
  }

  void emit() {
    auto x = gpu::Dimension::x;
    Value thread = create<arith::AddIOp>(
        create<arith::MulIOp>(gpu::BlockIdOp::create(builder, loc, x),
                              index(kThreads)),
        gpu::ThreadIdOp::create(builder, loc, x));
    ifThen(compare(arith::CmpIPredicate::ult, thread, getCount()), [&] {
      findPlace(thread);
      // There is nothing to read where all is padding.
      Value elements = index(1);
      for (size_t dim = 0; dim < lines.size(); ++dim)
        elements = create<arith::MulIOp>(elements, size(image, 3 + dim));
      SmallVector<Type> types(lines.front().results, sumType);
      SmallVector<Value> sums =
          ifElseZero(compare(arith::CmpIPredicate::ne, elements, index(0)),
                     types, [&] { return createSums(); });
      storeSums(sums);
    });
  }

private:
  /// Into how many parts the results of a dimension are divided.
  Value getParts(size_t dim) {
    return arith::CeilDivUIOp::create(builder, loc, size(result, 3 + dim),
                                      index(lines[dim].results));
  }

  /// Takes the last of the indices that a number stands for.
  Value takeIndex(Value &number, Value size) {
    size = create<arith::MaxSIOp>(size, index(1));
    Value last = create<arith::RemUIOp>(number, size);
    number = create<arith::DivUIOp>(number, size);
    return last;
  }

  void findPlace(Value number) {
    first.resize(lines.size());
    for (size_t dim = lines.size(); dim-- > 0;)
      first[dim] = create<arith::MulIOp>(takeIndex(number, getParts(dim)),
                                         index(lines[dim].results));
    channel = takeIndex(number, size(result, 2));
    group = takeIndex(number, size(result, 1));
    batch = number;
  }

  /// An index of the image, and whether there is such an element; null where
  /// results that there are have only such.
  std::pair<Value, Value> locate(size_t dim, int64_t offset) {
    const Line &line = lines[dim];
    Value start = create<arith::MulIOp>(first[dim], index(line.stride));
    Value place = create<arith::AddIOp>(start, index(offset - line.padding));
    if (line.padding == 0 && line.results == 1)
      return {place, Value()};
    Value extent = size(image, 3 + dim);
    Value isInside = line.padding == 0
                         ? Value()
                         : compare(arith::CmpIPredicate::ult, place, extent);
    Value last = create<arith::SubIOp>(extent, index(1));
    place = create<arith::MinSIOp>(place, last);
    return {create<arith::MaxSIOp>(place, index(0)), isInside};
  }

  Value extend(Value element) {
    if (type == sumType)
      return element;
    return arith::ExtFOp::create(builder, loc, sumType, element);
  }

  Value loadWeight(ArrayRef<int64_t> taps) {
    SmallVector<Value> place{group, channel, index(0)};
    for (int64_t tap : taps)
      place.push_back(index(tap));
    return extend(load(weight, place));
  }

  /// An element that is read for all windows that have it.
  Value loadImage(ArrayRef<std::pair<Value, Value>> places) {
    SmallVector<Value> indices{batch, group, index(0)};
    Value isInside;
    for (auto [place, inside] : places) {
      indices.push_back(place);
      if (inside)
        isInside = isInside ? create<arith::AndIOp>(isInside, inside) : inside;
    }
    Value element = extend(load(image, indices));
    return isInside ? select(isInside, element, zero) : element;
  }

  SmallVector<Value> createSums() {
    zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
    SmallVector<Value> sums(lines.front().results, zero);
    bool isFlat = lines.size() == 1;
    int64_t columns = isFlat ? 1 : lines.back().window;
    SmallVector<Value> weights;
    for (int64_t row = 0; row < lines.front().window; ++row)
      for (int64_t column = 0; column < columns; ++column)
        weights.push_back(isFlat ? loadWeight(row) : loadWeight({row, column}));
    SmallVector<std::pair<Value, Value>> across;
    for (int64_t column = 0; !isFlat && column < columns; ++column)
      across.push_back(locate(1, lines.back().getOffset(0, column)));
    for (int64_t offset : lines.front().getOffsets()) {
      std::pair<Value, Value> down = locate(0, offset);
      for (int64_t column = 0; column < columns; ++column) {
        Value element =
            isFlat ? loadImage(down) : loadImage({down, across[column]});
        addProducts(sums, weights, offset, column, columns, element);
      }
    }
    return sums;
  }

  void addProducts(MutableArrayRef<Value> sums, ArrayRef<Value> weights,
                   int64_t offset, int64_t column, int64_t columns,
                   Value element) {
    const Line &line = lines.front();
    for (auto [i, sum] : llvm::enumerate(sums))
      for (int64_t row = 0; row < line.window; ++row)
        if (line.getOffset(int64_t(i), row) == offset)
          sum = math::FmaOp::create(
              builder, loc, weights[row * columns + column], element, sum);
  }

  void storeSums(ArrayRef<Value> sums) {
    for (auto [i, sum] : llvm::enumerate(sums)) {
      SmallVector<Value> place{batch, group, channel};
      llvm::append_range(place, first);
      place[3] = create<arith::AddIOp>(place[3], index(int64_t(i)));
      Value value = sum;
      if (type != sumType)
        value = arith::TruncFOp::create(builder, loc, type, value);
      if (i == 0) {
        store(value, result, place);
        continue;
      }
      ifThen(compare(arith::CmpIPredicate::ult, place[3], size(result, 3)),
             [&] { store(value, result, place); });
    }
  }

  ArrayRef<Line> lines;
  Value weight, image, result;
  Type type, sumType;
  /// The place of the first result.
  Value batch, group, channel;
  SmallVector<Value> first;
  Value zero;
};
} // namespace

/// The dimensions of the windows of a convolution that has a kernel of its own:
/// one channel is read for each result. Empty where it has not.
static SmallVector<Line> getLines(tally::ContractOp op) {
  std::optional<tally::Convolution> convolution =
      tally::getConvolution(tally::getLoops(op));
  auto weight = dyn_cast<MemRefType>(op.getA().getType());
  if (!weight || !convolution || convolution->givesWeight ||
      convolution->givesImage || !convolution->isGrouped ||
      weight.getDimSize(2) != 1 || convolution->strides.size() > 2)
    return {};
  SmallVector<Line> lines;
  int64_t taps = 1;
  for (size_t dim = 0; dim < convolution->strides.size(); ++dim) {
    int64_t window = weight.getDimSize(int64_t(3 + dim));
    if (ShapedType::isDynamic(window) || window == 0 || window > kMostTaps)
      return {};
    taps *= window;
    lines.push_back({window, convolution->strides[dim],
                     convolution->dilations[dim], convolution->padding[dim],
                     1});
  }
  if (taps > kMostTaps)
    return {};
  if (lines.size() == 2)
    lines.front().results = lines.front().window <= 4 ? 8 : 4;
  return lines;
}

static void schedule(tally::ContractOp op, ArrayRef<Line> lines) {
  LDBG() << describeLastPart(op) << ": a thread computes "
         << lines.front().results << " results";
  OpBuilder host(op);
  Location loc = op.getLoc();
  std::string name =
      (op->getParentOfType<func::FuncOp>().getName() + "_depthwise").str();
  SmallVector<Value> captures(op->getOperands());
  Kernel kernel = createKernel(host, loc, name, captures);
  kernel.function.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
  // Tells the compiler of the kernel what it cannot see of its pointers.
  llvm::SetVector<Value> buffers(captures.begin(), captures.end());
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    kernel.function.setArgAttr(index, "llvm.noalias", host.getUnitAttr());
    if (buffer != op.getC())
      kernel.function.setArgAttr(index, "llvm.readonly", host.getUnitAttr());
  }
  OpBuilder inner = kernel.getBodyBuilder();
  DepthwiseThread(inner, loc, lines, kernel.map.lookup(op.getA()),
                  kernel.map.lookup(op.getB()), kernel.map.lookup(op.getC()))
      .emit();
  DepthwiseThread outside(host, loc, lines, op.getA(), op.getB(), op.getC());
  Value threads = outside.index(kThreads);
  Value blocks =
      arith::CeilDivUIOp::create(host, loc, outside.getCount(), threads);
  blocks = outside.create<arith::MinUIOp>(
      blocks, outside.index(std::numeric_limits<int32_t>::max()));
  launchKernel(host, loc, kernel, blocks, threads);
  op->erase();
}

void tally::scheduleDepthwise(ModuleOp module) {
  SmallVector<std::pair<ContractOp, SmallVector<Line>>> found;
  module.walk([&](ContractOp op) {
    if (SmallVector<Line> lines = getLines(op); !lines.empty())
      found.push_back({op, lines});
  });
  for (auto &[op, lines] : found)
    schedule(op, lines);
}

namespace {
struct ScheduleDepthwisePass
    : tally::impl::ScheduleDepthwiseBase<ScheduleDepthwisePass> {
  void runOnOperation() override { tally::scheduleDepthwise(getOperation()); }
};

} // namespace
