//===- SortKernels.h - Sorting a row, for one level -------------*- C++ -*-===//
//
// Included by one file for each level of processors, which defines
//
//   TALLY_SORT_LEVEL   the name of the SortLevel
//   TALLY_SORT_TITLE   its name for people, a string
//
// Everything is in an anonymous namespace, and nothing inline of another header
// is called: the linker keeps one copy of such a function for all, and it may
// be the one for the newest processor. Loops are written so that the compiler
// makes vectors of them.
//
//===----------------------------------------------------------------------===//

#include "Sort.h"

// NOLINTBEGIN(modernize-use-using): an attribute of a dependent type.
namespace {

using namespace tally::runtime;

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

} // namespace

// What follows uses them.
#include "SortKeys.h"

#include "SortDigits.h"

#include "SortRanks.h"

namespace {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// So many elements of a part are kept in order while the rest is looked at.
constexpr int64_t kMaxFew = 32;
/// Elements that are looked at together.
constexpr int64_t kChunkSize = 64;

/// Sorts one row.
template <typename C>
class RowSort {
public:
  using Key = typename C::Key;
  using Signed = typename C::Signed;
  using Element = typename C::Element;
  using Entry = typename EntryOf<Key>::Type;
  using Narrow = RowSort<typename NarrowCoder<C>::Type>;

  explicit RowSort(const SortTask &task)
      : task(task), source(static_cast<const Element *>(task.source)),
        flip(task.descending ? C::last : Key(0)),
        scratch(static_cast<Entry *>(task.scratch)) {}

  /// Where the upper halves of keys may be left out, for either.
  static size_t getScratchBytes(const SortTask &task) {
    size_t bytes = getOwnScratchBytes(task);
    if constexpr (isNarrowed) {
      size_t narrow = Narrow::getScratchBytes(task);
      bytes = narrow > bytes ? narrow : bytes;
    }
    return bytes;
  }

  void run() {
    Method method = chooseMethod(task);
    if constexpr (isNarrowed)
      if (method != Method::First && method != Method::Few && hasOneUpperHalf())
        return Narrow(task).run();
    run(method);
  }

  void runShort(const ShortRows &rows) const;

  /// Steps of sorting all elements.
  static int getDigits(const SortTask &task) {
    constexpr int bits = isWide ? kIndexBits : C::bits;
    bool isAll = chooseMethod(task) == Method::All && task.count == task.size;
    return isAll ? (bits + SortSteps::digitBits - 1) / SortSteps::digitBits : 0;
  }
  bool fitsEntries(int64_t begin, int64_t end) const {
    if constexpr (isWide) {
      Key difference = 0;
      for (int64_t i = begin; i < end; ++i)
        difference |= encode(i) ^ encode(0);
      return difference >> kIndexBits == 0;
    }
    return true;
  }
  void makeEntries(int64_t begin, int64_t end, uint64_t *entries) const {
    for (int64_t i = begin; i < end; ++i)
      entries[i] = uint64_t(makeEntry(encode(i), i));
  }
  void writeEntries(int64_t begin, int64_t end, const uint64_t *entries) const {
    auto *values = static_cast<Element *>(task.values);
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = getIndex(entries[i]);
      if (values)
        values[i] = C::normalize(source[index]);
      if (task.indices)
        task.indices[i] = index;
    }
  }

private:
  enum class Method {
    /// The first element of the order is found.
    First,
    /// The first few elements are kept in order.
    Few,
    /// The bits of one element are found from the first one on.
    Pick,
    /// Every element is compared with all others.
    Ranks,
    /// Elements behind the last one of the part so far are left out.
    Bound,
    /// A part of the elements tells about where the first ones end.
    Sample,
    /// Digits tell what is in the part.
    Select,
    /// How often each key is there tells the values.
    Count,
    /// All is sorted.
    All
  };

  /// Comparing all pairs takes less time than counting digits up to here.
  static constexpr int64_t maxRanks = getMaxRanks(sizeof(Key));

