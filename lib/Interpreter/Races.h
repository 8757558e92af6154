//===- Races.h - Accesses that nothing orders -------------------*- C++ -*-===//

#ifndef TALLY_LIB_INTERPRETER_RACES_H
#define TALLY_LIB_INTERPRETER_RACES_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

namespace tally::interpreter {

/// How a thread accesses an element. Atomic accesses are in some order.
enum class AccessKind : uint8_t { Read, Write, Atomic };

/// An access of an element by a thread of a launch.
struct Access {
  mlir::Operation *op = nullptr;
  int32_t launch = 0;
  int32_t block = 0;
  int32_t thread = 0;
  /// How many barriers the block has passed.
  int32_t phase = 0;
};

/// The accesses of each element of an allocation, as far as later ones may be a
/// race with them. The blocks of a launch run one after the other.
class AccessLog {
public:
  explicit AccessLog(int64_t numElements) : elements(numElements) {}

  /// Notes an access. Returns an earlier one that nothing orders with it, if
  /// one of both is no atomic access and one of both writes.
  std::optional<Access> note(int64_t position, AccessKind kind,
                             const Access &access);

private:
  /// Accesses of one kind: the last one, one of the same phase by another
  /// thread, and one by another block.
  struct Accesses {
    Access last, otherThread, otherBlock;

    void note(const Access &access);
    std::optional<Access> findUnordered(const Access &access) const;
  };
  struct Element {
    Accesses reads, writes, atomics;
  };

  std::vector<Element> elements;
};

} // namespace tally::interpreter

#endif // TALLY_LIB_INTERPRETER_RACES_H
