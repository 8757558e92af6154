//===- ScheduleDepthwise.cpp - Convolutions of one channel each -----------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Emitter.h"
#include "Kernels/Kernels.h"
#include "Schedules.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/DebugLog.h"

#include <array>
#include <limits>
#include <optional>

namespace tally {
#define GEN_PASS_DEF_SCHEDULEDEPTHWISE
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-depthwise"

using namespace mlir;
using namespace tally::codegen;

/// Windows of more elements are a library's, as the weights of a thread are in
/// registers.
static constexpr int64_t kMostTaps = 64;
/// So many threads keep a GPU busy.
static constexpr int64_t kManyThreads = 1 << 16;
/// Places below this are numbers of 32 bits, and so are those around a window
/// of at most `kMaxReach`.
static constexpr int64_t kMaxPlace = 1 << 30;
static constexpr int64_t kMaxReach = 1 << 16;

namespace {

/// The elements that a thread reads along a dimension, and for which of its
/// results.
struct Line {
  int64_t window = 1, stride = 1, dilation = 1, padding = 0;
  /// How many results.
  int64_t results = 1;

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
  /// The tap that a result has at such a distance, if it has one.
  std::optional<int64_t> getTap(int64_t result, int64_t offset) const {
    for (int64_t tap = 0; tap < window; ++tap)
      if (getOffset(result, tap) == offset)
        return tap;
    return std::nullopt;
  }
};

/// What threads do: how many results below and beside each other each of them
/// has, and whether places are numbers of 32 bits.
struct Tile {
  std::string suffix;
  SmallVector<Line> lines;
  int64_t threads = 256;
  bool isNarrow = false;

  int64_t getNumResults() const {
    int64_t count = 1;
    for (const Line &line : lines)
      count *= line.results;
    return count;
  }
};

/// The elements of a batch and a channel, from the first one on.
struct Plane {
  Value elements;
  /// How far neighbors along each dimension are apart.
  SmallVector<Value> strides;
};

/// Emits what a thread does: a few results next to each other. What their
/// windows share is read once.
class DepthwiseThread : public Emitter {
public:
  DepthwiseThread(OpBuilder &builder, Location loc, const Tile &tile,
                  Value weight, Value image, Value result)
      : Emitter(builder, loc), tile(tile), lines(tile.lines), weight(weight),
        image(image), result(result) {
    type = ::cast<MemRefType>(image.getType()).getElementType();
    sumType = type.getIntOrFloatBitWidth() < 32 ? builder.getF32Type() : type;
    placeType = tile.isNarrow ? Type(builder.getI32Type())
                              : Type(builder.getIndexType());
  }

  /// How many threads there are; on the host.
  Value getCount() {
    Value count = size(result, 0);
    for (int64_t dim : {1, 2})
      count = create<arith::MulIOp>(count, size(result, dim));
    for (size_t dim = 0; dim < lines.size(); ++dim)
      count = create<arith::MulIOp>(
          count, arith::CeilDivUIOp::create(builder, loc, size(result, 3 + dim),
                                            index(lines[dim].results)));
    return count;
  }

  void emit() {
    auto x = gpu::Dimension::x;
    Value thread = create<arith::AddIOp>(
        create<arith::MulIOp>(gpu::BlockIdOp::create(builder, loc, x),
                              index(tile.threads)),
        gpu::ThreadIdOp::create(builder, loc, x));
    ifThen(compare(arith::CmpIPredicate::ult, thread, getCount()), [&] {
      findPlace(toPlace(thread));
      // There is nothing to read where all is padding.
      Value elements = index(1);
      for (size_t dim = 0; dim < lines.size(); ++dim)
        elements = create<arith::MulIOp>(elements, size(image, 3 + dim));
      SmallVector<Type> types(tile.getNumResults(), sumType);
      SmallVector<Value> sums =
          ifElseZero(compare(arith::CmpIPredicate::ne, elements, index(0)),
                     types, [&] { return createSums(); });
      storeSums(sums);
    });
  }

private:
  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  Value toPlace(Value value) {
    return tile.isNarrow ? cast(value, placeType) : value;
  }
  Value toIndex(Value place) {
    return tile.isNarrow ? cast(place, builder.getIndexType()) : place;
  }
  Value place(int64_t value) {
    return tile.isNarrow ? i32(value) : index(value);
  }
  Value getSize(Value buffer, int64_t dim) {
    return toPlace(size(buffer, dim));
  }