  /// Keys of which there are so few that each has a count, where there are as
  /// many elements.
  static constexpr bool isCounted = sizeof(Key) == 1;
  static constexpr int64_t minCounted = 256;

  static constexpr bool isWide = sizeof(Key) == 8;
  static constexpr bool isNarrowed = sizeof(typename Narrow::Key) < sizeof(Key);

  /// Up to here, looking at all elements twice takes less time than to keep the
  /// first one.
  static constexpr int64_t maxFirst = 512;
  /// A count fits a key.
  static constexpr int64_t maxPick = sizeof(Key) == 1 ? 0 : 512;

  static Method chooseMethod(const SortTask &task) {
    int64_t size = task.size, count = task.count;
    if (count == 1 && task.first == 0 && size <= maxFirst)
      return Method::First;
    if (task.first == 0 && isFew(size, count))
      return Method::Few;
    if (isCounted && !task.indices && size >= minCounted)
      return Method::Count;
    if (count == 1 && size <= maxPick)
      return Method::Pick;
    if (task.first == 0 && isSampled(size, count))
      return 64 * count <= size && size >= minBound ? Method::Bound
                                                    : Method::Sample;
    if (size <= maxRanks)
      return Method::Ranks;
    if (isWide && size <= getMaxRanks(sizeof(uint32_t)))
      return Method::All;
    return 2 * count <= size ? Method::Select : Method::All;
  }

  /// Fewer elements are read twice in less time than to leave out behind one of
  /// the part again and again.
  static constexpr int64_t minBound = int64_t(1) << 16;

  /// Whether it takes the least time to keep the first `count` in order: each
  /// that is moved takes longer, and the more elements there are, the fewer of
  /// them are before the last one of these.
  static bool isFew(int64_t size, int64_t count) {
    int64_t most = size <= maxRanks ? kMaxFewOfRanks : 8;
    return (count <= most && 8 * count <= size) ||
           (count <= kMaxFew && 128 * count <= size);
  }

  /// Whether to leave out others than the first `count` takes less time than to
  /// compare or count all.
  static bool isSampled(int64_t size, int64_t count) {
    if (size > getMaxRanks(sizeof(uint32_t)))
      return 2 * count <= size;
    return size > kMaxUnsampled && (isWide ? 8 : 4) * count <= size;
  }

  static size_t getOwnScratchBytes(const SortTask &task) {
    switch (chooseMethod(task)) {
    case Method::First:
    case Method::Few:
    case Method::Pick:
    case Method::Ranks:
    case Method::Count:
      return 0;
    case Method::Bound:
      return size_t(2 * getCapacity(task)) * sizeof(Entry);
    case Method::Sample:
    case Method::Select:
      return size_t(2 * task.size) * sizeof(Entry);
    case Method::All:
      return size_t(2 * task.size) * sizeof(uint64_t);
    }
    return 0;
  }

  void run(Method method) {
    switch (method) {
    case Method::First:
      return runFirst();
    case Method::Few:
      return runFew();
    case Method::Pick:
      return runPick();
    case Method::Ranks:
      return runRanks();
    case Method::Bound:
      return runBound();
    case Method::Sample:
      return runSample();
    case Method::Select:
      return runSelect();
    case Method::Count:
      if constexpr (isCounted)
        runCount();
      return;
    case Method::All:
      return runAll();
    }
  }

  bool hasOneUpperHalf() const {
    for (int64_t begin = 0; begin < task.size; begin += kChunkSize)
      if (!fitsEntries(begin, least(begin + kChunkSize, task.size)))
        return false;
    return true;
  }

  /// So many entries are kept before those behind the part are dropped.
  static int64_t getCapacity(const SortTask &task) {
    return 2 * task.count + 4 * kChunkSize;
  }

  Key encode(int64_t index) const { return C::encode(source[index], flip); }

  Entry makeEntry(Key key, int64_t index) const {
    return Entry(key) << kIndexBits | Entry(uint64_t(index));
  }

