//===- ScheduleGPU.cpp - Kernels become functions for the GPU -------------===//
//
// See the description of the pass in Passes.td. Which schedules a kernel gets
// follows from how its accesses lie in memory; which of them runs is decided on
// the host from the real sizes and addresses.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferOrigins.h"
#include "Common/Fusion.h"
#include "JoinKernels.h"
#include "KernelLayout.h"
#include "Kernels/KernelCopies.h"
#include "Kernels/KernelGroups.h"
#include "Kernels/PointEmitter.h"
#include "Schedules.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULEGPU
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-gpu"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// A row that is not longer than this belongs to a few threads, a warp, a block
/// or, if it is read again, to a wide block: rows that are worked on at the
/// same time have to fit the cache.
static constexpr int64_t kMaxFewThreadsRow = 128;
static constexpr int64_t kMaxBlockRow = 8192;
static constexpr unsigned kWideBlock = 1024;
/// A row that lies across memory and is not longer than this belongs to a
/// thread where there are so many rows that threads keep a GPU busy.
static constexpr int64_t kMaxThreadRowOfMany = 1024;
static constexpr int64_t kManyRows = 1 << 18;
/// A row whose elements are looked up belongs to a thread up to this length,
/// and up to `kMaxThreadRow` where there are so many rows.
static constexpr int64_t kMaxLookedUpRow = 8;
static constexpr int64_t kManyLookedUpRows = 1 << 16;
/// The fewest elements of a row across memory that are worth a part, and how
/// many blocks of such parts keep a GPU busy: they are small.
static constexpr int64_t kMinColumnPart = 256;
static constexpr int64_t kManyColumnBlocks = 2048;
/// More parts than this are joined by a block.
static constexpr int64_t kMaxWarpParts = 128;
/// Up to so many points have a thread each, if several of them are more code
/// than this.
static constexpr int64_t kMaxPointsOfEach = 1 << 16;
static constexpr int64_t kMinCodeOfEach = 32;
static constexpr unsigned kThreadsOfEach = 128;
/// A transposition of fewer rows or columns than this needs no squares.
static constexpr int64_t kMinTileSide = 8;
/// Large squares are for so many rows and columns, where as many of them keep a
/// GPU busy.
static constexpr int64_t kMinLargeTileSide = 256;
static constexpr int64_t kManyLargeTiles = 264;
/// The fewest elements that are worth a block of their own, how many blocks
/// keep a GPU busy, and the most rows that are cut into parts.
static constexpr int64_t kMinPart = 8192;
static constexpr int64_t kManyBlocks = 1024;
static constexpr int64_t kMaxCutRows = 128;
/// So many expensive operations on each element of a row take longer than to
/// read it, and long to compile; and how many elements are worth a block then.
static constexpr int64_t kManyExpensive = 3;
static constexpr int64_t kMinExpensivePart = 1024;
namespace {

/// Schedules one kernel.
class KernelScheduler : KernelLayout {
public:
  KernelScheduler(KernelOp kernel, StringRef name)
      : KernelLayout(kernel), joined(kernel, /*joinsSums=*/true), name(name) {}

  void run() {
    if (kernel.getReduced().empty())
      schedulePointwise();
    else
      scheduleRows();
    kernel.erase();
  }

private:
  void schedulePointwise();
  void scheduleContiguous();
  void scheduleWays(ArrayRef<PointwiseWay> ways);
  void scheduleRows();
  void scheduleTeam(const KernelSpace &phases, RowTeam team,
                    const RowParts &parts = {});
  void scheduleColumns();
  void scheduleLongRows(unsigned lanes);
  void scheduleParts(const KernelSpace &phases, RowTeam team, Value count);
  bool isBoundByArithmetic() const;
  bool canReduceInParts() const;
  void launch(const Schedule &schedule);
  void choose(Value flag, llvm::function_ref<void()> yes,
              llvm::function_ref<void()> no) {
    codegen::choose(host, loc, flag, yes, no);
  }

