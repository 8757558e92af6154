//===- ScheduleScans.cpp - Kernels that scan rows -------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "ScanEmitter.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULESCANS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-scans"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// Of blocks: how many rows keep a GPU busy without parts, the length of a
/// part, and the shortest row that is cut.
static constexpr int64_t kManyBlocks = 256;
static constexpr int64_t kBlockPart = 8192;
static constexpr int64_t kMinBlocksRow = 2 * kBlockPart;
/// The same of threads with a row each, whose parts have at least that length,
/// and how many parts a row has at most.
static constexpr int64_t kManyThreads = 65536;
static constexpr int64_t kMinThreadPart = 64;
static constexpr int64_t kMinThreadsRow = 4 * kMinThreadPart;
static constexpr int64_t kMaxThreadParts = 1024;
/// The widest access, and the most neighbors that a thread takes.
static constexpr unsigned kAccessBytes = 16;
static constexpr unsigned kMaxLanes = 8;
/// How often a thread of a block does so in a tile. It keeps what it writes in
/// registers: of accumulators that are wide, or in code for ends of rows too,
/// there would be too many.
static constexpr unsigned kRounds = 4;
static constexpr unsigned kWideRounds = 2;
static constexpr unsigned kMaxNarrowBits = 64;

namespace {

/// Schedules one scan.
class ScanScheduler {
public:
  ScanScheduler(PrefixScanOp op, std::string name)
      : op(op), name(std::move(name)), host(op), loc(op.getLoc()),
        math(host, loc) {}

  void run();

private:
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return host.createOrFold<arith::CmpIOp>(loc, predicate, a,
                                            math.constant(b));
  }
  void choose(Value flag, function_ref<void()> yes, function_ref<void()> no) {
    codegen::choose(host, loc, flag, yes, no);
  }
  unsigned chooseLanes();
  unsigned chooseRounds(ScanStep step, Team team, bool isShifted);
  Value createIsAligned(unsigned lanes);
  std::pair<Value, Value> createShift(unsigned lanes);
  void scheduleContiguous();
  void scheduleFarApart();
  void scheduleBlocks();
  void scheduleParts(Value count, Value partLength, Team team);
  /// Launches a kernel with as many elements at once as are aligned.
  void launchLanes(StringRef suffix, ScanStep step, Team team,
                   const ScanParts &parts = {});
  void launch(StringRef suffix, ScanStep step, ScanTeam team,
              const ScanParts &parts = {});

  PrefixScanOp op;
  std::string name;
  OpBuilder host;
  Location loc;
  IndexMath math;
  Value rows, length, inner;
};

} // namespace

void ScanScheduler::run() {
  Value output = op.getOutputs().front();
  int64_t rank = cast<MemRefType>(output.getType()).getRank();
  SmallVector<Value> outer, behind;
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value size = host.createOrFold<memref::DimOp>(loc, output, dim);
    if (dim == int64_t(op.getDim()))
      length = size;
    else
      (dim < int64_t(op.getDim()) ? outer : behind).push_back(size);
  }
  inner = math.product(behind);
  rows = math.mul(math.product(outer), inner);
  if (!op.getAssociative()) {
    launch("_thread", ScanStep::Scan, {Team::Thread});
  } else {
    choose(
        compare(arith::CmpIPredicate::eq, inner, 1),
        [&] { scheduleContiguous(); }, [&] { scheduleFarApart(); });
  }
  op.erase();
}

//===----------------------------------------------------------------------===//
// Contiguous in memory
//===----------------------------------------------------------------------===//

/// How many neighbors a thread takes: as many as the widest access holds. All
/// buffers are without gaps, and the rows are their last dimension.
unsigned ScanScheduler::chooseLanes() {
  unsigned widest = 1;
  SmallVector<Value> buffers(op.getInputs());
  llvm::append_range(buffers, op.getOutputs());
  for (Value buffer : buffers) {
    auto type = cast<MemRefType>(buffer.getType());
    Type element = type.getElementType();
    bool isLast = int64_t(op.getDim()) == type.getRank() - 1;
    if (!isLast || !type.getLayout().isIdentity() || element.isIndex() ||
        element.getIntOrFloatBitWidth() % 8 != 0)
      return 1;
    widest = std::max(widest, element.getIntOrFloatBitWidth() / 8);
  }
  return std::min(std::max(kAccessBytes / widest, 1u), kMaxLanes);
}

