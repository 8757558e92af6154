//===- Quantity.cpp - What sizes are in planned calls ---------------------===//

#include "Quantity.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::fuzz;

bool Quantity::isExact() const {
  return llvm::all_of(calls,
                      [](Interval call) { return call.low == call.high; });
}

int64_t Quantity::getMin() const {
  int64_t low = calls.front().low;
  for (Interval call : calls)
    low = std::min(low, call.low);
  return low;
}

int64_t Quantity::getMax() const {
  int64_t high = calls.front().high;
  for (Interval call : calls)
    high = std::max(high, call.high);
  return high;
}

std::optional<int64_t> Quantity::getConstant() const {
  if (id < kConstants)
    return std::nullopt;
  return calls.front().low;
}

bool tally::fuzz::areEqual(const Quantity &a, const Quantity &b) {
  if (a.id == b.id)
    return true;
  if (!a.isExact() || !b.isExact())
    return false;
  return llvm::all_of(llvm::zip_equal(a.calls, b.calls), [](auto pair) {
    return std::get<0>(pair).low == std::get<1>(pair).low;
  });
}