  /// Writes the part, which begins at `entries`.
  template <typename E>
  void write(const E *entries) const {
    auto *values = static_cast<Element *>(task.values);
    if (values)
      for (int64_t i = 0; i < task.count; ++i)
        values[i] = C::normalize(source[getIndex(entries[i])]);
    if (task.indices)
      for (int64_t i = 0; i < task.count; ++i)
        task.indices[i] = getIndex(entries[i]);
  }

  /// The same for a part of one element.
  void writeOne(int64_t index) const {
    if (task.values)
      static_cast<Element *>(task.values)[0] = C::normalize(source[index]);
    if (task.indices)
      task.indices[0] = index;
  }

  /// Encodes the elements from `begin` on; those behind the end get the last
  /// key. Returns whether some are before `bound`.
  bool encodeChunk(int64_t begin, Key bound, Key *keys) const {
    if (task.size - begin >= kChunkSize) {
      for (int64_t i = 0; i < kChunkSize; ++i)
        keys[i] = encode(begin + i);
    } else {
      for (int64_t i = 0; i < kChunkSize; ++i)
        keys[i] = C::last;
      for (int64_t i = 0; i < task.size - begin; ++i)
        keys[i] = encode(begin + i);
    }
    Key isBefore = 0;
    for (int64_t i = 0; i < kChunkSize; ++i)
      isBefore = Key(isBefore | Key(keys[i] < bound));
    return isBefore;
  }

  void runFirst();
  void runFew();
  void runPick();
  void runRanks();
  void runBound();
  void runSample();
  template <typename GetKey>
  Key sampleBound(int64_t size, GetKey getKey) const;
  void runSelect();
  void runCount();
  void runAll();
  uint64_t *sortHalves(uint64_t *entries, uint64_t *other);

  const SortTask &task;
  const Element *source;
  Key flip;
  Entry *scratch;
};

} // namespace

#include "SortFirst.h"

namespace {

template <typename C>
void RowSort<C>::runPick() {
  constexpr int64_t padded = maxPick + kRankPadding<Signed>;
  alignas(64) Signed keys[padded], rest[padded];
  for (int64_t i = 0; i < task.size; ++i)
    rest[i] = keys[i] = Signed(encode(i) ^ C::sign);
  int64_t left = task.first;
  Signed key = pickKey(rest, task.size, left);
  // The search ends there at the latest.
  keys[task.size] = key;
  int64_t at = 0;
  while (keys[at] != key || left-- > 0)
    ++at;
  writeOne(at);
}

template <typename C>
void RowSort<C>::runRanks() {
  constexpr int64_t padded = maxRanks + kRankPadding<Signed>;
  alignas(64) Signed keys[padded], places[padded];
  int64_t size = task.size;
  for (int64_t i = 0; i < size; ++i)
    keys[i] = Signed(encode(i) ^ C::sign);
  rankKeys(keys, size, places);
  auto *values = static_cast<Element *>(task.values);
  if (task.count == size) {
    for (int64_t i = 0; i < size; ++i) {
      if (values)
        values[places[i]] = C::normalize(source[i]);
      if (task.indices)
        task.indices[places[i]] = i;
    }
    return;
  }
  uint8_t order[maxRanks];
  for (int64_t i = 0; i < size; ++i)
    order[places[i]] = uint8_t(i);
  for (int64_t i = 0; i < task.count; ++i) {
    int64_t index = order[task.first + i];
    if (values)
      values[i] = C::normalize(source[index]);
    if (task.indices)
      task.indices[i] = index;
  }
}

/// The same with a lane for each row.
template <typename C>
void RowSort<C>::runShort(const ShortRows &rows) const {
  constexpr int64_t most = ShortRows::mostElements, lanes = ShortRows::most;
  typedef Signed Vector __attribute__((vector_size(lanes * sizeof(Signed))));
  alignas(64) Signed keys[most][lanes];
  int64_t size = task.size;
  for (int64_t row = 0; row < lanes; ++row) {
    const auto *elements = static_cast<const Element *>(rows.sources[row]);
    for (int64_t i = 0; i < size; ++i)
      keys[i][row] = Signed(elements[i * rows.sourceStride]);
  }
  Vector own[most], places[most];
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t row = 0; row < lanes; ++row)
      keys[i][row] = Signed(C::encode(Key(keys[i][row]), flip) ^ C::sign);
    __builtin_memcpy(&own[i], keys[i], sizeof(own[i]));
    places[i] = Vector{} + Signed(i);
    for (int64_t j = 0; j < i; ++j) {
      Vector isBehind = own[j] > own[i];
      places[i] += isBehind;
      places[j] -= isBehind;
    }
  }
  for (int64_t i = 0; i < size; ++i) {
    Signed to[lanes];
    __builtin_memcpy(to, &places[i], sizeof(to));
    for (int64_t row = 0; row < rows.count; ++row) {
      int64_t place = int64_t(to[row]) - task.first;
      if (uint64_t(place) >= uint64_t(task.count))
        continue;
      if (task.values)
        static_cast<Element *>(rows.values[row])[place * rows.valuesStride] =
            C::normalize(static_cast<const Element *>(
                rows.sources[row])[i * rows.sourceStride]);
      if (task.indices)
        rows.indices[row][place * rows.indicesStride] = i;
    }
  }
}

