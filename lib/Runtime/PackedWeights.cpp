//===- PackedWeights.cpp - Constants as kernels read them -----------------===//

#include "PackedWeights.h"

#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

using namespace tally::runtime;

namespace {

/// The packed weights of each library; freed with the runtime that is in it.
class PackedBlocks {
public:
  ~PackedBlocks() {
    for (auto &[library, blocks] : kept)
      for (void *block : blocks)
        std::free(block);
  }

  void *get(const tally_rt_library *library, void **place, size_t bytes,
            const std::function<void(void *)> &pack) {
    std::lock_guard<std::mutex> lock(mutex);
    if (*place)
      return *place;
    void *block = nullptr;
    if (posix_memalign(&block, 64, bytes) != 0)
      return nullptr;
    try {
      kept[library].push_back(block);
    } catch (const std::bad_alloc &) {
      std::free(block);
      return nullptr;
    }
    pack(block);
    __atomic_store_n(place, block, __ATOMIC_RELEASE);
    return block;
  }

  void release(const tally_rt_library *library) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = kept.find(library);
    if (it == kept.end())
      return;
    for (void *block : it->second)
      std::free(block);
    kept.erase(it);
  }

private:
  std::mutex mutex;
  std::unordered_map<const tally_rt_library *, std::vector<void *>> kept;
};

} // namespace

static PackedBlocks &getBlocks() {
  static PackedBlocks blocks;
  return blocks;
}

const void *
tally::runtime::getPackedWeights(const tally_rt_library *library, void **place,
                                 size_t bytes,
                                 const std::function<void(void *)> &pack) {
  if (void *block = __atomic_load_n(place, __ATOMIC_ACQUIRE))
    return block;
  return getBlocks().get(library, place, bytes, pack);
}

void tally::runtime::releasePackedWeights(const tally_rt_library *library) {
  getBlocks().release(library);
}
