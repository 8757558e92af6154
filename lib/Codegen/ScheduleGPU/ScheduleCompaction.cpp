//===- ScheduleCompaction.cpp - Kernels that count and write rows ---------===//
//
// See the description of the pass in Passes.td. A warp has a tile. It goes
// through it 32 elements at a time, so that neighbors read neighbors; a
// ballot tells every thread which of them are not zero, and so its place among
// them.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Emitter.h"
#include "Kernels/Kernels.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULECOMPACTION
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-compaction"

using namespace mlir;
using namespace tally::codegen;

namespace {

constexpr int64_t kWarp = 32;
/// Threads of a block that goes through tiles, and of the one that sums them.
constexpr int64_t kThreads = 256;
constexpr int64_t kScanThreads = 1024;

/// The work of a warp at each step through its tile: it gets the number of the
/// element, whether it is not zero, and the ballot, and returns the carried
/// value.
using Step = function_ref<Value(Value element, Value isNonzero, Value ballot,
                                Value carried)>;

/// Emits the walk of a warp through its tile, in the body of a kernel.
class TileWalk : public Emitter {
public:
  TileWalk(OpBuilder &builder, Location loc, Value source, int64_t tile)
      : Emitter(builder, loc), source(source), tile(tile) {
    auto x = gpu::Dimension::x;
    Value thread = gpu::ThreadIdOp::create(builder, loc, x);
    Value block = gpu::BlockIdOp::create(builder, loc, x);
    Value warps = index(kThreads / kWarp);
    lane = create<arith::RemUIOp>(thread, index(kWarp));
    number =
        create<arith::AddIOp>(create<arith::MulIOp>(block, warps),
                              create<arith::DivUIOp>(thread, index(kWarp)));
    elements = elementCount(source);
  }

  /// The number of the tile of this warp.
  Value getNumber() const { return number; }
  Value getLane() const { return lane; }

  /// Goes through the tile; all threads of the warp take every step.
  Value walk(Value initial, Step step) {
    Value first =
        create<arith::AddIOp>(create<arith::MulIOp>(number, index(tile)), lane);
    auto loop = scf::ForOp::create(builder, loc, index(0), index(tile),
                                   index(kWarp), initial);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value element = create<arith::AddIOp>(first, loop.getInductionVar());
    Value isNonzero = createIsNonzero(element);
    Value ballot = NVVM::VoteSyncOp::create(
        builder, loc, builder.getI32Type(), i32(-1), isNonzero,
        NVVM::VoteSyncKindAttr::get(builder.getContext(),
                                    NVVM::VoteSyncKind::ballot));
    Value next = step(element, isNonzero, ballot, loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, loc, next);
    return loop.getResult(0);
  }

  /// The bits of `ballot` of the threads before this one.
  Value getBefore(Value ballot) {
    Value bit = create<arith::ShLIOp>(i32(1), cast(lane, builder.getI32Type()));
    return create<arith::AndIOp>(ballot, create<arith::SubIOp>(bit, i32(1)));
  }

  Value countBits(Value bits) {
    Value count =
        LLVM::CtPopOp::create(builder, loc, builder.getI32Type(), bits);
    return cast(count, builder.getIndexType());
  }

  /// The indices of an element, of which there is at least one.
  SmallVector<Value> delinearize(Value element) {
    int64_t rank = ::cast<MemRefType>(source.getType()).getRank();
    SmallVector<Value> indices(rank);
    for (int64_t dim = rank - 1; dim > 0; --dim) {
      Value extent = create<arith::MaxSIOp>(size(source, dim), index(1));
      indices[dim] = create<arith::RemUIOp>(element, extent);
      element = create<arith::DivUIOp>(element, extent);
    }
    if (rank > 0)
      indices[0] = element;
    return indices;
  }

private:
  /// Whether there is such an element, and it is not zero.
  Value createIsNonzero(Value element) {
    Value exists = compare(arith::CmpIPredicate::ult, element, elements);
    auto branch = scf::IfOp::create(builder, loc, builder.getI1Type(), exists,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
    scf::YieldOp::create(builder, loc, no);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc,
                         compareToZero(load(source, delinearize(element))));
    return branch.getResult(0);
  }

  /// NaN is not zero.
  Value compareToZero(Value value) {
    Type type = value.getType();
    if (type.isInteger(1))
      return value;
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    if (isa<FloatType>(type))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                   value, zero);
    return compare(arith::CmpIPredicate::ne, value, zero);
  }

  Value source;
  int64_t tile;
  Value lane, number, elements;
};

/// Launches what the two operations need, in front of one of them.
class Scheduling {
public:
  Scheduling(Operation *op, Value source, Value before, int64_t tile)
      : op(op), loc(op->getLoc()), host(op), source(source), before(before),
        tile(tile) {
    Emitter emitter(host, loc);
    Value length = emitter.size(before, 0);
    tiles = emitter.create<arith::SubIOp>(length, emitter.index(1));
  }

