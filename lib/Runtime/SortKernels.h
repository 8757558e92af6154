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

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

enum class Kind { Bool, Unsigned, Signed, Float };

template <typename T>
struct SignedOf;
template <>
struct SignedOf<uint8_t> {
  using Type = int8_t;
};
template <>
struct SignedOf<uint16_t> {
  using Type = int16_t;
};
template <>
struct SignedOf<uint32_t> {
  using Type = int32_t;
};
template <>
struct SignedOf<uint64_t> {
  using Type = int64_t;
};

/// Makes an unsigned key of the bits of an element; `infinity` is that of a
/// float. Elements that are equal have the same key.
template <typename KeyT, Kind kind, uint64_t infinity = 0>
struct Coder {
  using Key = KeyT;
  using Signed = typename SignedOf<Key>::Type;
  typedef Key Element __attribute__((may_alias));
  static constexpr int bits = 8 * sizeof(Key);
  static constexpr Key sign = Key(Key(1) << (bits - 1));
  static constexpr Key last = Key(~Key(0));

  /// `flip` is 0, or all bits for the descending order.
  static Key encode(Key element, Key flip) {
    if constexpr (kind == Kind::Bool)
      element = element != 0;
    if constexpr (kind == Kind::Signed)
      element = Key(element ^ sign);
    if constexpr (kind == Kind::Float) {
      bool isNaN = Key(element & Key(~sign)) > Key(infinity);
      // Both zeros are the positive one.
      element = element == sign ? Key(0) : element;
      Key negative = Key(Signed(element) >> (bits - 1));
      element = Key(element ^ Key(negative | sign));
      element = isNaN ? last : element;
    }
    return Key(element ^ flip);
  }
};

/// A key with the index of its element behind: entries are in order if their
/// keys are, and what is equal keeps its order.
template <typename Key>
struct EntryOf {
  using Type = uint64_t;
};
template <>
struct EntryOf<uint64_t> {
  __extension__ typedef unsigned __int128 Type;
};

constexpr int kIndexBits = 32;

template <typename Entry>
int64_t getIndex(Entry entry) {
  return int64_t(uint32_t(entry));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

template <typename Entry>
void sortByInsertion(Entry *entries, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    Entry entry = entries[i];
    int64_t at = i;
    for (; at > 0 && entry < entries[at - 1]; --at)
      entries[at] = entries[at - 1];
    entries[at] = entry;
  }
}