  /// Takes the last of the indices that a number stands for.
  Value takeIndex(Value &number, Value size) {
    size = create<arith::MaxSIOp>(size, place(1));
    Value last = create<arith::RemUIOp>(number, size);
    number = create<arith::DivUIOp>(number, size);
    return last;
  }

  void findPlace(Value number) {
    first.resize(lines.size());
    for (size_t dim = lines.size(); dim-- > 0;) {
      Value results = place(lines[dim].results);
      Value parts = arith::CeilDivUIOp::create(
          builder, loc, getSize(result, 3 + dim), results);
      first[dim] = create<arith::MulIOp>(takeIndex(number, parts), results);
    }
    channel = toIndex(takeIndex(number, getSize(result, 2)));
    group = toIndex(takeIndex(number, getSize(result, 1)));
    batch = toIndex(number);
  }

  Plane getPlane(Value buffer, Value ofChannel) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    auto get = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(builder, loc, number);
    };
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    Value start = get(metadata.getConstifiedMixedOffset());
    std::array<Value, 3> places = {batch, group, ofChannel};
    for (auto [at, stride] : llvm::zip(places, strides))
      start =
          create<arith::AddIOp>(start, create<arith::MulIOp>(at, get(stride)));
    Plane plane;
    plane.elements = memref::ReinterpretCastOp::create(
        builder, loc, metadata.getBaseBuffer(), OpFoldResult(start),
        ArrayRef<OpFoldResult>{
            builder.getIndexAttr(std::numeric_limits<int64_t>::max())},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
    for (OpFoldResult stride : ArrayRef(strides).drop_front(3))
      plane.strides.push_back(toPlace(get(stride)));
    return plane;
  }

  /// The part of a place in a plane that an index along a dimension is.
  Value scale(const Plane &plane, size_t dim, Value at) {
    return create<arith::MulIOp>(at, plane.strides[dim]);
  }

  /// Where an element of the image is, and whether there is such an element;
  /// null where results that there are have only such.
  struct Spot {
    Value place, isInside;
  };
  Spot locate(const Plane &plane, size_t dim, int64_t offset) {
    const Line &line = lines[dim];
    Value start = create<arith::MulIOp>(first[dim], place(line.stride));
    Value at = create<arith::AddIOp>(start, place(offset - line.padding));
    if (line.padding == 0 && line.results == 1)
      return {scale(plane, dim, at), Value()};
    Value extent = getSize(image, 3 + dim);
    Value isInside = line.padding == 0
                         ? Value()
                         : compare(arith::CmpIPredicate::ult, at, extent);
    Value last = create<arith::SubIOp>(extent, place(1));
    at = create<arith::MinSIOp>(at, last);
    at = create<arith::MaxSIOp>(at, place(0));
    return {scale(plane, dim, at), isInside};
  }

