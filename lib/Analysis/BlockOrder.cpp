//===- BlockOrder.cpp - Which operation comes first -----------------------===//

#include "BlockOrder.h"

#include <limits>
#include <optional>

using namespace mlir;
using namespace tally;

/// Room between operations that are numbered together.
static constexpr uint64_t kStride = uint64_t(1) << 32;
/// The divisor of the gap between two numbers at which an operation is
/// inserted: most often the next one is inserted behind it.
static constexpr uint64_t kShare = 64;
/// Operations in a row without a number, before the block is numbered anew.
static constexpr unsigned kMaxGap = 64;

void BlockOrder::number(Block *block) {
  uint64_t position = 0;
  for (Operation &op : *block)
    positions[&op] = position += kStride;
}

/// The number of the next operation that has one in some direction, or what
/// stands for the end of the block; nothing if that is too far.
template <typename Step>
std::optional<uint64_t> BlockOrder::findNumber(Operation *op, uint64_t end,
                                               Step step) {
  Operation *other = step(op);
  for (unsigned i = 0; other && i != kMaxGap; ++i, other = step(other))
    if (auto known = positions.find(other); known != positions.end())
      return known->second;
  return other ? std::nullopt : std::optional<uint64_t>(end);
}

uint64_t BlockOrder::getPosition(Operation *op) {
  constexpr uint64_t atEnd = std::numeric_limits<uint64_t>::max();
  auto found = positions.find(op);
  if (found != positions.end())
    return found->second;
  std::optional<uint64_t> low =
      findNumber(op, 0, [](Operation *other) { return other->getPrevNode(); });
  std::optional<uint64_t> high = findNumber(
      op, atEnd, [](Operation *other) { return other->getNextNode(); });
  if (high == atEnd)
    high = low && *low != 0 ? std::optional<uint64_t>(*low + kStride)
                            : std::nullopt;
  if (!low || !high || *high - *low < 2) {
    number(op->getBlock());
    return positions.lookup(op);
  }
  uint64_t gap = *high - *low;
  return positions[op] = *low + std::max<uint64_t>(1, gap / kShare);
}
