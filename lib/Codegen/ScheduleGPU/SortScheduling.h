//===- SortScheduling.h - What sorts in place of an operation ---*- C++ -*-===//
//
// See the description of tally-schedule-sort in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTSCHEDULING_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTSCHEDULING_H

#include "Schedules.h"
#include "SortKernels.h"

namespace tally::codegen {

/// What a kernel sees.
struct Captures {
  /// Buffers that it reads, that it writes, and with which it does both; they
  /// are different ones.
  llvm::SmallVector<mlir::Value> reads, writes, both;
  SortSizes sizes;
  /// Numbers beside the sizes.
  llvm::SmallVector<mlir::Value> numbers;

  void add(const std::optional<Pairs> &pairs) {
    if (!pairs)
      return;
    for (mlir::Value buffer : {pairs->keys, pairs->places})
      if (!llvm::is_contained(both, buffer))
        both.push_back(buffer);
    numbers.append({pairs->base, pairs->length});
  }
};

/// Launches what sorts in place of one operation.
class SortScheduling {
public:
  using Value = mlir::Value;

  SortScheduling(tally::SortOp op, Value limit)
      : op(op), keys(op), items(getTileItems(keys.getType())),
        tile(items * kSortThreads), isLimited(limit), builder(op),
        host(builder, op.getLoc()) {
    digits = createNumDigits(host, limit, keys.getNumDigits());
  }

  void run();

private:
  using Fill = llvm::function_ref<void(SortKernel &)>;

  Kernel make(llvm::StringRef suffix, const Captures &captures, Fill fill);
  void launch(const Kernel &kernel, Value blocks) {
    launchKernel(builder, op.getLoc(), kernel, blocks,
                 host.index(kSortThreads));
  }
  void choose(Value flag, llvm::function_ref<void()> yes,
              llvm::function_ref<void()> no) {
    tally::codegen::choose(builder, op.getLoc(), flag, yes, no);
  }
  Value isAtMost(Value number, int64_t most) {
    return host.compare(mlir::arith::CmpIPredicate::ule, number,
                        host.index(most));
  }
  Captures capture(const std::optional<Pairs> &input,
                   const std::optional<Pairs> &output, bool writes = true);
  Pairs allocate(Value elements, Value copies);
  void free(const Pairs &pairs);
  Value countTiles(Value length) {
    return mlir::arith::CeilDivUIOp::create(builder, op.getLoc(), length,
                                            host.index(tile));
  }

  void scheduleWarps();
  void scheduleBlocks(llvm::ArrayRef<int64_t> items);
  void launchBlocks(int64_t items, const std::optional<Pairs> &input);
  void scheduleTiles(Value end);
  void schedulePart(Value end);
  void scheduleSelect(Value end);
  void scheduleFind();
  void scheduleFindInTiles();
  void launchTiles(Value length, Value end, const std::optional<Pairs> &input,
                   Pairs output);
  void scheduleDigits();
  void launchPass(const std::optional<Pairs> &input,
                  const std::optional<Pairs> &output, const Kernel &offsets,
                  Value counts, Value totals, Value shift);

  void launchOffsets(const Kernel &offsets) {
    launch(offsets, host.create<mlir::arith::MulIOp>(
                        sizes.rows, host.index(kDigits / kSortWarps)));
  }
  Value allocateCounts(Value count);
  Value createCounts();
  Kernel makeOffsets(Value counts, const Totals &totals);
  Value createShift(int64_t digit) { return host.i32(digit * kDigitBits); }

  tally::SortOp op;
  SortKeys keys;
  /// Elements that a thread, and a block, takes of a tile.
  int64_t items, tile;
  /// Whether there is a limit, which is given for rows that are not short.
  bool isLimited;
  mlir::OpBuilder builder;
  Emitter host;
  SortSizes sizes;
  /// How many digits count, at least two of keys that have as many.
  Value digits;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTSCHEDULING_H
