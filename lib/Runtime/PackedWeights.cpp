//===- PackedWeights.cpp - Constants as kernels read them -----------------===//

#include "PackedWeights.h"
#include "WeightFiles.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Packing an operand
//===----------------------------------------------------------------------===//

namespace {

/// An operand of a task, and the panels that it becomes.
class Packing {
public:
  Packing(const MatmulTask &task, const MatmulLevel &level, bool isRows)
      : task(task), level(level), isRows(isRows) {}

  size_t getBytes() const {
    return isRows ? level.getPackedRowBytes(task) : level.getPackedBytes(task);
  }
  void pack(char *to) const;
  /// Says how the operand is packed. Where two packings say the same of the
  /// same operand, the panels are the same.
  std::string describe() const;
  /// Whether the first panel begins as it would if it were packed now.
  bool isBeginning(const char *panels) const;

private:
  Packing getPart(int64_t size) const {
    Packing part = *this;
    (isRows ? part.task.m : part.task.n) = size;
    return part;
  }
  /// The bytes behind all panels, for vectors that reach beyond them.
  size_t getPadding() const { return getPart(0).getBytes(); }

  MatmulTask task;
  const MatmulLevel &level;
  bool isRows;
};

} // namespace

void Packing::pack(char *to) const {
  (isRows ? level.packRows : level.packColumns)(task, to);
  size_t padding = getPadding();
  std::memset(to + getBytes() - padding, 0, padding);
}

static void print(std::string &to, const MatmulIndex &index) {
  to += " loops";
  for (int64_t i = 0; i < index.rank; ++i)
    to += " " + std::to_string(index.sizes[i]) + " by " +
          std::to_string(index.strides[i]);
}

std::string Packing::describe() const {
  // The version is that of the order of elements in panels.
  std::string text = isRows ? "version 1 rows" : "version 1 columns";
  text += std::string(" ") + level.name;
  const MatmulMatrix<const void *> &operand = isRows ? task.a : task.b;
  for (int64_t number :
       {int64_t(task.type), isRows ? task.m : task.n, task.k, task.panelRows,
        level.getTileColumns(task.type, task.method)})
    text += " " + std::to_string(number);
  if (!operand.layout)
    return text + " strides " + std::to_string(operand.rowStride) + " " +
           std::to_string(operand.columnStride);
  print(text, operand.layout->outer);
  print(text, operand.layout->depth);
  return text;
}

bool Packing::isBeginning(const char *panels) const {
  int64_t size =
      isRows ? std::min(task.panelRows, task.m)
             : std::min(level.getTileColumns(task.type, task.method), task.n);
  Packing first = getPart(size);
  // Not much of the operand is read for that. A panel of bytes begins with what
  // its whole depth decides.
  constexpr int64_t someDepth = 64;
  if (task.type != MatmulType::I8)
    first.task.k = std::min(task.k, someDepth);
  WeightMemory memory = WeightMemory::allocate(first.getBytes());
  if (!memory)
    return false;
  first.pack(memory.get());
  return std::memcmp(panels, memory.get(),
                     first.getBytes() - first.getPadding()) == 0;
}

//===----------------------------------------------------------------------===//
// Packed once
//===----------------------------------------------------------------------===//

/// Smaller ones are not worth a file.
static constexpr size_t leastBytesOfFile = size_t(1) << 16;

/// Returns the operand in a file, if there is one.
static WeightMemory findPacked(const Packing &packing, const WeightKey &key,
                               size_t bytes) {
  WeightMemory found = mapWeights(key, bytes);
  return found && packing.isBeginning(found.get()) ? std::move(found)
                                                   : WeightMemory();
}

