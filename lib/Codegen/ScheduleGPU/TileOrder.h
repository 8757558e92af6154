//===- TileOrder.h - Orders a tile in shared memory -------------*- C++ -*-===//
//
// By one digit after the other, each time without a change of the order of what
// is equal.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_TILEORDER_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_TILEORDER_H

#include "DigitRanks.h"

namespace tally::codegen {

/// A key and the place of its element in the row, an i32.
struct SortPair {
  mlir::Value key, place;
};

/// What a thread takes of a tile.
struct SortItem {
  mlir::Value position, exists, digit, rank;
  SortPair pair;
};

/// The position in the tile of an element that a thread takes in the order of
/// warps.
mlir::Value getItemPosition(ThreadEmitter &emitter, int64_t item,
                            int64_t items);

/// The keys and the places of a tile, some for each thread.
class TileOrder {
public:
  using Value = mlir::Value;

  TileOrder(ThreadEmitter &emitter, int64_t items, mlir::IntegerType key);

  Value getKeys() const { return keys; }
  Value getPlaces() const { return places; }
  SortPair load(Value position);
  void store(const SortPair &pair, Value position);
  /// Orders the first elements by their lowest digits. All have been stored,
  /// without a barrier; behind it there is one.
  void sort(Value count, Value digits);

  /// Counts the digits of items.
  void rank(DigitRanks &ranks, llvm::MutableArrayRef<SortItem> items,
            Value shift);
  /// Writes items to the places that they have been given.
  void exchange(DigitRanks &ranks, llvm::ArrayRef<SortItem> items);

private:
  void sortBy(DigitRanks &ranks, BlockScan &scan, Value count, Value shift);

  ThreadEmitter &emitter;
  int64_t items;
  Value keys, places;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_TILEORDER_H
