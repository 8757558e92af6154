//===- ScheduleSort.cpp - Kernels that sort -------------------------------===//
//
// See the description of the pass in Passes.td. Which kernels run is decided on
// the host, from the real sizes; the number of passes over long rows follows
// from the type.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "SortScheduling.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULESORT
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-sort"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

/// Rows of up to as many elements as the warp and the smaller tiles have.
static constexpr int64_t kWarpRow = kSortWarp;
static constexpr int64_t kSmallItems[] = {1, 4, 8};
/// The same where short rows are left to others.
static constexpr int64_t kLimitedItems[] = {4};

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Kernel SortScheduling::make(StringRef suffix, const Captures &captures,
                            Fill fill) {
  SmallVector<Value> all(captures.reads);
  llvm::append_range(all, captures.writes);
  llvm::append_range(all, captures.both);
  const SortSizes &numbers = captures.sizes;
  for (Value number : {numbers.rows, numbers.length, numbers.from,
                       numbers.wanted, numbers.tiles})
    if (number)
      all.push_back(number);
  llvm::append_range(all, captures.numbers);
  auto parent = op->getParentOfType<func::FuncOp>();
  Kernel kernel = createKernel(
      builder, op.getLoc(), (parent.getName() + "_sort_" + suffix).str(), all);
  kernel.function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({int32_t(kSortThreads), 1, 1}));
  auto unit = builder.getUnitAttr();
  size_t numReads = captures.reads.size();
  for (size_t at = 0; at < numReads + captures.writes.size(); ++at) {
    kernel.function.setArgAttr(at, "llvm.noalias", unit);
    if (at < numReads)
      kernel.function.setArgAttr(at, "llvm.readonly", unit);
  }
  OpBuilder inner = kernel.getBodyBuilder();
  SortKernel body(inner, kernel, op, captures.sizes);
  fill(body);
  return kernel;
}

/// The buffers of a kernel, and the part of the order where it writes results.
Captures SortScheduling::capture(const std::optional<Pairs> &input,
                                 const std::optional<Pairs> &output,
                                 bool writes) {
  Captures captures;
  bool looksUp = writes && !output && op.getValues() && keys.areAmbiguous();
  if (!input || looksUp)
    captures.reads.push_back(op.getSource());
  captures.add(input);
  if (!writes)
    return captures;
  captures.add(output);
  if (output)
    return captures;
  for (OpOperand &destination : op.getDpsInitsMutable())
    captures.writes.push_back(destination.get());
  captures.sizes.from = sizes.from;
  captures.sizes.wanted = sizes.wanted;
  return captures;
}

Pairs SortScheduling::allocate(Value elements, Value copies) {
  Value all = host.create<arith::MulIOp>(elements, copies);
  auto make = [&](Type type) {
    return memref::AllocOp::create(
        builder, op.getLoc(), MemRefType::get({ShapedType::kDynamic}, type),
        all);
  };
  return {make(keys.getType()), make(builder.getI32Type()), host.index(0),
          Value()};
}

void SortScheduling::free(const Pairs &pairs) {
  for (Value buffer : {pairs.keys, pairs.places})
    memref::DeallocOp::create(builder, op.getLoc(), buffer);
}

/// Digits above those of a limit are zero.
Value tally::codegen::createNumDigits(Emitter &host, Value limit, int64_t all) {
  if (!limit || all <= 2)
    return host.index(all);
  Value digits = host.index(2);
  for (int64_t digit = 2; digit < all; ++digit)
    digits = host.select(
        host.compare(CmpIPredicate::ugt, limit,
                     host.index(int64_t(1) << (digit * kDigitBits))),
        host.index(digit + 1), digits);
  return digits;
}

//===----------------------------------------------------------------------===//
// Short rows
//===----------------------------------------------------------------------===//

void SortScheduling::scheduleWarps() {
  Captures captures = capture(std::nullopt, std::nullopt);
  captures.sizes.rows = sizes.rows;
  captures.sizes.length = sizes.length;
  Value blocks = arith::CeilDivUIOp::create(builder, op.getLoc(), sizes.rows,
                                            host.index(kSortWarps));
  launch(make("warp", captures, [](SortKernel &body) { body.emitWarp(); }),
         blocks);
}

