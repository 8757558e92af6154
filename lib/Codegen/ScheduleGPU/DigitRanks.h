//===- DigitRanks.h - Where the elements of a tile go -----------*- C++ -*-===//
//
// A block orders a tile by one digit of its keys. Each warp goes through a part
// of the tile, 32 elements at a time, and finds with ballots which of them have
// the same digit; what it has seen before is counted in shared memory. The
// order of equal elements is kept.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_DIGITRANKS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_DIGITRANKS_H

#include "Emitter.h"

namespace tally::codegen {

inline constexpr int64_t kSortWarp = 32;
/// A digit has 8 bits, and a block a thread for each digit.
inline constexpr int64_t kDigitBits = 8;
inline constexpr int64_t kDigits = 256;
inline constexpr int64_t kSortThreads = kDigits;
inline constexpr int64_t kSortWarps = kSortThreads / kSortWarp;

/// Emits code of one thread of a block.
class ThreadEmitter : public Emitter {
public:
  ThreadEmitter(mlir::OpBuilder &builder, mlir::gpu::GPUFuncOp function);

  /// A buffer that the block shares.
  Value share(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  Value ballot(Value condition);
  /// The number of bits that are set, an i32.
  Value countBits(Value bits);
  /// The i32, or the wider integer, of another lane.
  Value shuffle(Value value, Value lane);
  /// The sum of an i32 over the threads of the warp up to this one.
  Value scanWarp(Value value);
  /// The bits of a ballot of the lanes before this one.
  Value maskBefore(Value ballot);
  /// The first lane of a ballot, some lane if there is none; an i32.
  Value findLowest(Value ballot);

  mlir::gpu::GPUFuncOp function;
  Value block, thread, lane, warp;
};

/// The sum of an i32 over the threads of a block before this one, in two parts;
/// there has to be a barrier between them.
class BlockScan {
public:
  using Value = mlir::Value;

  explicit BlockScan(ThreadEmitter &emitter);

  void begin(Value number);
  Value end();

private:
  ThreadEmitter &emitter;
  Value sums, number, inclusive;
};

/// How often each digit occurs in a block, whose thread `i` gets the number of
/// digit `i`. Between `clear`, `add` and `get` there have to be barriers.
class DigitCounts {
public:
  using Value = mlir::Value;

  explicit DigitCounts(ThreadEmitter &emitter);

  void clear();
  /// Counts an element of each lane, for some lanes only. All threads of the
  /// warp are here.
  void add(Value digit, Value exists);
  Value get();

private:
  ThreadEmitter &emitter;
  Value counts;
};

/// The digit of a key that begins at a bit, an i32.
mlir::Value getDigit(ThreadEmitter &emitter, mlir::Value key,
                     mlir::Value shift);

/// Counts digits. Between the functions there have to be barriers, in the order
/// in which they stand here.
class DigitRanks {
public:
  using Value = mlir::Value;

  explicit DigitRanks(ThreadEmitter &emitter);

  void clear();
  /// Counts an element of each lane, for some lanes only. All threads of the
  /// warp are here. Returns how many of the same digit the warp has seen
  /// before.
  Value count(Value digit, Value exists);
  /// The elements of this thread's digit in all warps' parts.
  Value getTotal();
  /// After `getTotal`, given how many elements of the tile have lower digits:
  /// sets where the first element of each part goes.
  void place(Value lower);
  /// Where an element goes, an i32.
  Value getPlace(Value digit, Value rank);

private:
  ThreadEmitter &emitter;
  Value counts;
  llvm::SmallVector<Value> ofParts;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_DIGITRANKS_H
