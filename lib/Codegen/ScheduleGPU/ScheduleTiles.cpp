//===- ScheduleTiles.cpp - Kernels that transpose -------------------------===//
//
// Some operands lie along one dimension and the results along another. A block
// takes a square of both, reads such operands along their own dimension into
// shared memory, and computes along the other.
//
//===----------------------------------------------------------------------===//

#include "Kernels/PointEmitter.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

/// The side of a square: as many threads as a warp has, or twice as many, where
/// a thread has four times as many accesses on their way.
static constexpr int64_t kSmallSide = 32, kLargeSide = 64;
static constexpr int64_t kNumThreads = 256;
/// The most shared memory that a large square takes: several blocks have to fit
/// a multiprocessor. And the most operations of all its points that are next to
/// each other in code.
static constexpr int64_t kMaxLargeBytes = 20 * 1024;
static constexpr int64_t kMaxLargeCode = 256;
/// The most operands that go through shared memory.
static constexpr unsigned kMaxTiles = 4;

std::optional<Transposition>
tally::codegen::findTransposition(const KernelSpace &space) {
  unsigned last = space.getDims().size();
  if (last < 2)
    return std::nullopt;
  --last;
  Transposition best;
  for (unsigned dim = 0; dim < last; ++dim) {
    SmallVector<KernelAccess> reads;
    for (const KernelAccess &read : space.getReads())
      if (getLaneLayout(space, read, dim) == LaneLayout::Contiguous &&
          getLaneLayout(space, read, last) == LaneLayout::Apart)
        reads.push_back(read);
    if (reads.size() > best.reads.size())
      best = {dim, reads};
  }
  for (const KernelAccess &write : space.getWrites())
    if (getLaneLayout(space, write, last) != LaneLayout::Contiguous)
      return std::nullopt;
  if (best.reads.empty() || best.reads.size() > kMaxTiles)
    return std::nullopt;
  return best;
}

/// The shared memory of a square.
static int64_t getTileBytes(const Transposition &transposition, int64_t side) {
  int64_t bytes = 0;
  for (const KernelAccess &read : transposition.reads) {
    Type element = cast<ShapedType>(read.operand.getType()).getElementType();
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    bytes += side * (side + 1) * llvm::divideCeil(bits, 8);
  }
  return bytes;
}

bool tally::codegen::canTakeLargeTiles(const KernelSpace &space,
                                       const Transposition &transposition) {
  int64_t steps = kLargeSide * kLargeSide / kNumThreads;
  return getTileBytes(transposition, kLargeSide) <= kMaxLargeBytes &&
         space.getCodeSize() * steps <= kMaxLargeCode;
}

namespace {

/// Where a block is: the first point of its square.
struct Square {
  SmallVector<Value> indices;
  /// Whether all points of it are known to be inside.
  bool isWhole = false;
};

class TileSchedule : public Schedule {
public:
  TileSchedule(const KernelSpace &space, Transposition transposition,
               int64_t side)
      : space(space), transposition(std::move(transposition)), side(side),
        last(space.getDims().size() - 1) {}

  std::string getSuffix() const override {
    return side == kLargeSide ? "_large_tile" : "_tile";
  }
  unsigned getNumThreads() const override { return kNumThreads; }

  Value createNumBlocks(OpBuilder &host,
                        ArrayRef<Value> extents) const override {
    IndexMath math(host, space.getKernel()->getLoc());
    return math.product(createSquareExtents(math, extents));
  }

  void emit(const Kernel &kernel, OpBuilder &builder) const override;

private:
  /// How many squares there are along each dimension.
  SmallVector<Value> createSquareExtents(const IndexMath &math,
                                         ArrayRef<Value> extents) const {
    SmallVector<Value> squares(extents);
    for (unsigned dim : {transposition.dim, last})
      squares[dim] = math.ceilDiv(extents[dim], side);
    return squares;
  }

  SmallVector<Value> addTiles(const Kernel &kernel) const;
  Value isInside(OpBuilder &builder, Location loc,
                 const KernelOperands &kernelOperands,
                 const Square &square) const;
  void emitReads(OpBuilder &builder, const KernelOperands &kernelOperands,
                 const Square &square, ArrayRef<Value> tiles) const;
  void emitWrites(OpBuilder &builder, const KernelOperands &kernelOperands,
                  const Square &square, ArrayRef<Value> tiles) const;
  /// Calls `body` for each point of the square that is the running thread's and
  /// inside: neighboring threads are neighbors along `along`, and the rows go
  /// through `across`. The two numbers are the place in the square.
  void forEachPoint(
      OpBuilder &builder, const KernelOperands &kernelOperands,
      const Square &square, unsigned along, unsigned across,
      llvm::function_ref<void(const Point &, Value along, Value across)> body)
      const;

  const KernelSpace &space;
  Transposition transposition;
  int64_t side;
  unsigned last;
};

} // namespace

SmallVector<Value> TileSchedule::addTiles(const Kernel &kernel) const {
  auto memory = gpu::AddressSpaceAttr::get(space.getKernel()->getContext(),
                                           gpu::AddressSpace::Workgroup);
  SmallVector<Value> tiles;
  for (const KernelAccess &read : transposition.reads) {
    Type element = cast<ShapedType>(read.operand.getType()).getElementType();
    // One more column, or a column would be in one bank of the memory.
    auto type = MemRefType::get({side, side + 1}, element,
                                MemRefLayoutAttrInterface(), memory);
    gpu::GPUFuncOp function = kernel.function;
    tiles.push_back(
        function.addWorkgroupAttribution(type, space.getKernel()->getLoc()));
  }
  return tiles;
}