  SmallVector<Spot> locateAll(const Plane &plane, size_t dim) {
    return llvm::map_to_vector(lines[dim].getOffsets(), [&](int64_t offset) {
      return locate(plane, dim, offset);
    });
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  /// What rows are; one where there is one dimension.
  Line getDown() const { return lines.size() == 1 ? Line() : lines.front(); }
  const Line &getAcross() const { return lines.back(); }

  Value extend(Value element) {
    if (type == sumType)
      return element;
    return arith::ExtFOp::create(builder, loc, sumType, element);
  }

  SmallVector<Value> loadWeights() {
    SmallVector<Value> weights;
    for (int64_t row = 0; row < getDown().window; ++row)
      for (int64_t column = 0; column < getAcross().window; ++column) {
        SmallVector<Value> at{group, channel, index(0)};
        if (lines.size() > 1)
          at.push_back(index(row));
        at.push_back(index(column));
        weights.push_back(extend(load(weight, at)));
      }
    return weights;
  }

  /// An element that is read for all windows that have it.
  Value loadImage(const Plane &plane, const Spot *down, const Spot &across) {
    Value at = across.place, isInside = across.isInside;
    if (down) {
      at = create<arith::AddIOp>(down->place, at);
      if (down->isInside)
        isInside = isInside ? create<arith::AndIOp>(down->isInside, isInside)
                            : down->isInside;
    }
    Value element = extend(load(plane.elements, toIndex(at)));
    return isInside ? select(isInside, element, zero) : element;
  }

  SmallVector<Value> createSums() {
    zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
    SmallVector<Value> sums(tile.getNumResults(), zero);
    SmallVector<Value> weights = loadWeights();
    Plane plane = getPlane(image, index(0));
    SmallVector<Spot> across = locateAll(plane, lines.size() - 1);
    for (int64_t down : getDown().getOffsets()) {
      std::optional<Spot> row;
      if (lines.size() > 1)
        row = locate(plane, 0, down);
      for (auto [offset, column] :
           llvm::zip_equal(getAcross().getOffsets(), across))
        addProducts(sums, weights, down, offset,
                    loadImage(plane, row ? &*row : nullptr, column));
    }
    return sums;
  }

  void addProducts(MutableArrayRef<Value> sums, ArrayRef<Value> weights,
                   int64_t down, int64_t across, Value element) {
    for (auto [i, sum] : llvm::enumerate(sums)) {
      std::optional<int64_t> row =
          getDown().getTap(int64_t(i) / getAcross().results, down);
      std::optional<int64_t> column =
          getAcross().getTap(int64_t(i) % getAcross().results, across);
      if (row && column)
        sum = math::FmaOp::create(builder, loc,
                                  weights[*row * getAcross().window + *column],
                                  element, sum);
    }
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Does something at a place along a dimension, if there is one.
  void at(size_t dim, int64_t distance, function_ref<void(Value)> body) {
    if (distance == 0)
      return body(first[dim]);
    Value place = create<arith::AddIOp>(first[dim], this->place(distance));
    ifThen(compare(arith::CmpIPredicate::ult, place,
                   getSize(result, int64_t(3 + dim))),
           [&] { body(place); });
  }

  void storeSums(ArrayRef<Value> sums) {
    Plane plane = getPlane(result, channel);
    size_t last = lines.size() - 1;
    auto storeRow = [&](int64_t row, Value start) {
      for (int64_t column = 0; column < getAcross().results; ++column)
        at(last, column, [&](Value place) {
          Value sum = sums[row * getAcross().results + column];
          if (type != sumType)
            sum = arith::TruncFOp::create(builder, loc, type, sum);
          Value to = scale(plane, last, place);
          if (start)
            to = create<arith::AddIOp>(start, to);
          store(sum, plane.elements, toIndex(to));
        });
    };
    if (lines.size() == 1)
      return storeRow(0, Value());
    for (int64_t row = 0; row < getDown().results; ++row)
      at(0, row, [&](Value place) { storeRow(row, scale(plane, 0, place)); });
  }

  const Tile &tile;
  ArrayRef<Line> lines;
  Value weight, image, result;
  Type type, sumType, placeType;
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
                     convolution->dilations[dim], convolution->padding[dim]});
  }
  if (taps > kMostTaps)
    return {};
  return lines;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What threads do where there are many results, where there are not, and where
/// places need 64 bits.
static std::array<Tile, 3> getTiles(ArrayRef<Line> lines, Type type) {
  std::array<Tile, 3> tiles;
  for (Tile &tile : tiles)
    tile.lines.assign(lines.begin(), lines.end());
  auto &[many, few, wide] = tiles;
  many.isNarrow = few.isNarrow = true;
  few.suffix = "_few";
  few.threads = 128;
  wide.suffix = "_wide";
  if (lines.size() == 1)
    return tiles;
  int64_t rows = lines.front().window <= 4 ? 8 : 4;
  many.lines.front().results = wide.lines.front().results = rows;
  few.lines.front().results = rows / 2;
  // A warp reads 128 bytes then.
  if (type.getIntOrFloatBitWidth() <= 16)
    many.lines.back().results = 2;
  return tiles;
}

static void launch(tally::ContractOp op, OpBuilder &host, const Tile &tile) {
  Location loc = op.getLoc();
  std::string name = (op->getParentOfType<func::FuncOp>().getName() +
                      "_depthwise" + tile.suffix)
                         .str();
  SmallVector<Value> captures(op->getOperands());
  Kernel kernel = createKernel(host, loc, name, captures);
  kernel.function.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({int32_t(tile.threads), 1, 1}));
  annotatePointers(kernel, captures, llvm::SmallPtrSet<Value, 1>{op.getC()});
  OpBuilder inner = kernel.getBodyBuilder();
  DepthwiseThread(inner, loc, tile, kernel.map.lookup(op.getA()),
                  kernel.map.lookup(op.getB()), kernel.map.lookup(op.getC()))
      .emit();
  DepthwiseThread outside(host, loc, tile, op.getA(), op.getB(), op.getC());
  Value threads = outside.index(tile.threads);
  Value blocks =
      arith::CeilDivUIOp::create(host, loc, outside.getCount(), threads);
  blocks = outside.create<arith::MinUIOp>(
      blocks, outside.index(std::numeric_limits<int32_t>::max()));
  launchKernel(host, loc, kernel, blocks, threads);
}

