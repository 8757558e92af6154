//===- FactSet.h - Sets of facts that share their parts ---------*- C++ -*-===//
//
// The set of facts that an answer or a derived bound rests on. Bounds are
// derived from bounds that are derived from others, so the sets get long and
// most are never looked at: a union costs a constant, and the members are
// collected when somebody asks for them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_FACTS_FACTSET_H
#define TALLY_SYMBOLIC_FACTS_FACTSET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <initializer_list>
#include <utility>

namespace tally::symbolic {

/// Names a fact within one Facts object; ids of popped facts are used again.
using FactId = unsigned;

/// An immutable set of fact ids behind a handle that is cheap to copy. Not
/// thread-safe, not even for copies of one set.
class FactSet {
public:
  using value_type = FactId;
  using const_iterator = const FactId *;

  FactSet() = default;
  FactSet(std::initializer_list<FactId> ids)
      : FactSet(llvm::ArrayRef<FactId>(ids)) {}
  explicit FactSet(llvm::ArrayRef<FactId> ids);
  FactSet(const FactSet &other);
  FactSet(FactSet &&other) noexcept
      : numInline(std::exchange(other.numInline, 0)), storage(other.storage) {}
  FactSet &operator=(FactSet other) noexcept {
    std::swap(numInline, other.numInline);
    std::swap(storage, other.storage);
    return *this;
  }
  ~FactSet() {
    if (numInline == isShared)
      release(storage.node);
  }

  bool empty() const { return numInline == 0; }
  void clear() { *this = FactSet(); }

  /// The members in ascending order, valid as long as this set.
  llvm::ArrayRef<FactId> getIds() const;
  operator llvm::ArrayRef<FactId>() const { return getIds(); }
  const_iterator begin() const { return getIds().begin(); }
  const_iterator end() const { return getIds().end(); }
  size_t size() const { return getIds().size(); }
  bool operator==(const FactSet &other) const {
    return getIds() == other.getIds();
  }
  bool operator!=(const FactSet &other) const { return !(*this == other); }

  /// Returns true if the predicate holds for every member. Does not collect
  /// them.
  bool allOf(llvm::function_ref<bool(FactId)> predicate) const;
  /// The members that are less than a bound.
  FactSet getBelow(FactId bound) const;

  /// Adds the members of another set.
  void insert(const FactSet &other);
  /// Appends the members to a list if they are few, else returns false.
  bool appendIfFew(llvm::SmallVectorImpl<FactId> &list) const {
    if (numInline == isShared)
      return false;
    list.append(storage.ids, storage.ids + numInline);
    return true;
  }

private:
  struct Node;
  /// Sets of at most this many members are held in place.
  static constexpr unsigned maxInline = 4;
  static constexpr unsigned isShared = ~0u;

  static void release(Node *node);
  /// Makes a set that has no node hold these members.
  void assignSorted(llvm::ArrayRef<FactId> ids);
  /// The node of this set, or a new one of its members.
  Node *share() const;

  unsigned numInline = 0;
  union Storage {
    FactId ids[maxInline];
    Node *node;
  } storage;
};

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_FACTS_FACTSET_H
