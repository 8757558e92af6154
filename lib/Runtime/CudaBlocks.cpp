//===- CudaBlocks.cpp - Memory of a GPU that is kept for later ------------===//

#include "CudaBlocks.h"

using namespace tally::runtime;

/// More blocks than this would take long to go through.
static constexpr size_t kMostBlocks = 64;

cuda::Pointer CudaBlocks::take(size_t bytes, const CudaStreamMark &mark) {
  if (mark.number == 0)
    return 0;
  bytes = roundUp(bytes, mark);
  std::lock_guard<std::mutex> lock(mutex);
  // What was released last is most likely in a cache.
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].block.bytes != bytes || all[i].mark.number != mark.number)
      continue;
    cuda::Pointer pointer = all[i].block.pointer;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    total -= bytes;
    return pointer;
  }
  return 0;
}

bool CudaBlocks::keep(const CudaBlock &block, const CudaStreamMark &mark) {
  if (!mayKeep(block, mark))
    return false;
  size_t bytes = roundUp(block.bytes, mark);
  std::lock_guard<std::mutex> lock(mutex);
  if (all.size() == kMostBlocks || total + bytes > limit)
    return false;
  all.reserve(kMostBlocks);
  all.push_back({{block.pointer, bytes}, mark});
  total += bytes;
  return true;
}

std::optional<std::pair<CudaBlock, CudaStreamMark>> CudaBlocks::takeOldest() {
  std::lock_guard<std::mutex> lock(mutex);
  if (all.empty())
    return std::nullopt;
  Kept oldest = all.front();
  all.erase(all.begin());
  total -= oldest.block.bytes;
  return std::make_pair(oldest.block, oldest.mark);
}