/// Whether all places of a thread with one result are numbers of 32 bits; on
/// the host.
static Value createIsNarrow(tally::ContractOp op, OpBuilder &host,
                            ArrayRef<Line> lines) {
  Emitter emit(host, op.getLoc());
  auto isSmall = [&](Value number) {
    return emit.compare(arith::CmpIPredicate::ult, number,
                        emit.index(kMaxPlace));
  };
  auto isNear = [](const Line &line) {
    return line.window * line.dilation < kMaxReach &&
           line.padding < kMaxReach && line.stride < kMaxReach;
  };
  if (!llvm::all_of(lines, isNear))
    return arith::ConstantIntOp::create(host, op.getLoc(), 0, 1);
  Value all = isSmall(emit.elementCount(op.getC()));
  for (Value buffer : {op.getB(), op.getC()}) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(host, op.getLoc(), buffer);
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    for (size_t dim = 3; dim < strides.size(); ++dim) {
      Value size = emit.size(buffer, int64_t(dim));
      Value stride =
          getValueOrCreateConstantIndexOp(host, op.getLoc(), strides[dim]);
      all = emit.create<arith::AndIOp>(all, isSmall(size));
      all = emit.create<arith::AndIOp>(
          all, isSmall(emit.create<arith::MulIOp>(size, stride)));
    }
  }
  return all;
}

static void schedule(tally::ContractOp op, ArrayRef<Line> lines) {
  OpBuilder host(op);
  Location loc = op.getLoc();
  auto [many, few, wide] =
      getTiles(lines, getElementTypeOrSelf(op.getB().getType()));
  LDBG() << describeLastPart(op) << ": a thread computes "
         << many.getNumResults() << " results";
  auto narrow = [&, &many = many, &few = few] {
    if (many.getNumResults() == few.getNumResults())
      return launch(op, host, many);
    DepthwiseThread threads(host, loc, many, op.getA(), op.getB(), op.getC());
    choose(
        host, loc,
        threads.compare(arith::CmpIPredicate::uge, threads.getCount(),
                        threads.index(kManyThreads)),
        [&] { launch(op, host, many); }, [&] { launch(op, host, few); });
  };
  choose(host, loc, createIsNarrow(op, host, lines), narrow,
         [&, &wide = wide] { launch(op, host, wide); });
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