  void count() {
    LDBG()
        << describeLastPart(op) << ": tiles of " << tile
        << " elements are counted by a warp each, and summed up by one block";
    Kernel kernel =
        createKernel(host, loc, getName("_count"), {source, before, tiles});
    OpBuilder inner = kernel.getBodyBuilder();
    fillCount(inner, kernel.map);
    launchWarps(kernel);
    scan();
  }

  void write(Value rows) {
    LDBG() << describeLastPart(op) << ": tiles of " << tile
           << " elements are written by a warp each";
    Kernel kernel = createKernel(host, loc, getName("_write"),
                                 {source, before, tiles, rows});
    OpBuilder inner = kernel.getBodyBuilder();
    fillWrite(inner, kernel.map, rows);
    launchWarps(kernel);
  }

private:
  std::string getName(StringRef what) {
    return (op->getParentOfType<func::FuncOp>().getName() + what).str();
  }

  /// A warp for each tile.
  void launchWarps(const Kernel &kernel) {
    Emitter emitter(host, loc);
    Value blocks = arith::CeilDivUIOp::create(host, loc, tiles,
                                              emitter.index(kThreads / kWarp));
    launchKernel(host, loc, kernel, blocks, emitter.index(kThreads));
  }

  /// Opens `if (tile < tiles)`, which all threads of a warp decide alike.
  static void enterTile(OpBuilder &inner, TileWalk &walk, Value tiles) {
    Value exists =
        walk.compare(arith::CmpIPredicate::ult, walk.getNumber(), tiles);
    auto branch = scf::IfOp::create(inner, walk.loc, exists);
    inner.setInsertionPointToStart(branch.thenBlock());
  }

  void fillCount(OpBuilder &inner, const IRMapping &map) {
    TileWalk walk(inner, loc, map.lookup(source), tile);
    enterTile(inner, walk, map.lookup(tiles));
    Value count = walk.walk(
        walk.index(0), [&](Value, Value, Value ballot, Value carried) {
          return walk.create<arith::AddIOp>(carried, walk.countBits(ballot));
        });
    Value isFirst =
        walk.compare(arith::CmpIPredicate::eq, walk.getLane(), walk.index(0));
    auto branch = scf::IfOp::create(inner, loc, isFirst);
    inner.setInsertionPointToStart(branch.thenBlock());
    walk.store(walk.cast(count, inner.getI64Type()), map.lookup(before),
               walk.getNumber());
  }

  void fillWrite(OpBuilder &inner, const IRMapping &map, Value rows) {
    TileWalk walk(inner, loc, map.lookup(source), tile);
    Value target = map.lookup(rows);
    enterTile(inner, walk, map.lookup(tiles));
    Value limit = walk.size(target, 0);
    Value start = walk.cast(walk.load(map.lookup(before), walk.getNumber()),
                            inner.getIndexType());
    auto step = [&](Value element, Value isNonzero, Value ballot,
                    Value carried) {
      Value row = walk.create<arith::AddIOp>(
          carried, walk.countBits(walk.getBefore(ballot)));
      Value isInside = walk.compare(arith::CmpIPredicate::ult, row, limit);
      Value isRow = walk.create<arith::AndIOp>(isNonzero, isInside);
      auto branch = scf::IfOp::create(inner, loc, isRow);
      {
        OpBuilder::InsertionGuard guard(inner);
        inner.setInsertionPointToStart(branch.thenBlock());
        for (auto [column, coordinate] :
             llvm::enumerate(walk.delinearize(element)))
          walk.store(walk.cast(coordinate, inner.getI64Type()), target,
                     {row, walk.index(column)});
      }
      return walk.create<arith::AddIOp>(carried, walk.countBits(ballot));
    };
    walk.walk(start, step);
  }

  void scan();

  Operation *op;
  Location loc;
  OpBuilder host;
  Value source, before, tiles;
  int64_t tile;
};

/// Emits how one block turns counts into sums of what is before each.
class Scan : public Emitter {
public:
  Scan(OpBuilder &builder, Location loc, Value counts, Value tiles,
       Value warpSums)
      : Emitter(builder, loc), counts(counts), tiles(tiles),
        warpSums(warpSums) {
    thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    lane = create<arith::RemUIOp>(thread, index(kWarp));
    warp = create<arith::DivUIOp>(thread, index(kWarp));
  }

  /// 1024 counts at a time; what is carried is the sum of all before.
  void emit() {
    auto loop = scf::ForOp::create(builder, loc, index(0), tiles,
                                   index(kScanThreads), ValueRange(index(0)));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value next = emitStep(loop.getInductionVar(), loop.getRegionIterArg(0));
      scf::YieldOp::create(builder, loc, next);
    }
    Value isFirst = compare(arith::CmpIPredicate::eq, thread, index(0));
    auto branch = scf::IfOp::create(builder, loc, isFirst);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    store(cast(loop.getResult(0), builder.getI64Type()), counts, tiles);
  }