unsigned ScanScheduler::chooseRounds(ScanStep step, Team team, bool isShifted) {
  if (team != Team::Block)
    return 1;
  unsigned bits = 0;
  for (Type type : op.getStarts().getTypes())
    bits += type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool writes = step == ScanStep::Scan || step == ScanStep::Apply;
  return writes && (isShifted || bits > kMaxNarrowBits) ? kWideRounds : kRounds;
}

Value ScanScheduler::createIsAligned(unsigned lanes) {
  llvm::MapVector<unsigned, Value> bits;
  auto add = [&](unsigned mask, Value value) {
    Value &sum = bits[mask];
    sum = sum ? host.createOrFold<arith::OrIOp>(loc, sum, value) : value;
  };
  add(lanes - 1, length);
  SmallVector<Value> buffers(op.getInputs());
  llvm::append_range(buffers, op.getOutputs());
  for (Value buffer : buffers) {
    // The runtime aligns what it allocates.
    if (buffer.getDefiningOp<memref::AllocOp>())
      continue;
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    add(lanes * element.getIntOrFloatBitWidth() / 8 - 1,
        memref::ExtractAlignedPointerAsIndexOp::create(host, loc, buffer));
  }
  Value isAligned = arith::ConstantIntOp::create(host, loc, 1, 1);
  for (auto [mask, value] : bits) {
    Value rest =
        host.createOrFold<arith::AndIOp>(loc, value, math.constant(mask));
    isAligned = host.createOrFold<arith::AndIOp>(
        loc, isAligned, compare(arith::CmpIPredicate::eq, rest, 0));
  }
  return isAligned;
}

/// How many elements the first row is behind a multiple of the lanes, and
/// whether it is the same number in all buffers.
std::pair<Value, Value> ScanScheduler::createShift(unsigned lanes) {
  Value shift, isSame = arith::ConstantIntOp::create(host, loc, 1, 1);
  SmallVector<Value> buffers(op.getInputs());
  llvm::append_range(buffers, op.getOutputs());
  for (Value buffer : buffers) {
    Value own = math.constant(0);
    // The runtime aligns what it allocates.
    if (!buffer.getDefiningOp<memref::AllocOp>()) {
      Type element = cast<MemRefType>(buffer.getType()).getElementType();
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(host, loc, buffer);
      own = math.rem(
          math.div(address, math.constant(element.getIntOrFloatBitWidth() / 8)),
          math.constant(lanes));
    }
    if (shift)
      isSame = host.createOrFold<arith::AndIOp>(
          loc, isSame,
          host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, own,
                                           shift));
    else
      shift = own;
  }
  return {shift, isSame};
}

void ScanScheduler::scheduleContiguous() {
  choose(
      compare(arith::CmpIPredicate::ule, length, kMaxWarpRow),
      [&] { launchLanes("_warp", ScanStep::Scan, Team::Warp); },
      [&] { scheduleBlocks(); });
}

/// A row for each block, or several blocks for a row where there are so few
/// that most of the GPU would have nothing to do.
void ScanScheduler::scheduleBlocks() {
  Value areFew = host.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::ult, rows, kManyBlocks),
      compare(arith::CmpIPredicate::uge, length, kMinBlocksRow));
  choose(
      areFew,
      [&] {
        scheduleParts(math.ceilDiv(length, kBlockPart),
                      math.constant(kBlockPart), Team::Block);
      },
      [&] { launchLanes("_block", ScanStep::Scan, Team::Block); });
}

//===----------------------------------------------------------------------===//
// Far apart
//===----------------------------------------------------------------------===//

/// A row for each thread, or several threads for a row.
void ScanScheduler::scheduleFarApart() {
  Value areFew = host.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::ult, rows, kManyThreads),
      compare(arith::CmpIPredicate::uge, length, kMinThreadsRow));
  choose(
      areFew,
      [&] {
        Value one = math.constant(1);
        Value some = host.createOrFold<arith::MaxUIOp>(loc, rows, one);
        Value wanted = math.min(math.div(math.constant(2 * kManyThreads), some),
                                math.constant(kMaxThreadParts));
        Value count =
            math.min(wanted, math.div(length, math.constant(kMinThreadPart)));
        auto divideUp = [&](Value by) {
          return math.div(math.add(length, math.sub(by, one)), by);
        };
        Value partLength = divideUp(count);
        scheduleParts(divideUp(partLength), partLength, Team::Thread);
      },
      [&] { launch("_column", ScanStep::Scan, {Team::Thread}); });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Three launches, each of which waits for the one before: what a part starts