template <typename C>
void RowSort<C>::runCount() {
  constexpr int64_t keys = int64_t(1) << C::bits;
  // Neighbors are often equal: none of them waits for the count of another.
  constexpr int64_t parts = 4;
  uint32_t counts[parts][keys];
  __builtin_memset(counts, 0, sizeof(counts));
  int64_t i = 0;
  if constexpr (C::isBoolean) {
    // A sum, which vectors compute.
    uint32_t ones = 0;
    for (; i < task.size; ++i)
      ones += uint32_t(C::normalize(source[i]));
    counts[0][C::encode(1, flip)] = ones;
    counts[0][C::encode(0, flip)] = uint32_t(task.size) - ones;
  }
  for (; i + parts <= task.size; i += parts)
    for (int64_t part = 0; part < parts; ++part)
      ++counts[part][encode(i + part)];
  for (; i < task.size; ++i)
    ++counts[0][encode(i)];
  auto *values = static_cast<Element *>(task.values);
  int64_t begin = -task.first;
  for (int64_t key = 0; values && key < keys && begin < task.count; ++key) {
    int64_t end = begin;
    for (int64_t part = 0; part < parts; ++part)
      end += counts[part][key];
    end = least(end, task.count);
    int64_t from = begin < 0 ? 0 : begin;
    if (from < end)
      __builtin_memset(values + from, C::decode(Key(key), flip),
                       size_t(end - from));
    begin = end;
  }
}

template <typename C>
void RowSort<C>::runAll() {
  auto *entries = static_cast<uint64_t *>(task.scratch),
       *other = entries + task.size;
  if constexpr (isWide) {
    entries = sortHalves(entries, other);
  } else {
    for (int64_t i = 0; i < task.size; ++i)
      entries[i] = makeEntry(encode(i), i);
    entries = sortEntries<Key>(entries, other, task.size);
  }
  write(entries + task.first);
}