private:
  Value emitStep(Value base, Value running) {
    Value position = create<arith::AddIOp>(base, thread);
    Value exists = compare(arith::CmpIPredicate::ult, position, tiles);
    Value count = emitLoad(exists, position);
    Value inclusive = emitWarpScan(count);
    Value isLast = compare(arith::CmpIPredicate::eq, lane, index(kWarp - 1));
    emitIf(isLast, [&] { store(inclusive, warpSums, warp); });
    gpu::BarrierOp::create(builder, loc);
    auto [beforeWarp, all] = emitSums();
    gpu::BarrierOp::create(builder, loc);
    Value exclusive = create<arith::AddIOp>(
        create<arith::SubIOp>(inclusive, count), beforeWarp);
    Value sum =
        create<arith::AddIOp>(running, cast(exclusive, builder.getIndexType()));
    emitIf(exists,
           [&] { store(cast(sum, builder.getI64Type()), counts, position); });
    return create<arith::AddIOp>(running, cast(all, builder.getIndexType()));
  }

  void emitIf(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(builder, loc, condition);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  /// A count, or 0. It fits into 32 bits, as do the sums of one step.
  Value emitLoad(Value exists, Value position) {
    auto branch = scf::IfOp::create(builder, loc, builder.getI32Type(), exists,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, i32(0));
    builder.setInsertionPointToStart(branch.thenBlock());
    Value count = arith::TruncIOp::create(builder, loc, builder.getI32Type(),
                                          load(counts, position));
    scf::YieldOp::create(builder, loc, count);
    return branch.getResult(0);
  }

  /// The sum of the counts of a warp up to this thread.
  Value emitWarpScan(Value sum) {
    for (int32_t distance = 1; distance < kWarp; distance *= 2) {
      auto shuffle = gpu::ShuffleOp::create(builder, loc, sum, distance, kWarp,
                                            gpu::ShuffleMode::UP);
      Value has = compare(arith::CmpIPredicate::uge, lane, index(distance));
      Value other = select(has, shuffle.getShuffleResult(), i32(0));
      sum = create<arith::AddIOp>(sum, other);
    }
    return sum;
  }

  /// The sums of the warps before this one, and of all.
  std::pair<Value, Value> emitSums() {
    auto loop =
        scf::ForOp::create(builder, loc, index(0), index(kScanThreads / kWarp),
                           index(1), ValueRange{i32(0), i32(0)});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value sum = load(warpSums, loop.getInductionVar());
    Value isBefore =
        compare(arith::CmpIPredicate::ult, loop.getInductionVar(), warp);
    Value before = create<arith::AddIOp>(loop.getRegionIterArg(0),
                                         select(isBefore, sum, i32(0)));
    Value all = create<arith::AddIOp>(loop.getRegionIterArg(1), sum);
    scf::YieldOp::create(builder, loc, ValueRange{before, all});
    return {loop.getResult(0), loop.getResult(1)};
  }

  Value counts, tiles, warpSums;
  Value thread, lane, warp;
};

void Scheduling::scan() {
  Kernel kernel = createKernel(host, loc, getName("_scan"), {before, tiles});
  auto space = gpu::AddressSpaceAttr::get(
      host.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  Value warpSums = kernel.function.addWorkgroupAttribution(
      MemRefType::get({kScanThreads / kWarp}, host.getI32Type(),
                      MemRefLayoutAttrInterface(), space),
      loc);
  OpBuilder inner = kernel.getBodyBuilder();
  Scan(inner, loc, kernel.map.lookup(before), kernel.map.lookup(tiles),
       warpSums)
      .emit();
  Emitter emitter(host, loc);
  launchKernel(host, loc, kernel, emitter.index(1),
               emitter.index(kScanThreads));
}
} // namespace

LogicalResult tally::scheduleCompaction(ModuleOp module) {
  SmallVector<Operation *> ops;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<tally::CountNonzeroOp, tally::WriteNonzeroOp>(op))
      return WalkResult::advance();
    ops.push_back(op);
    if (op->getNumResults() == 0)
      return WalkResult::advance();
    op->emitOpError("is on tensors; bufferize it first");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : ops) {
    if (auto count = dyn_cast<tally::CountNonzeroOp>(op))
      Scheduling(op, count.getSource(), count.getBefore(), count.getTile())
          .count();
    else if (auto write = dyn_cast<tally::WriteNonzeroOp>(op))
      Scheduling(op, write.getSource(), write.getBefore(), write.getTile())
          .write(write.getRows());
    op->erase();
  }
  return success();
}

namespace {
struct ScheduleCompactionPass
    : tally::impl::ScheduleCompactionBase<ScheduleCompactionPass> {
  void runOnOperation() override {
    if (failed(tally::scheduleCompaction(getOperation())))
      signalPassFailure();
  }
};

} // namespace
