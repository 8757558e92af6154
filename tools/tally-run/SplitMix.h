//===- SplitMix.h - Random numbers that a seed determines -------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYRUN_SPLITMIX_H
#define TALLY_TOOLS_TALLYRUN_SPLITMIX_H

#include <cstdint>

namespace tally::run {

/// splitmix64: the same numbers on every machine.
class SplitMix {
public:
  explicit SplitMix(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_SPLITMIX_H
