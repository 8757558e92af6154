//===- Quantity.h - What sizes are in planned calls -------------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYFUZZ_QUANTITY_H
#define TALLY_TOOLS_TALLYFUZZ_QUANTITY_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tally::fuzz {

/// The ids of constants start here.
inline constexpr uint64_t kConstants = uint64_t(1) << 40;

/// The smallest and the greatest value in one planned call.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
};

/// A size or an index, in all planned calls. What has the same id is equal in
/// every call.
struct Quantity {
  uint64_t id = 0;
  llvm::SmallVector<Interval, 4> calls;

  bool isExact() const;
  int64_t getMin() const;
  int64_t getMax() const;
  /// The value of a constant.
  std::optional<int64_t> getConstant() const;
};

/// Whether two quantities are equal as far as the planned calls tell.
bool areEqual(const Quantity &a, const Quantity &b);

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_QUANTITY_H
