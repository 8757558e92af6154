//===- CudaBlocks.h - Memory of a GPU that is kept for later ----*- C++ -*-===//
//
// The driver orders each allocation and each release within the stream, which
// takes the GPU about half a microsecond. A block that was released on a stream
// serves as it is where the same stream wants one of this size. Private to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDABLOCKS_H
#define TALLY_LIB_RUNTIME_CUDABLOCKS_H

#include "CudaDriver.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace tally::runtime {

/// A stream, and the number that no other stream of the process ever has: a
/// later one may have its handle. 0 where the driver does not tell, and where
/// the stream is being captured: what a graph uses is not for others.
struct CudaStreamMark {
  cuda::Stream stream = nullptr;
  uint64_t number = 0;
};

/// A block of memory of a GPU. What the driver gave may be larger.
struct CudaBlock {
  cuda::Pointer pointer = 0;
  size_t bytes = 0;
};

/// Blocks that were released, by their stream and size.
class CudaBlocks {
public:
  /// At most so many bytes are kept.
  explicit CudaBlocks(size_t limit) : limit(limit) {}

  /// How much to ask the driver for, so that blocks of nearly the same size
  /// serve each other.
  static size_t roundUp(size_t bytes, const CudaStreamMark &mark) {
    return mark.number == 0 ? bytes : (bytes + 511) / 512 * 512;
  }
  /// Returns a block of the size on the stream; 0 if there is none.
  cuda::Pointer take(size_t bytes, const CudaStreamMark &mark);
  /// Keeps a block that was released. Returns whether it does: there may be too
  /// many.
  bool keep(const CudaBlock &block, const CudaStreamMark &mark);
  /// Takes out the block that has been here longest, and its stream.
  std::optional<std::pair<CudaBlock, CudaStreamMark>> takeOldest();
  /// Whether the block may be kept at all, when others have been taken out.
  bool mayKeep(const CudaBlock &block, const CudaStreamMark &mark) const {
    return mark.number != 0 && roundUp(block.bytes, mark) <= limit;
  }

private:
  struct Kept {
    CudaBlock block;
    CudaStreamMark mark;
  };

  size_t limit;
  std::mutex mutex;
  /// The oldest first.
  std::vector<Kept> all;
  size_t total = 0;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDABLOCKS_H