/// Sorts by one digit after the other, from the least one up. The entries come
/// in the order of their indices. Returns where the result is: one of the two.
template <int keyBits, int digitBits, typename Entry>
Entry *sortByDigits(Entry *from, Entry *to, int64_t count) {
  constexpr int64_t buckets = int64_t(1) << digitBits;
  constexpr int digits = (keyBits + digitBits - 1) / digitBits;
  uint32_t counts[digits][buckets];
  __builtin_memset(counts, 0, sizeof(counts));
  for (int64_t i = 0; i < count; ++i) {
    Entry key = from[i] >> kIndexBits;
    for (int digit = 0; digit < digits; ++digit)
      ++counts[digit][uint64_t(key >> (digit * digitBits)) & (buckets - 1)];
  }
  for (int digit = 0; digit < digits; ++digit) {
    int shift = kIndexBits + digit * digitBits;
    uint32_t *places = counts[digit];
    // All entries have the same digit.
    if (places[uint64_t(from[0] >> shift) & (buckets - 1)] == uint32_t(count))
      continue;
    uint32_t sum = 0;
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
      uint32_t size = places[bucket];
      places[bucket] = sum;
      sum += size;
    }
    for (int64_t i = 0; i < count; ++i) {
      Entry entry = from[i];
      to[places[uint64_t(entry >> shift) & (buckets - 1)]++] = entry;
    }
    Entry *swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

template <int keyBits, typename Entry>
Entry *sortEntries(Entry *from, Entry *to, int64_t count) {
  constexpr int64_t few = 48, many = 8192;
  if (count <= few) {
    sortByInsertion(from, count);
    return from;
  }
  if (keyBits <= 16 || count < many)
    return sortByDigits<keyBits, 8>(from, to, count);
  return sortByDigits<keyBits, 11>(from, to, count);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The sum of lanes, which their type has to hold.
template <int64_t lanes, typename Vector>
int64_t sumLanes(Vector vector) {
#if defined(__clang__)
  return __builtin_reduce_add(vector);
#else
  int64_t sum = 0;
  for (int64_t lane = 0; lane < lanes; ++lane)
    sum += vector[lane];
  return sum;
#endif
}

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

  explicit RowSort(const SortTask &task)
      : task(task), source(static_cast<const Element *>(task.source)),
        flip(task.descending ? C::last : Key(0)),
        scratch(static_cast<Entry *>(task.scratch)) {}

  static size_t getScratchBytes(const SortTask &task) {
    switch (chooseMethod(task)) {
    case Method::Few:
    case Method::Pick:
    case Method::Ranks:
      return 0;
    case Method::Bound:
      return size_t(2 * getCapacity(task)) * sizeof(Entry);
    case Method::Select:
    case Method::All:
      return size_t(2 * task.size) * sizeof(Entry);
    }
    return 0;
  }

  void run() {
    switch (chooseMethod(task)) {
    case Method::Few:
      return runFew();
    case Method::Pick:
      return runPick();
    case Method::Ranks:
      return runRanks();
    case Method::Bound:
      return runBound();
    case Method::Select:
      return runSelect();
    case Method::All:
      return runAll();
    }
  }

private:
  enum class Method {
    /// The first few elements are kept in order.
    Few,
    /// The bits of one element are found from the first one on.
    Pick,
    /// Every element is compared with all others.
    Ranks,
    /// Elements behind the last one of the part so far are left out.
    Bound,
    /// Digits tell what is in the part.
    Select,
    /// All is sorted.
    All
  };

  /// Comparing all pairs takes less time than counting digits up to here.
#if defined(__AVX512BW__)
  static constexpr int64_t maxRanks = sizeof(Key) == 8   ? 96
                                      : sizeof(Key) == 4 ? 192
                                                         : 128;
#elif defined(__AVX2__)
  static constexpr int64_t maxRanks = sizeof(Key) == 8 ? 64 : 128;
#else
  static constexpr int64_t maxRanks = sizeof(Key) == 8   ? 32
                                      : sizeof(Key) == 4 ? 64
                                                         : 128;
#endif

  /// A count fits a key.
  static constexpr int64_t maxPick = sizeof(Key) == 1 ? 0 : 512;

  static Method chooseMethod(const SortTask &task) {
    int64_t size = task.size, count = task.count;
    bool isSmall = task.first == 0 && 64 * count <= size;
    bool isTiny = task.first == 0 && count <= 4 && 8 * count <= size;
    if (isTiny || (isSmall && count <= kMaxFew))
      return Method::Few;
    if (count == 1 && size <= maxPick)
      return Method::Pick;
    if (size <= maxRanks)
      return Method::Ranks;
    if (isSmall)
      return Method::Bound;
    return 2 * count <= size ? Method::Select : Method::All;
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
  void write(const Entry *entries) const {
    auto *values = static_cast<Element *>(task.values);
    if (values)
      for (int64_t i = 0; i < task.count; ++i)
        values[i] = source[getIndex(entries[i])];
    if (task.indices)
      for (int64_t i = 0; i < task.count; ++i)
        task.indices[i] = getIndex(entries[i]);
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

  void runFew();
  void runPick();
  void runRanks();
  void runBound();
  void runSelect();
  void runAll() { write(sortAll() + task.first); }
  Entry *sortAll();

  const SortTask &task;
  const Element *source;
  Key flip;
  Entry *scratch;
};

template <typename C>
void RowSort<C>::runFew() {
  Entry best[kMaxFew];
  int64_t count = task.count;
  for (int64_t i = 0; i < count; ++i)
    best[i] = makeEntry(encode(i), i);
  sortByInsertion(best, count);
  auto bound = Key(best[count - 1] >> kIndexBits);
  Key keys[kChunkSize];
  for (int64_t begin = count; begin < task.size; begin += kChunkSize) {
    if (!encodeChunk(begin, bound, keys))
      continue;
    for (int64_t i = 0; i < kChunkSize; ++i) {
      if (keys[i] >= bound)
        continue;
      Entry entry = makeEntry(keys[i], begin + i);
      int64_t at = count - 1;
      for (; at > 0 && entry < best[at - 1]; --at)
        best[at] = best[at - 1];
      best[at] = entry;
      bound = Key(best[count - 1] >> kIndexBits);
    }
  }
  write(best);
}

/// The key of the element is the largest one before which no more are than
/// there are before the part. Two bits of it are found at a time.
template <typename C>
void RowSort<C>::runPick() {
  constexpr int64_t lanes = 64 / sizeof(Key);
  constexpr int digits = 3;
  typedef Signed Vector __attribute__((vector_size(64)));
  alignas(64) Signed keys[maxPick + lanes];
  int64_t size = task.size, before = 0;
  for (int64_t i = 0; i < size; ++i)
    keys[i] = Signed(encode(i) ^ C::sign);
  for (int64_t i = size; i < size + lanes; ++i)
    keys[i] = Signed(C::last ^ C::sign);
  Key found = 0;
  for (int shift = C::bits - 2; shift >= 0; shift -= 2) {
    Vector bounds[digits], counts[digits] = {};
    for (int digit = 0; digit < digits; ++digit)
      bounds[digit] =
          Vector{} +
          Signed(Key(found + Key(Key(digit + 1) << shift)) ^ C::sign);
    for (int64_t i = 0; i < size; i += lanes) {
      Vector vector;
      __builtin_memcpy(&vector, keys + i, sizeof(vector));
      for (int digit = 0; digit < digits; ++digit)
        counts[digit] -= vector < bounds[digit];
    }
    Key next = found;
    for (int digit = 0; digit < digits; ++digit) {
      int64_t less = sumLanes<lanes>(counts[digit]);
      if (less > task.first)
        continue;
      next = Key(found + Key(Key(digit + 1) << shift));
      before = less;
    }
    found = next;
  }
  auto key = Signed(found ^ C::sign);
  int64_t at = 0;
  for (int64_t left = task.first - before; keys[at] != key || left-- > 0;)
    ++at;
  if (task.values)
    static_cast<Element *>(task.values)[0] = source[at];
  if (task.indices)
    task.indices[0] = at;
}

/// The place of an element in the order is how many come before it: those whose
/// key is less, and those before it in the row whose key is the same. Each is
/// compared with a vector of others at once.
template <typename C>
void RowSort<C>::runRanks() {
  constexpr int64_t lanes = 64 / sizeof(Key);
  typedef Signed Vector __attribute__((vector_size(64)));
  alignas(64) Signed keys[maxRanks + lanes], places[maxRanks + lanes];
  int64_t size = task.size;
  Vector lane;
  for (int64_t i = 0; i < lanes; ++i)
    lane[i] = Signed(i);
  for (int64_t i = 0; i < size; ++i)
    keys[i] = Signed(encode(i) ^ C::sign);
  for (int64_t i = size; i < size + lanes; ++i)
    keys[i] = 0;
  for (int64_t block = 0; block < size; block += lanes) {
    Vector own, before = {};
    __builtin_memcpy(&own, keys + block, sizeof(own));
    int64_t end = least(block + lanes, size), i = 0;
    for (; i < block; ++i)
      before -= own >= Vector{} + keys[i];
    for (; i < end; ++i) {
      Vector key = Vector{} + keys[i], place = Vector{} + Signed(i - block);
      before -= (own > key) | ((own == key) & (lane > place));
    }
    for (; i < size; ++i)
      before -= own > Vector{} + keys[i];
    __builtin_memcpy(places + block, &before, sizeof(before));
  }
  auto *values = static_cast<Element *>(task.values);
  for (int64_t i = 0; i < size; ++i) {
    int64_t to = int64_t(places[i]) - task.first;
    if (uint64_t(to) >= uint64_t(task.count))
      continue;
    if (values)
      values[to] = source[i];
    if (task.indices)
      task.indices[to] = i;
  }
}

template <typename C>
void RowSort<C>::runBound() {
  int64_t capacity = getCapacity(task), kept = 0;
  Entry *entries = scratch, *other = scratch + capacity;
  auto shrink = [&] {
    Entry *sorted = sortEntries<C::bits>(entries, other, kept);
    if (sorted != entries) {
      other = entries;
      entries = sorted;
    }
    kept = least(kept, task.count);
  };
  // Until there are enough elements, every one is in the part.
  Key keys[kChunkSize], bound = 0;
  bool isBounded = false;
  for (int64_t begin = 0; begin < task.size; begin += kChunkSize) {
    int64_t size = least(kChunkSize, task.size - begin);
    if (!encodeChunk(begin, bound, keys) && isBounded)
      continue;
    for (int64_t i = 0; i < size; ++i) {
      entries[kept] = makeEntry(keys[i], begin + i);
      kept += int64_t(!isBounded) | int64_t(keys[i] < bound);
    }
    if (kept + kChunkSize < capacity)
      continue;
    shrink();
    bound = Key(entries[task.count - 1] >> kIndexBits);
    isBounded = true;
  }
  shrink();
  write(entries);
}

/// Counts how many entries have each leading digit, keeps those whose digit may
/// be in the part, and goes on with the next digit while they are many and have
/// the same one.
template <typename C>
void RowSort<C>::runSelect() {
  constexpr int digitBits = C::bits < 11 ? C::bits : 11;
  constexpr int64_t buckets = int64_t(1) << digitBits, few = 512;
  uint32_t counts[buckets];
  Entry *entries = scratch;
  int64_t kept = task.size, first = task.first;
  for (int64_t i = 0; i < kept; ++i)
    entries[i] = makeEntry(encode(i), i);
  for (int left = C::bits; left > 0 && kept > few; left -= digitBits) {
    int shift = kIndexBits + (left > digitBits ? left - digitBits : 0);
    auto getDigit = [&](Entry entry) {
      return uint64_t(entry >> shift) & uint64_t(buckets - 1);
    };
    __builtin_memset(counts, 0, sizeof(counts));
    for (int64_t i = 0; i < kept; ++i)
      ++counts[getDigit(entries[i])];
    int64_t before = 0;
    uint64_t low = 0;
    while (before + counts[low] <= first)
      before += counts[low++];
    uint64_t high = low;
    int64_t end = before + counts[low];
    while (end < first + task.count)
      end += counts[++high];
    int64_t next = 0;
    for (int64_t i = 0; i < kept; ++i) {
      Entry entry = entries[i];
      entries[next] = entry;
      next += int64_t(getDigit(entry) - low <= high - low);
    }
    kept = next;
    first -= before;
    if (low != high)
      break;
  }
  write(sortEntries<C::bits>(entries, scratch + task.size, kept) + first);
}

template <typename C>
typename RowSort<C>::Entry *RowSort<C>::sortAll() {
  for (int64_t i = 0; i < task.size; ++i)
    scratch[i] = makeEntry(encode(i), i);
  return sortEntries<C::bits>(scratch, scratch + task.size, task.size);
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

} // namespace
// NOLINTEND(modernize-use-using)

const SortLevel tally::runtime::TALLY_SORT_LEVEL = {TALLY_SORT_TITLE,
                                                    getScratchBytes, run};