  /// The same for rows that do not fit a cache: a softmax has a phase less, and
  /// an element takes more instructions.
  KernelSpace joined;
  std::string name;
};

} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void tally::codegen::annotatePointers(
    const Kernel &kernel, ValueRange captures,
    const llvm::SmallPtrSetImpl<Value> &written) {
  gpu::GPUFuncOp function = kernel.function;
  auto unit = UnitAttr::get(function.getContext());
  llvm::SetVector<Value> buffers;
  for (Value capture : captures)
    if (isa<MemRefType>(capture.getType()))
      buffers.insert(capture);
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    function.setArgAttr(index, "llvm.noalias", unit);
    if (!written.contains(buffer))
      function.setArgAttr(index, "llvm.readonly", unit);
  }
}

void KernelScheduler::launch(const Schedule &schedule) {
  LDBG() << describeLastPart(kernel) << " may run as "
         << name + schedule.getSuffix() << ", with " << schedule.getNumThreads()
         << " threads in a block";
  SmallVector<Value> captures(kernel.getInputs());
  llvm::append_range(captures, kernel.getOutputs());
  llvm::append_range(captures, kernel.getExtents());
  llvm::append_range(captures, schedule.getCaptures());
  Kernel made = createKernel(host, loc, name + schedule.getSuffix(), captures);
  made.function.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({int32_t(schedule.getNumThreads()), 1, 1}));
  ValueRange inputs = kernel.getInputs(), outputs = kernel.getOutputs();
  annotatePointers(made, llvm::to_vector(llvm::concat<Value>(inputs, outputs)),
                   llvm::SmallPtrSet<Value, 8>(outputs.begin(), outputs.end()));
  OpBuilder builder = made.getBodyBuilder();
  schedule.emit(made, builder);
  launchKernel(host, loc, made,
               math.min(schedule.createNumBlocks(host, extents),
                        math.constant(std::numeric_limits<int32_t>::max())),
               math.constant(schedule.getNumThreads()));
}

void KernelScheduler::schedulePointwise() {
  std::optional<Transposition> transposition = findTransposition(space);
  auto isNarrow = [&](unsigned dim) {
    std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
    return extent && *extent < kMinTileSide;
  };
  if (!transposition || isNarrow(transposition->dim) ||
      isNarrow(extents.size() - 1))
    return scheduleContiguous();
  Value shorter = math.min(extents[transposition->dim], extents.back());
  Value isSquare = host.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::uge, shorter, math.constant(kMinTileSide));
  auto tiles = [&](bool areLarge) {
    launch(*createTileSchedule(space, *transposition, areLarge));
  };
  auto square = [&] {
    if (!canTakeLargeTiles(space, *transposition))
      return tiles(false);
    Value areMany = host.createOrFold<arith::AndIOp>(
        loc,
        compare(arith::CmpIPredicate::uge, math.product(extents),
                kManyLargeTiles * kLargeTile),
        compare(arith::CmpIPredicate::uge, shorter, kMinLargeTileSide));
    choose(areMany, [&] { tiles(true); }, [&] { tiles(false); });
  };
  choose(isSquare, square, [&] { scheduleContiguous(); });
}

/// Without tiles. Where there are few points, and much is computed of each,
/// they have a thread each, which are done sooner.
void KernelScheduler::scheduleContiguous() {
  SmallVector<PointwiseWay> ways = getPointwiseWays();
  unsigned atOnce = std::max(ways.front().lanes, ways.back().maxApart);
  if (space.hasLoops() || space.getCodeSize() * atOnce <= kMinCodeOfEach)
    return scheduleWays(ways);
  choose(
      compare(arith::CmpIPredicate::ule, math.product(extents),
              kMaxPointsOfEach),
      [&] {
        launch(
            *createPointwiseSchedule(space, {.maxApart = 1}, kThreadsOfEach));
      },
      [&] { scheduleWays(ways); });
}

/// The first of some ways that fits.
void KernelScheduler::scheduleWays(ArrayRef<PointwiseWay> ways) {
  auto first = [&] { launch(*createPointwiseSchedule(space, ways.front())); };
  if (ways.size() == 1)
    return first();
  choose(createFits(ways.front()), first,
         [&] { scheduleWays(ways.drop_front()); });
}

bool KernelScheduler::canReduceInParts() const {
  return llvm::all_of(space.getPhases(), [](ArrayRef<linalg::GenericOp> phase) {
    return llvm::all_of(phase, codegen::canReduceInParts);
  });
}