/// Packs the operand, and shares it with other processes where it is in a file.
static WeightMemory makePacked(const Packing &packing,
                               const uint64_t (&fingerprint)[4]) {
  size_t bytes = packing.getBytes();
  bool isShared = bytes >= leastBytesOfFile;
  WeightKey key;
  bool isKnown = false;
  if (isShared) {
    std::copy(fingerprint, fingerprint + 4, key.fingerprint);
    key.description = packing.describe();
    for (uint64_t word : fingerprint)
      isKnown |= word != 0;
  }
  if (isKnown)
    if (WeightMemory found = findPacked(packing, key, bytes))
      return found;
  WeightMemory memory = WeightMemory::allocate(bytes);
  if (!memory)
    return memory;
  packing.pack(memory.get());
  if (!isShared)
    return memory;
  // What is computed by the program is known by what it is.
  WeightMemory found;
  if (!isKnown) {
    key.fingerprint[0] = hashWeights(memory.get(), bytes);
    found = mapWeights(key, bytes);
  }
  if (!found)
    found = storeWeights(key, memory.get(), bytes);
  return found && std::memcmp(found.get(), memory.get(), bytes) == 0
             ? std::move(found)
             : std::move(memory);
}

namespace {

/// The packed weights of each library; freed with the runtime that is in it.
class PackedBlocks {
public:
  const void *get(const tally_rt_library *library, tally_rt_packed &place,
                  const Packing &packing) {
    std::lock_guard<std::mutex> lock(mutex);
    if (place.data)
      return place.data;
    try {
      WeightMemory memory = makePacked(packing, place.fingerprint);
      if (!memory)
        return nullptr;
      std::vector<WeightMemory> &blocks = kept[library];
      blocks.push_back(std::move(memory));
      __atomic_store_n(&place.data, blocks.back().get(), __ATOMIC_RELEASE);
    } catch (const std::bad_alloc &) {
      return nullptr;
    }
    return place.data;
  }

  /// Another place for the same constant, as calls of some sizes may read it in
  /// panels of other rows; null where there is no memory.
  tally_rt_packed *getOther(const tally_rt_library *library,
                            const tally_rt_packed &place) {
    std::lock_guard<std::mutex> lock(mutex);
    try {
      auto [other, isNew] =
          others[library].try_emplace(&place, tally_rt_packed{});
      if (isNew)
        std::memcpy(other->second.fingerprint, place.fingerprint,
                    sizeof(place.fingerprint));
      return &other->second;
    } catch (const std::bad_alloc &) {
      return nullptr;
    }
  }

  void release(const tally_rt_library *library) {
    std::lock_guard<std::mutex> lock(mutex);
    kept.erase(library);
    others.erase(library);
  }

private:
  using Places = std::unordered_map<const tally_rt_packed *, tally_rt_packed>;

  std::mutex mutex;
  std::unordered_map<const tally_rt_library *, Places> others;
  std::unordered_map<const tally_rt_library *, std::vector<WeightMemory>> kept;
};

} // namespace

static PackedBlocks &getBlocks() {
  static PackedBlocks blocks;
  return blocks;
}

static const void *getPacked(const tally_rt_library *library,
                             tally_rt_packed &place, const MatmulTask &task,
                             const MatmulLevel &level, bool isRows) {
  if (void *data = __atomic_load_n(&place.data, __ATOMIC_ACQUIRE))
    return data;
  return getBlocks().get(library, place, Packing(task, level, isRows));
}

const void *tally::runtime::getPackedColumns(const tally_rt_library *library,
                                             tally_rt_packed &place,
                                             const MatmulTask &task,
                                             const MatmulLevel &level) {
  return getPacked(library, place, task, level, /*isRows=*/false);
}

const void *tally::runtime::getPackedRows(const tally_rt_library *library,
                                          tally_rt_packed &place,
                                          const MatmulTask &task,
                                          const MatmulLevel &level) {
  tally_rt_packed *used = &place;
  if (level.getTileRows(task.type, task.method) !=
      level.getTileRows(task.type, MatmulMethod::Packed))
    used = getBlocks().getOther(library, place);
  return used ? getPacked(library, *used, task, level, /*isRows=*/true)
              : nullptr;
}

void tally::runtime::releasePackedWeights(const tally_rt_library *library) {
  getBlocks().release(library);
}