/// A block for each row, whose threads take up to `items` elements.
void SortScheduling::launchBlocks(int64_t items,
                                  const std::optional<Pairs> &input) {
  Captures captures = capture(input, std::nullopt);
  if (!input)
    captures.sizes.length = sizes.length;
  captures.numbers.push_back(digits);
  std::string suffix = items == 1 ? "block" : "block_x" + std::to_string(items);
  Kernel kernel = make(suffix, captures, [&](SortKernel &body) {
    body.emitBlock(items, input, std::nullopt, digits);
  });
  launch(kernel, sizes.rows);
}

/// The smallest tile that has a row, of those that are left.
void SortScheduling::scheduleBlocks(ArrayRef<int64_t> items) {
  if (items.empty() || items.front() == this->items)
    return launchBlocks(this->items, std::nullopt);
  choose(
      isAtMost(sizes.length, items.front() * kSortThreads),
      [&] { launchBlocks(items.front(), std::nullopt); },
      [&] { scheduleBlocks(items.drop_front()); });
}

//===----------------------------------------------------------------------===//
// Long rows
//===----------------------------------------------------------------------===//

/// Orders all rows by the digit that begins at a bit.
void SortScheduling::launchPass(const std::optional<Pairs> &input,
                                const std::optional<Pairs> &output,
                                const Kernel &offsets, Value counts,
                                Value totals, Value shift) {
  Value blocks = host.create<arith::MulIOp>(sizes.rows, sizes.tiles);
  auto addSizes = [&](Captures &captures) {
    captures.sizes.length = sizes.length;
    captures.sizes.tiles = sizes.tiles;
    captures.numbers.push_back(shift);
  };
  Captures counting = capture(input, std::nullopt, /*writes=*/false);
  counting.writes.push_back(counts);
  addSizes(counting);
  Kernel count = make("count", counting, [&](SortKernel &body) {
    body.emitCount(input, counts, shift, std::nullopt);
  });
  launch(count, blocks);
  choose(
      isAtMost(sizes.tiles, kFewTiles), [] {}, [&] { launchOffsets(offsets); });
  Captures scattering = capture(input, output);
  scattering.reads.append({counts, totals});
  addSizes(scattering);
  Kernel scatter = make("scatter", scattering, [&](SortKernel &body) {
    body.emitScatter(input, output, counts, totals, shift);
  });
  launch(scatter, blocks);
}

Value SortScheduling::allocateCounts(Value count) {
  return memref::AllocOp::create(
      builder, op.getLoc(),
      MemRefType::get({ShapedType::kDynamic}, builder.getI32Type()), count);
}

/// Divides rows into tiles; counts of each digit in each of these.
Value SortScheduling::createCounts() {
  // A place is an i32.
  Value isCountable = host.compare(CmpIPredicate::ult, sizes.length,
                                   host.index(int64_t(1) << 32));
  tally::AssertOp::create(builder, op.getLoc(), isCountable,
                          "a row has too many elements to be sorted");
  sizes.tiles = countTiles(sizes.length);
  Value ofTile = host.create<arith::MulIOp>(sizes.rows, host.index(kDigits));
  return allocateCounts(host.create<arith::MulIOp>(ofTile, sizes.tiles));
}

Kernel SortScheduling::makeOffsets(Value counts, const Totals &totals) {
  Captures summing;
  summing.writes = {counts, totals.buffer};
  summing.sizes.rows = sizes.rows;
  summing.sizes.tiles = sizes.tiles;
  summing.numbers.push_back(totals.digits);
  return make("offsets", summing,
              [&](SortKernel &body) { body.emitOffsets(counts, totals); });
}

