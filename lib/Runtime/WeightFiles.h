//===- WeightFiles.h - Packed weights that processes share ------*- C++ -*-===//
//
// Constants that were packed for a processor are kept in files of the user's
// cache folder, which processes map. Whatever is wrong with the folder or with
// a file, there is no file then. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_WEIGHTFILES_H
#define TALLY_LIB_RUNTIME_WEIGHTFILES_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tally::runtime {

/// What a file holds: the fingerprint of what was packed, and how it was.
struct WeightKey {
  uint64_t fingerprint[4];
  std::string description;
};

/// Packed weights in memory of their own, or in a file that is mapped.
class WeightMemory {
public:
  WeightMemory() = default;
  WeightMemory(const WeightMemory &) = delete;
  WeightMemory &operator=(const WeightMemory &) = delete;
  WeightMemory(WeightMemory &&other) noexcept { swap(other); }
  WeightMemory &operator=(WeightMemory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~WeightMemory();

  /// Memory for some bytes; none if there is none.
  static WeightMemory allocate(size_t bytes);
  /// A file from its beginning on, of which the contents begin at an offset;
  /// none if it cannot be mapped.
  static WeightMemory map(int file, size_t bytes, size_t offset);

  explicit operator bool() const { return base; }
  char *get() const { return base + offset; }

private:
  void swap(WeightMemory &other) noexcept;

  char *base = nullptr;
  size_t offset = 0;
  /// Of a mapped file, else 0.
  size_t mappedBytes = 0;
};

/// A hash of some bytes that no change of one word leaves as it is.
uint64_t hashWeights(const void *data, size_t bytes);

/// Maps the file with so many bytes, if there is one and nothing is wrong with
/// it.
WeightMemory mapWeights(const WeightKey &key, size_t bytes);

/// Writes the file, unless another process was first, and maps it.
WeightMemory storeWeights(const WeightKey &key, const void *data, size_t bytes);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_WEIGHTFILES_H
