//===- SortKernels.h - The bodies of kernels that sort ----------*- C++ -*-===//
//
// See the description of tally-schedule-sort in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKERNELS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKERNELS_H

#include "Kernels/Kernels.h"
#include "SortKeys.h"
#include "TileOrder.h"

namespace tally::codegen {

/// Elements that a thread of a block takes of a tile: as many keys and places
/// as shared memory has.
inline int64_t getTileItems(mlir::IntegerType key) {
  return key.getWidth() > 32 ? 8 : 16;
}
/// The most elements of a part of an order that a block selects.
inline constexpr int64_t kMaxPart = 512;
/// Elements that a thread takes at a time where a block goes through a row.
inline constexpr int64_t kRowItems = 4;
/// So few counts of tiles are added up where they are needed.
inline constexpr int64_t kFewTiles = 4;
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

/// How many elements of a row have each digit, of some digits from the highest
/// on: those of one digit of all rows after the other.
struct Totals {
  mlir::Value buffer;
  /// How many digits there are, or the number of the one that is counted.
  mlir::Value digits;
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
  /// A block counts the digits of a tile; where there are totals, those of
  /// keys whose digits above are those of the element that `sizes.from` says.
  void emitCount(std::optional<Pairs> input, Value counts, Value shift,
                 const std::optional<Totals> &totals);
  /// A warp sums up the counts of a digit over the tiles of a row.
  void emitOffsets(Value counts, const Totals &totals);
  /// A block moves the elements of a tile to where their digits go.
  void emitScatter(std::optional<Pairs> input, std::optional<Pairs> output,
                   Value counts, Value totals, Value shift);

  /// A block goes through a row, finds its first `end` elements, of which there
  /// are at most `kMaxPart`, and orders these.
  void emitSelect(Value end);
  /// A block goes through a row, and finds one element of its order.
  void emitFind();
  /// A block looks in its tile for the one element of the order of a row.
  void emitFindInTile(Value counts, const Totals &totals);

private:
  using Pair = SortPair;
  using Item = SortItem;
  /// The keys that have the same digits as an element of the order, from the
  /// highest on, and which one of these it is.
  struct Prefix {
    Value bits, mask, rank;
  };
  /// What a block has seen of a row: elements before a key, and equal ones.
  struct Seen {
    Value less, equal;
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
  llvm::SmallVector<Item> loadItems(const std::optional<Pairs> &input,
                                    int64_t items);

  std::pair<Value, Value> sumDigits(Value counts, Value totals);

  // In SelectKernels.cpp.
  Prefix startPrefix(Value rank);
  Prefix narrow(const Prefix &prefix, Value own, Value shift);
  Value hasPrefix(const Prefix &prefix, Value key);
  Prefix findDigits(
      Value digits, Prefix start,
      llvm::function_ref<Value(const Prefix &, Value number, Value shift)>
          count);
  Prefix findPrefix(const Totals &totals);
  Prefix findInRow(Value rank);
  Seen
  forRow(llvm::function_ref<Seen(llvm::ArrayRef<Item>, const Seen &)> body);
  Seen countBefore(llvm::ArrayRef<Item> items, Value key, const Seen &seen,
                   llvm::SmallVectorImpl<Seen> &before);
  void orderSelected(TileOrder &selected, Value count);
  void findElement(llvm::ArrayRef<Item> items, const Prefix &prefix,
                   llvm::ArrayRef<Seen> before);

  const Kernel &kernel;
  tally::SortOp op;
  SortKeys keys;
  int64_t maxItems;
  SortSizes sizes;
  /// The row of this block, or warp, and where its tile is.
  Value row, start, count;
  llvm::SmallVector<Value> rowIndices;
  /// Of selections: what the block agrees on, and what each warp has seen.
  Value chosen, seenByWarps;
  std::optional<BlockScan> scan;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKERNELS_H