/// Launches a schedule for rows, or for parts of them, with as many lanes as
/// are aligned.
void KernelScheduler::scheduleTeam(const KernelSpace &phases, RowTeam team,
                                   const RowParts &parts) {
  auto run = [&](unsigned lanes) {
    RowTeam chosen = team;
    chosen.lanes = lanes;
    chosen.lanesAreRows &= lanes > 1;
    launch(parts.count ? *createPartsSchedule(phases, chosen, parts)
                       : *createRowSchedule(phases, chosen));
  };
  if (team.lanes == 1)
    return run(1);
  unsigned dim =
      team.lanesAreRows ? space.getNumRowDims() - 1 : extents.size() - 1;
  choose(
      createIsAligned(dim, team.lanes, /*needsFullRows=*/true),
      [&] { run(team.lanes); }, [&] { run(1); });
}

void KernelScheduler::scheduleRows() {
  if (!canReduceInParts())
    return launch(*createRowSchedule(space, {Team::Thread}));
  if (!isWalkedAlongRows())
    return scheduleColumns();
  Value length =
      math.product(ArrayRef<Value>(extents).drop_front(space.getNumRowDims()));
  // Wide accesses would only be more to compile.
  unsigned lanes = isBoundByArithmetic() ? 1 : chooseLanes(extents.size() - 1);
  auto chooseUpTo = [&](int64_t most, Team team, function_ref<void()> longer) {
    choose(
        compare(arith::CmpIPredicate::ule, length, most),
        [&] { scheduleTeam(space, {team, lanes}); }, longer);
  };
  auto together = [&] {
    chooseUpTo(kMaxFewThreadsRow, Team::FewThreads, [&] {
      chooseUpTo(kMaxWarpRow, Team::Warp, [&] { scheduleLongRows(lanes); });
    });
  };
  if (!readsRowsByLookup())
    return together();
  // As those of an image that an element of another one is made of: a thread
  // computes once what is the same for all of them.
  Value rows =
      math.product(ArrayRef<Value>(extents).take_front(space.getNumRowDims()));
  Value areMany = host.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::ule, length, kMaxThreadRow),
      compare(arith::CmpIPredicate::uge, rows, kManyLookedUpRows));
  Value isAlone = host.createOrFold<arith::OrIOp>(
      loc, compare(arith::CmpIPredicate::ule, length, kMaxLookedUpRow),
      areMany);
  choose(isAlone, [&] { scheduleTeam(space, {Team::Thread}); }, together);
}

/// Whether there are results for elements of a row that has been reduced.
static bool writesElements(const KernelSpace &space) {
  return llvm::any_of(space.getWrites(), [&](const KernelAccess &write) {
    return !space.isOfRow(write.op);
  });
}

/// Whether elements of a row are needed once more when it has been reduced.
static bool readsRowsAgain(const KernelSpace &space) {
  return space.getPhases().size() > 1 || writesElements(space);
}

/// Neighbors in memory are in different rows: each thread takes some
/// neighboring rows, and several blocks share them where they are few and long.
void KernelScheduler::scheduleColumns() {
  ArrayRef<Value> all(extents);
  Value rows = math.product(all.take_front(space.getNumRowDims()));
  Value length = math.product(all.drop_front(space.getNumRowDims()));
  unsigned lanes = chooseLanes(space.getNumRowDims() - 1);
  Value areMany = host.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::ule, length, kMaxThreadRowOfMany),
      compare(arith::CmpIPredicate::uge, rows, kManyRows * lanes));
  Value isAlone = host.createOrFold<arith::OrIOp>(
      loc, compare(arith::CmpIPredicate::ule, length, kMaxThreadRow), areMany);
  auto columns = [&] { scheduleTeam(space, {Team::Column, lanes, true}); };
  auto together = [&] {
    Value one = math.constant(1);
    RowTeam team{Team::ColumnBlocks, lanes, true};
    Value groups = createNumColumnBlocks(host, loc, math.ceilDiv(rows, lanes),
                                         team.getMostColumns());
    Value count =
        math.min(math.div(length, math.constant(kMinColumnPart)),
                 math.div(math.constant(kManyColumnBlocks),
                          host.createOrFold<arith::MaxUIOp>(loc, groups, one)));
    choose(
        compare(arith::CmpIPredicate::ugt, count, 1),
        [&] { scheduleParts(space, team, count); }, columns);
  };
  choose(
      isAlone, [&] { scheduleTeam(space, {Team::Thread, lanes, true}); },
      together);
}

