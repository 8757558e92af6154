//===- WordsHash.h - Keys of several words ----------------------*- C++ -*-===//

#ifndef TALLY_LIB_RUNTIME_WORDSHASH_H
#define TALLY_LIB_RUNTIME_WORDSHASH_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace tally::runtime {

/// Hashes a few words that a kept choice depends on.
struct WordsHash {
  template <size_t count>
  size_t operator()(const std::array<int64_t, count> &words) const {
    uint64_t hash = 0;
    for (int64_t word : words)
      hash = (hash ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_WORDSHASH_H
