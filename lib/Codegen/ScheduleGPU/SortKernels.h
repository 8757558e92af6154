//===- SortKernels.h - The bodies of kernels that sort ----------*- C++ -*-===//
//
// See the description of tally-schedule-sort in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKERNELS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKERNELS_H

#include "DigitRanks.h"
#include "Kernels/Kernels.h"
#include "SortKeys.h"

namespace tally::codegen {

/// Elements that a thread of a block takes of a tile, and those of a tile.
inline constexpr int64_t kMaxItems = 8;
inline constexpr int64_t kTile = kMaxItems * kSortThreads;
/// Counts that a lane takes at a time.
inline constexpr int64_t kCounts = 4;

/// The keys of rows and the places of their elements, one row after the other,
/// from some element of two buffers on.
struct Pairs {
  mlir::Value keys, places, base;
  /// Elements of a row.
  mlir::Value length;
};

/// What the launches of one sort have in common, on the host.
struct SortSizes {
  /// Rows, and the elements of each.
  mlir::Value rows, length;
  /// The part of the order that is written.
  mlir::Value from, wanted;
  /// Tiles of a row; null where a row is one.
  mlir::Value tiles;
};

/// Fills one kernel. Where there are no pairs, rows are read from the source of
/// the operation, or written to its destinations.
class SortKernel : public ThreadEmitter {
public:
  SortKernel(mlir::OpBuilder &builder, const Kernel &kernel, tally::SortOp op,
             const SortSizes &sizes);

  /// A warp has a row of up to 32 elements.
  void emitWarp();
  /// A block has a tile of up to `items` elements for each thread, and writes
  /// the first of them in order; that of the lowest `digits`, a value of the
  /// host.
  void emitBlock(int64_t items, std::optional<Pairs> input,
                 std::optional<Pairs> output, Value digits);
  /// A block counts the digits of a tile.
  void emitCount(std::optional<Pairs> input, Value counts, Value shift);
  /// A warp sums up the counts of a digit over the tiles of a row.
  void emitOffsets(Value counts, Value totals);
  /// A block moves the elements of a tile to where their digits go.
  void emitScatter(std::optional<Pairs> input, std::optional<Pairs> output,
                   Value counts, Value totals, Value shift);

private:
  /// A key and the place of its element in the row, an i32.
  struct Pair {
    Value key, place;
  };
  struct Item {
    Value position, exists, digit, rank;
    Pair pair;
  };

  /// The value in the kernel of a value of the host.
  Value get(Value host) { return host ? kernel.map.lookup(host) : Value(); }
  std::optional<Pairs> get(std::optional<Pairs> pairs);
  void enterRow(Value number);
  void enterTile(Value length, int64_t items);
  llvm::SmallVector<Value> getIndices(Value position);
  Pair load(const std::optional<Pairs> &input, Value position);
  void storeElement(Value position, const Pair &pair);
  void storePair(const Pairs &output, Value position, const Pair &pair);
  Item loadItem(const std::optional<Pairs> &input, Value position);
  Value getPosition(int64_t item, int64_t items);
  void rank(DigitRanks &ranks, llvm::MutableArrayRef<Item> items, Value shift);
  llvm::SmallVector<Item>
  rankTile(DigitRanks &ranks, const std::optional<Pairs> &input, Value shift);
  void exchange(DigitRanks &ranks, llvm::ArrayRef<Item> items);
  void emitPass(DigitRanks &ranks, BlockScan &scan, int64_t items, Value shift);
  Pair loadShared(Value position);
  void shareTile(int64_t items);

  const Kernel &kernel;
  tally::SortOp op;
  SortKeys keys;
  SortSizes sizes;
  /// The row of this block, or warp, and where its tile is.
  Value row, start, count;
  llvm::SmallVector<Value> rowIndices;
  /// The keys and places of a tile.
  Value tileKeys, tilePlaces;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKERNELS_H