/// One pass for each digit, the lowest first: from the source to pairs, to and
/// fro, and from pairs to the destinations.
void SortScheduling::scheduleDigits() {
  Location loc = op.getLoc();
  Value counts = createCounts();
  Totals sums{allocateCounts(
                  host.create<arith::MulIOp>(sizes.rows, host.index(kDigits))),
              host.index(0)};
  Value totals = sums.buffer;
  Kernel offsets = makeOffsets(counts, sums);
  auto launch = [&](const std::optional<Pairs> &from,
                    const std::optional<Pairs> &to, Value shift) {
    launchPass(from, to, offsets, counts, totals, shift);
  };
  int64_t passes = keys.getNumDigits();
  if (passes == 1) {
    launch(std::nullopt, std::nullopt, createShift(0));
  } else {
    Value half = host.create<arith::MulIOp>(sizes.rows, sizes.length);
    Pairs pairs = allocate(half, host.index(2));
    pairs.length = sizes.length;
    launch(std::nullopt, pairs, createShift(0));
    Value last =
        host.cast(host.create<arith::MulIOp>(
                      host.create<arith::SubIOp>(digits, host.index(1)),
                      host.index(kDigitBits)),
                  builder.getI32Type());
    if (passes > 2) {
      auto loop =
          scf::ForOp::create(builder, loc, createShift(1), last, createShift(1),
                             ValueRange{pairs.base, half});
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Pairs from = pairs, to = pairs;
      from.base = loop.getRegionIterArg(0);
      to.base = loop.getRegionIterArg(1);
      launch(from, to, loop.getInductionVar());
      scf::YieldOp::create(builder, loc, ValueRange{to.base, from.base});
      pairs.base = loop.getResult(0);
    }
    launch(pairs, std::nullopt, last);
    free(pairs);
  }
  memref::DeallocOp::create(builder, loc, totals);
  memref::DeallocOp::create(builder, loc, counts);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void SortScheduling::run() {
  LDBG() << describeLastPart(op) << ": rows of up to " << kWarpRow
         << " elements are sorted by a warp, those of up to " << tile
         << " by a block, longer ones in " << keys.getNumDigits() << " passes";
  auto dim = int64_t(op.getDim());
  Value source = op.getSource();
  sizes.rows = host.index(1);
  for (int64_t other = 0; other < cast<MemRefType>(source.getType()).getRank();
       ++other)
    if (other != dim)
      sizes.rows =
          host.create<arith::MulIOp>(sizes.rows, host.size(source, other));
  sizes.length = host.size(source, dim);
  sizes.from = op.getFirst();
  sizes.wanted = host.size(op.getAnyOutput(), dim);
  Value end = sizes.wanted;
  if (sizes.from)
    end = host.create<arith::AddIOp>(end, sizes.from);
  auto scheduleAll = [&] {
    choose(
        isAtMost(sizes.length, tile),
        [&] {
          scheduleBlocks(isLimited ? llvm::ArrayRef(kLimitedItems)
                                   : llvm::ArrayRef(kSmallItems));
        },
        [&] { scheduleDigits(); });
  };
  auto scheduleMore = [&] {
    if (!sizes.from)
      return scheduleAll();
    Value isPart = host.create<arith::OrIOp>(isAtMost(end, kMaxPart),
                                             isAtMost(sizes.wanted, 1));
    Value isLong = host.compare(CmpIPredicate::ugt, sizes.length,
                                host.index(kSortThreads));
    Value isAny = host.compare(CmpIPredicate::ne, sizes.wanted, host.index(0));
    choose(
        host.create<arith::AndIOp>(isPart, isLong),
        [&] { choose(isAny, [&] { schedulePart(end); }, [] {}); }, scheduleAll);
  };
  if (isLimited)
    scheduleMore();
  else
    choose(
        isAtMost(sizes.length, kWarpRow), [&] { scheduleWarps(); },
        scheduleMore);
  op.erase();
}

/// Returns whether there are keys for elements of a type.
static bool isKnown(Type element) {
  if (isa<FloatType>(element))
    return element.isF16() || element.isBF16() || element.isF32() ||
           element.isF64();
  return element.isIndex() || element.isInteger(1) || element.isInteger(8) ||
         element.isInteger(16) || element.isInteger(32) ||
         element.isInteger(64);
}

LogicalResult tally::scheduleSorts(ModuleOp module) {
  SmallVector<SortOp> sorts;
  WalkResult result = module.walk([&](SortOp op) {
    sorts.push_back(op);
    if (!isa<MemRefType>(op.getSource().getType()) || op.getNumResults() > 0)
      return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
    Type element = getElementTypeOrSelf(op.getSource());
    if (!isKnown(element))
      return WalkResult(op.emitOpError("sorts elements of type ")
                        << element
                        << ", which no kernel sorts; run 'tally-lower-sort' "
                           "first");
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (SortOp op : sorts)
    scheduleSort(op);
  return success();
}

void tally::codegen::scheduleSort(tally::SortOp op, Value limit) {
  SortScheduling(op, limit).run();
}

namespace {
struct ScheduleSortPass : tally::impl::ScheduleSortBase<ScheduleSortPass> {
  void runOnOperation() override {
    if (failed(tally::scheduleSorts(getOperation())))
      signalPassFailure();
  }
};
} // namespace