/// Whether what is computed of an element takes longer than to read it.
bool KernelScheduler::isBoundByArithmetic() const {
  return llvm::count_if(space.getOps(), [&](linalg::GenericOp op) {
           return !space.isOfRow(op) && isExpensive(op);
         }) >= kManyExpensive;
}

/// A row for each block, or several blocks for a row where there are so few
/// that most of the GPU would have nothing to do.
void KernelScheduler::scheduleLongRows(unsigned lanes) {
  ArrayRef<Value> all(extents);
  Value rows = math.product(all.take_front(space.getNumRowDims()));
  Value length = math.product(all.drop_front(space.getNumRowDims()));
  Value one = math.constant(1);
  bool readsAgain = readsRowsAgain(joined);
  auto block = [&] {
    scheduleTeam(readsAgain ? space : joined, {Team::Block, lanes});
  };
  auto blocks = [&] {
    if (!readsAgain || isBoundByArithmetic())
      return block();
    choose(compare(arith::CmpIPredicate::ule, length, kMaxBlockRow), block,
           [&] {
             scheduleTeam(joined, {Team::Block, lanes, /*lanesAreRows=*/false,
                                   kWideBlock});
           });
  };
  int64_t part = isBoundByArithmetic() ? kMinExpensivePart : kMinPart;
  Value count =
      math.min(math.div(length, math.constant(part)),
               math.div(math.constant(kManyBlocks),
                        host.createOrFold<arith::MaxUIOp>(loc, rows, one)));
  Value areFew = compare(arith::CmpIPredicate::ule, rows, kMaxCutRows);
  Value isWorth = compare(arith::CmpIPredicate::ugt, count, kMinPart / part);
  choose(
      host.createOrFold<arith::AndIOp>(loc, areFew, isWorth),
      [&] { scheduleParts(joined, {Team::Blocks, lanes}, count); }, blocks);
}

/// A launch for the parts of each phase, then one for the results.
void KernelScheduler::scheduleParts(const KernelSpace &phases, RowTeam team,
                                    Value count) {
  RowParts parts;
  parts.count = count;
  Value size = math.mul(
      math.product(ArrayRef<Value>(extents).take_front(space.getNumRowDims())),
      count);
  for (ArrayRef<linalg::GenericOp> phase : phases.getPhases())
    for (linalg::GenericOp op : phase)
      for (Type type : op->getResultTypes())
        parts.buffers.push_back(memref::AllocOp::create(
            host, loc,
            MemRefType::get({ShapedType::kDynamic},
                            cast<ShapedType>(type).getElementType()),
            size));
  for (; parts.phase < phases.getPhases().size(); ++parts.phase)
    scheduleTeam(phases, team, parts);
  if (writesElements(phases))
    scheduleTeam(phases, team, parts);
  else
    choose(
        compare(arith::CmpIPredicate::ule, count, kMaxWarpParts),
        [&] { scheduleTeam(phases, {Team::Warp}, parts); },
        [&] { scheduleTeam(phases, {Team::Block}, parts); });
  for (Value buffer : parts.buffers)
    memref::DeallocOp::create(host, loc, buffer);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult tally::scheduleKernelsOnGPU(ModuleOp module) {
  SmallVector<KernelOp> kernels = splitCopies(module);
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<std::string> names;
  for (KernelOp kernel : kernels) {
    if (failed(verifySchedulable(kernel)))
      return failure();
    auto function = kernel->getParentOfType<func::FuncOp>();
    names.push_back(
        (function.getName() + "_kernel_" + Twine(numbers[function]++)).str());
  }
  BufferOrigins origins(module);
  llvm::SmallPtrSet<Operation *, 16> done;
  for (ArrayRef<KernelOp> list : findJoinableKernels(kernels, origins))
    if (joinKernels(list,
                    names[llvm::find(kernels, list.front()) - kernels.begin()] +
                        "_joined"))
      done.insert_range(list);
  for (auto [kernel, name] : llvm::zip_equal(kernels, names)) {
    if (!done.contains(kernel))
      KernelScheduler(kernel, name).run();
    else
      kernel.erase();
  }
  return success();
}

namespace {
struct ScheduleGPUPass : tally::impl::ScheduleGPUBase<ScheduleGPUPass> {
  void runOnOperation() override {
    if (failed(tally::scheduleKernelsOnGPU(getOperation())))
      signalPassFailure();
  }
};
} // namespace