/// with depends on nothing but sizes.
void ScanScheduler::scheduleParts(Value count, Value partLength, Team team) {
  ScanParts parts;
  parts.count = count;
  parts.length = partLength;
  Value size = math.mul(rows, count);
  for (Type type : op.getStarts().getTypes())
    parts.buffers.push_back(memref::AllocOp::create(
        host, loc, MemRefType::get({ShapedType::kDynamic}, type), size));
  bool isThread = team == Team::Thread;
  launchLanes(isThread ? "_column_parts" : "_parts", ScanStep::Reduce, team,
              parts);
  launch(isThread ? "_column_sums" : "_sums", ScanStep::Sums,
         {team, 1, chooseRounds(ScanStep::Sums, team, false)}, parts);
  launchLanes(isThread ? "_column_apply" : "_apply", ScanStep::Apply, team,
              parts);
  for (Value buffer : parts.buffers)
    memref::DeallocOp::create(host, loc, buffer);
}

void ScanScheduler::launchLanes(StringRef suffix, ScanStep step, Team team,
                                const ScanParts &parts) {
  unsigned lanes = team == Team::Thread ? 1 : chooseLanes();
  auto launchAs = [&](const Twine &name, unsigned lanes, Value shift) {
    unsigned rounds = chooseRounds(step, team, bool(shift));
    launch((suffix + name).str(), step, {team, lanes, rounds, shift}, parts);
  };
  auto one = [&] { launchAs("", 1, Value()); };
  if (lanes == 1)
    return one();
  auto shifted = [&] {
    auto [shift, isSame] = createShift(lanes);
    choose(
        isSame,
        [&, shift = shift] { launchAs("_any_x" + Twine(lanes), lanes, shift); },
        one);
  };
  choose(
      createIsAligned(lanes),
      [&] { launchAs("_x" + Twine(lanes), lanes, Value()); }, shifted);
}

void ScanScheduler::launch(StringRef suffix, ScanStep step, ScanTeam team,
                           const ScanParts &parts) {
  LDBG() << describeLastPart(op) << " may run as " << name << suffix
         << ", with " << team.getNumThreads() << " threads in a block";
  SmallVector<Value> captures(op->getOperands());
  size_t numOfScan = captures.size();
  llvm::append_range(captures, parts.buffers);
  if (parts.count)
    captures.append({parts.count, parts.length});
  if (team.shift)
    captures.push_back(team.shift);
  Kernel kernel = createKernel(host, loc, name + suffix.str(), captures);
  kernel.function.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({int32_t(team.getNumThreads()), 1, 1}));
  // Tells the compiler of the kernel what it cannot see of its pointers.
  llvm::SetVector<Value> buffers;
  for (Value capture : ArrayRef(captures).take_front(numOfScan))
    if (isa<MemRefType>(capture.getType()))
      buffers.insert(capture);
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    kernel.function.setArgAttr(index, "llvm.noalias", host.getUnitAttr());
    if (!llvm::is_contained(op.getOutputs(), buffer))
      kernel.function.setArgAttr(index, "llvm.readonly", host.getUnitAttr());
  }
  OpBuilder builder = kernel.getBodyBuilder();
  emitScan(op, kernel, builder, step, team, parts);
  Value teams = rows;
  if (parts.count && step != ScanStep::Sums)
    teams = math.mul(teams, parts.count);
  launchKernel(host, loc, kernel,
               math.min(math.ceilDiv(teams, team.getNumTeams()),
                        math.constant(std::numeric_limits<int32_t>::max())),
               math.constant(team.getNumThreads()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult tally::scheduleScans(ModuleOp module) {
  SmallVector<PrefixScanOp> scans;
  module.walk([&](PrefixScanOp op) { scans.push_back(op); });
  for (PrefixScanOp op : scans)
    if (op->getNumResults() != 0)
      return op.emitOpError("is on tensors; bufferize it first");
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (PrefixScanOp op : scans) {
    auto function = op->getParentOfType<func::FuncOp>();
    ScanScheduler(
        op, (function.getName() + "_scan_" + Twine(numbers[function]++)).str())
        .run();
  }
  return success();
}

namespace {
struct ScheduleScansPass : tally::impl::ScheduleScansBase<ScheduleScansPass> {
  void runOnOperation() override {
    if (failed(tally::scheduleScans(getOperation())))
      signalPassFailure();
  }
};
} // namespace