void TileSchedule::forEachPoint(
    OpBuilder &builder, const KernelOperands &kernelOperands,
    const Square &square, unsigned along, unsigned across,
    llvm::function_ref<void(const Point &, Value, Value)> body) const {
  Location loc = kernelOperands.getLoc();
  IndexMath math(builder, loc);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value width = math.constant(side);
  Value column = math.rem(thread, width), row = math.div(thread, width);
  int64_t rows = kNumThreads / side;
  auto getPoint = [&](Value acrossIn) {
    Point point;
    point.indices = square.indices;
    point.indices[along] = math.add(square.indices[along], column);
    point.indices[across] = math.add(square.indices[across], acrossIn);
    return point;
  };
  if (square.isWhole) {
    for (int64_t step = 0; step < side; step += rows) {
      Value acrossIn = math.add(row, math.constant(step));
      body(getPoint(acrossIn), column, acrossIn);
    }
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, row, width, math.constant(rows));
  builder.setInsertionPointToStart(loop.getBody());
  Point point = getPoint(loop.getInductionVar());
  auto isInside = [&](unsigned dim) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 point.indices[dim],
                                 kernelOperands.getExtent(dim));
  };
  Value inside =
      arith::AndIOp::create(builder, loc, isInside(along), isInside(across));
  auto branch = scf::IfOp::create(builder, loc, inside);
  builder.setInsertionPointToStart(branch.thenBlock());
  body(point, column, loop.getInductionVar());
}

void TileSchedule::emitReads(OpBuilder &builder,
                             const KernelOperands &kernelOperands,
                             const Square &square,
                             ArrayRef<Value> tiles) const {
  RowValues rows;
  struct Element {
    Value value, tile, along, across;
  };
  SmallVector<Element> read;
  auto store = [&] {
    for (const Element &element : read)
      memref::StoreOp::create(builder, kernelOperands.getLoc(), element.value,
                              element.tile,
                              ValueRange{element.across, element.along});
  };
  forEachPoint(
      builder, kernelOperands, square, transposition.dim, last,
      [&](const Point &point, Value along, Value across) {
        PointEmitter emitter(builder, kernelOperands, rows, point);
        for (auto [access, tile] : llvm::zip_equal(transposition.reads, tiles))
          read.push_back({emitter.load(access).front(), tile, along, across});
        if (!square.isWhole)
          store();
      });
  // All reads are on their way before the first one is waited for.
  if (square.isWhole)
    store();
}

void TileSchedule::emitWrites(OpBuilder &builder,
                              const KernelOperands &kernelOperands,
                              const Square &square,
                              ArrayRef<Value> tiles) const {
  RowValues rows;
  forEachPoint(
      builder, kernelOperands, square, last, transposition.dim,
      [&](const Point &point, Value along, Value across) {
        PointEmitter emitter(builder, kernelOperands, rows, point);
        for (auto [read, tile] : llvm::zip_equal(transposition.reads, tiles))
          emitter.setOperand(*read.use, memref::LoadOp::create(
                                            builder, kernelOperands.getLoc(),
                                            tile, ValueRange{along, across}));
        for (auto [access, value] :
             llvm::zip_equal(space.getWrites(), space.getKernel().getYielded()))
          emitter.store(access, emitter.get(value));
      });
}

/// Whether all points of a square are inside.
Value TileSchedule::isInside(OpBuilder &builder, Location loc,
                             const KernelOperands &kernelOperands,
                             const Square &square) const {
  IndexMath math(builder, loc);
  Value isWhole;
  for (unsigned dim : {transposition.dim, last}) {
    Value end = math.add(square.indices[dim], math.constant(side));
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                       end, kernelOperands.getExtent(dim));
    isWhole =
        isWhole ? arith::AndIOp::create(builder, loc, isWhole, fits) : fits;
  }
  return isWhole;
}

/// Without a branch for each point where the square is whole, accesses do not
/// wait for each other.
static void emitEither(OpBuilder &builder, Location loc, Value isWhole,
                       Square square,
                       llvm::function_ref<void(const Square &)> body) {
  auto branch =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    builder.setInsertionPointToStart(block);
    square.isWhole = block == branch.thenBlock();
    body(square);
  }
}

void TileSchedule::emit(const Kernel &kernel, OpBuilder &builder) const {
  Location loc = space.getKernel()->getLoc();
  KernelOperands kernelOperands(space, kernel.map, builder);
  IndexMath math(builder, loc);
  SmallVector<Value> extents;
  for (unsigned dim = 0; dim <= last; ++dim)
    extents.push_back(kernelOperands.getExtent(dim));
  SmallVector<Value> squares = createSquareExtents(math, extents);
  SmallVector<Value> tiles = addTiles(kernel);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  auto loop =
      scf::ForOp::create(builder, loc, block, math.product(squares), blocks);
  builder.setInsertionPointToStart(loop.getBody());
  Square square{math.delinearize(loop.getInductionVar(), squares)};
  for (unsigned dim : {transposition.dim, last})
    square.indices[dim] = math.mul(square.indices[dim], math.constant(side));
  Value isWhole = isInside(builder, loc, kernelOperands, square);
  emitEither(builder, loc, isWhole, square, [&](const Square &known) {
    emitReads(builder, kernelOperands, known, tiles);
  });
  gpu::BarrierOp::create(builder, loc);
  emitEither(builder, loc, isWhole, square, [&](const Square &known) {
    emitWrites(builder, kernelOperands, known, tiles);
  });
  // The next square is read there again.
  gpu::BarrierOp::create(builder, loc);
}

std::unique_ptr<Schedule>
tally::codegen::createTileSchedule(const KernelSpace &space,
                                   Transposition transposition, bool isLarge) {
  return std::make_unique<TileSchedule>(space, std::move(transposition),
                                        isLarge ? kLargeSide : kSmallSide);
}