/// Sorts by the upper halves of keys, and what has the same ones by the lower
/// halves: an entry of 64 bits holds a half.
template <typename C>
uint64_t *RowSort<C>::sortHalves(uint64_t *entries, uint64_t *other) {
  int64_t size = task.size;
  Key difference = 0;
  for (int64_t i = 0; i < size; ++i) {
    Key key = encode(i);
    difference |= key ^ encode(0);
    entries[i] = key >> kIndexBits << kIndexBits | uint64_t(i);
  }
  if (difference >> kIndexBits != 0) {
    uint64_t *sorted = sortEntries<uint32_t>(entries, other, size);
    other = sorted == entries ? other : entries;
    entries = sorted;
  }
  uint64_t hasRuns = 0;
  for (int64_t i = 1; i < size; ++i)
    hasRuns |= uint64_t((entries[i] ^ entries[i - 1]) >> kIndexBits == 0);
  if (!hasRuns)
    return entries;
  for (int64_t begin = 0, end; begin < size; begin = end) {
    uint64_t *run = entries + begin;
    for (end = begin + 1; end < size; ++end)
      if ((entries[end] ^ *run) >> kIndexBits != 0)
        break;
    if (end - begin == 1)
      continue;
    for (int64_t i = 0; i < end - begin; ++i)
      run[i] = uint64_t(encode(getIndex(run[i])) << kIndexBits |
                        Key(getIndex(run[i])));
    uint64_t *sorted = sortEntries<uint32_t>(run, other, end - begin);
    if (sorted != run)
      __builtin_memcpy(run, sorted, size_t(end - begin) * sizeof(*run));
  }
  return entries;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Calls `use` with the sort of a type.
template <typename Use>
auto withType(const SortTask &task, Use use) {
  switch (task.type) {
  case SortType::Bool:
    return use(RowSort<Coder<uint8_t, Kind::Bool>>(task));
  case SortType::I8:
    return use(RowSort<Coder<uint8_t, Kind::Signed>>(task));
  case SortType::U8:
    return use(RowSort<Coder<uint8_t, Kind::Unsigned>>(task));
  case SortType::I16:
    return use(RowSort<Coder<uint16_t, Kind::Signed>>(task));
  case SortType::U16:
    return use(RowSort<Coder<uint16_t, Kind::Unsigned>>(task));
  case SortType::I32:
    return use(RowSort<Coder<uint32_t, Kind::Signed>>(task));
  case SortType::U32:
    return use(RowSort<Coder<uint32_t, Kind::Unsigned>>(task));
  case SortType::I64:
    return use(RowSort<Coder<uint64_t, Kind::Signed>>(task));
  case SortType::U64:
    return use(RowSort<Coder<uint64_t, Kind::Unsigned>>(task));
  case SortType::F16:
    return use(RowSort<Coder<uint16_t, Kind::Float, 0x7c00>>(task));
  case SortType::BF16:
    return use(RowSort<Coder<uint16_t, Kind::Float, 0x7f80>>(task));
  case SortType::F32:
    return use(RowSort<Coder<uint32_t, Kind::Float, 0x7f800000>>(task));
  case SortType::F64:
    break;
  }
  return use(RowSort<Coder<uint64_t, Kind::Float, 0x7ff0000000000000>>(task));
}

size_t getScratchBytes(const SortTask &task) {
  return withType(
      task, [&](auto sort) { return decltype(sort)::getScratchBytes(task); });
}

void run(const SortTask &task) {
  withType(task, [](auto sort) { sort.run(); });
}

void runShort(const SortTask &task, const ShortRows &rows) {
  withType(task, [&](auto sort) { sort.runShort(rows); });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int getDigits(const SortTask &task) {
  return withType(task,
                  [&](auto sort) { return decltype(sort)::getDigits(task); });
}

bool fitsEntries(const SortTask &task, int64_t begin, int64_t end) {
  return withType(task,
                  [&](auto sort) { return sort.fitsEntries(begin, end); });
}

void makeEntries(const SortTask &task, int64_t begin, int64_t end,
                 uint64_t *entries) {
  withType(task, [&](auto sort) { sort.makeEntries(begin, end, entries); });
}

void writeEntries(const SortTask &task, int64_t begin, int64_t end,
                  const uint64_t *entries) {
  withType(task, [&](auto sort) { sort.writeEntries(begin, end, entries); });
}

} // namespace
// NOLINTEND(modernize-use-using)

const SortLevel tally::runtime::TALLY_SORT_LEVEL = {
    TALLY_SORT_TITLE,
    getScratchBytes,
    run,
    runShort,
    {getDigits, fitsEntries, makeEntries, countDigits, moveEntries,
     writeEntries}};
