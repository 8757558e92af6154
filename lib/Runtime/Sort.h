//===- Sort.h - Sorting on the CPU ------------------------------*- C++ -*-===//
//
// Rows are sorted by the bits of their elements, which become unsigned keys in
// the same order: short rows by counting for each element how many come before
// it, several rows at once where they are very short; longer ones by a radix
// sort from the least digit up. Where a part of the
// order is asked for, what cannot be in it is left out first.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_SORT_H
#define TALLY_LIB_RUNTIME_SORT_H

#include <cstddef>
#include <cstdint>

struct tally_rt_context;

namespace tally::runtime {

/// Types of elements: the order of their bits.
enum class SortType {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  BF16,
  F32,
  F64
};

/// One row, whose elements lie next to each other; so do those of what it
/// makes.
struct SortTask {
  /// The number of elements, fewer than 2^32, and the part of the order that is
  /// asked for: it is in [0, size), and not empty.
  int64_t size, first, count;
  const void *source;
  /// Either may be null.
  void *values;
  int64_t *indices;
  SortType type;
  bool descending;
  /// Memory of `getScratchBytes` bytes, aligned to 64.
  void *scratch;
};

/// Rows of few elements that are sorted together. Elements of a row lie a
/// stride apart.
struct ShortRows {
  /// The elements of a row, and the rows.
  static constexpr int64_t mostElements = 16, most = 16;

  int64_t count;
  /// Behind those of the rows are others that may be read.
  const void *sources[most];
  /// All of either are null where those of the task are.
  void *values[most];
  int64_t *indices[most];
  int64_t sourceStride, valuesStride, indicesStride;
};

/// The steps of a sort of one long row that threads share. Each takes a part of
/// the elements, or of the entries made of them, which are moved by one digit
/// after the other, from the least one up.
struct SortSteps {
  static constexpr int digitBits = 11;
  static constexpr int64_t buckets = int64_t(1) << digitBits;
  /// How often each digit occurs in a part, or where the entries with it go.
  using Counts = uint32_t[buckets];

  /// The digits of a key; 0 if such elements are not sorted in steps.
  int (*getDigits)(const SortTask &);
  /// Whether entries can hold keys: of 64 bits they hold the lower halves, so
  /// the upper ones have to be the same.
  bool (*fits)(const SortTask &, int64_t begin, int64_t end);
  void (*make)(const SortTask &, int64_t begin, int64_t end, uint64_t *entries);
  void (*count)(const uint64_t *entries, int64_t begin, int64_t end, int digit,
                Counts &counts);
  /// Each entry goes behind those before it with the same digit, of which other
  /// parts have `before`, and behind those with lesser digits.
  void (*move)(const uint64_t *from, int64_t begin, int64_t end, int digit,
               const Counts &lesser, const Counts &before, uint64_t *to);
  void (*write)(const SortTask &, int64_t begin, int64_t end,
                const uint64_t *entries);
};

/// The functions that are compiled for one level of processors.
struct SortLevel {
  const char *name;
  size_t (*getScratchBytes)(const SortTask &);
  void (*run)(const SortTask &);
  /// Sorts rows as the task says, except for where they are.
  void (*runShort)(const SortTask &, const ShortRows &);
  SortSteps steps;
};

/// The levels that this build has, the least one first. Only what the processor
/// supports may run.
extern const SortLevel sortBaseline;
#if defined(__x86_64__)
extern const SortLevel sortV3;
extern const SortLevel sortV4;
#endif

/// Sorts all elements of a row on the threads of a context. `isLong` tells
/// whether that pays.
bool isLong(const SortLevel &level, const SortTask &task);
int32_t sortInParts(tally_rt_context *ctx, const SortLevel &level,
                    const SortTask &task);

/// The level that `tally_rt_processor_level` gives.
const SortLevel &getSortLevel();

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_SORT_H
