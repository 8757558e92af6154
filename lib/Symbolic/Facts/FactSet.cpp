//===- FactSet.cpp - Sets of facts that share their parts -----------------===//
//
// A large set is a node: a list of ids, or a union of two nodes. Unions become
// lists when their members are asked for.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Facts/FactSet.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

struct FactSet::Node {
  unsigned numOwners = 1;
  /// The largest member.
  FactId last = 0;
  /// The parts of a union; null for a list.
  Node *left = nullptr, *right = nullptr;
  /// Sorted, without duplicates, once it is flat.
  SmallVector<FactId, 0> ids;
  bool isFlat = true;

  void flatten();
  /// Calls `visit` for each list in this node until it returns false.
  bool forEachList(llvm::function_ref<bool(ArrayRef<FactId>)> visit) const;
};

void FactSet::release(Node *node) {
  // Chains of unions are long.
  SmallVector<Node *, 8> worklist{node};
  while (!worklist.empty()) {
    Node *next = worklist.pop_back_val();
    if (!next || --next->numOwners != 0)
      continue;
    worklist.push_back(next->left);
    worklist.push_back(next->right);
    delete next;
  }
}

bool FactSet::Node::forEachList(
    llvm::function_ref<bool(ArrayRef<FactId>)> visit) const {
  llvm::SmallDenseSet<const Node *, 16> seen;
  SmallVector<const Node *, 16> worklist{this};
  while (!worklist.empty()) {
    const Node *next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next->left) {
      worklist.push_back(next->left);
      worklist.push_back(next->right);
    } else if (!visit(next->ids)) {
      return false;
    }
  }
  return true;
}

void FactSet::Node::flatten() {
  if (isFlat && !left)
    return;
  isFlat = true;
  SmallVector<FactId, 0> members;
  forEachList([&](ArrayRef<FactId> list) {
    llvm::append_range(members, list);
    return true;
  });
  llvm::sort(members);
  members.erase(llvm::unique(members), members.end());
  ids = std::move(members);
  release(std::exchange(left, nullptr));
  release(std::exchange(right, nullptr));
}

bool FactSet::allOf(llvm::function_ref<bool(FactId)> predicate) const {
  if (numInline != isShared)
    return llvm::all_of(*this, predicate);
  return storage.node->forEachList(
      [&](ArrayRef<FactId> list) { return llvm::all_of(list, predicate); });
}

FactSet FactSet::getBelow(FactId bound) const {
  if (numInline == isShared && storage.node->last < bound)
    return *this;
  FactSet result;
  if (numInline != isShared) {
    ArrayRef<FactId> ids = getIds();
    result.assignSorted({ids.begin(), llvm::lower_bound(ids, bound)});
    return result;
  }
  // A part without larger members is shared.
  llvm::SmallDenseSet<const Node *, 16> seen;
  SmallVector<Node *, 16> worklist{storage.node};
  while (!worklist.empty()) {
    Node *next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next->last < bound) {
      FactSet part;
      part.numInline = isShared;
      part.storage.node = next;
      ++next->numOwners;
      result.insert(part);
    } else if (next->left) {
      worklist.push_back(next->left);
      worklist.push_back(next->right);
    } else {
      next->flatten();
      ArrayRef<FactId> ids = next->ids;
      result.insert(FactSet(
          ArrayRef<FactId>(ids.begin(), llvm::lower_bound(ids, bound))));
    }
  }
  return result;
}

FactSet::FactSet(ArrayRef<FactId> ids) {
  if (llvm::adjacent_find(ids, std::greater_equal<FactId>()) == ids.end()) {
    assignSorted(ids);
    return;
  }
  if (ids.size() > maxInline) {
    // Few sets are asked for their members.
    assignSorted(ids);
    storage.node->last = *llvm::max_element(ids);
    storage.node->isFlat = false;
    return;
  }
  SmallVector<FactId, 8> sorted(ids);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  assignSorted(sorted);
}

void FactSet::assignSorted(ArrayRef<FactId> ids) {
  if (ids.size() <= maxInline) {
    numInline = ids.size();
    llvm::copy(ids, storage.ids);
    return;
  }
  numInline = isShared;
  storage.node = new Node;
  storage.node->last = ids.back();
  storage.node->ids.assign(ids.begin(), ids.end());
}

FactSet::FactSet(const FactSet &other)
    : numInline(other.numInline), storage(other.storage) {
  if (numInline == isShared)
    ++storage.node->numOwners;
}

ArrayRef<FactId> FactSet::getIds() const {
  if (numInline != isShared)
    return ArrayRef<FactId>(storage.ids, numInline);
  storage.node->flatten();
  return storage.node->ids;
}

FactSet::Node *FactSet::share() const {
  if (numInline == isShared) {
    ++storage.node->numOwners;
    return storage.node;
  }
  auto *node = new Node;
  node->last = storage.ids[numInline - 1];
  node->ids.assign(storage.ids, storage.ids + numInline);
  return node;
}

void FactSet::insert(const FactSet &other) {
  if (other.empty())
    return;
  if (empty()) {
    *this = other;
    return;
  }
  bool isLarge = numInline == isShared,
       isOtherLarge = other.numInline == isShared;
  if (isLarge && isOtherLarge && storage.node == other.storage.node)
    return;
  if (!isLarge && !isOtherLarge) {
    FactId merged[2 * maxInline];
    FactId *end =
        std::set_union(storage.ids, storage.ids + numInline, other.storage.ids,
                       other.storage.ids + other.numInline, merged);
    assignSorted(ArrayRef<FactId>(merged, end));
    return;
  }
  auto *node = new Node;
  node->left = share();
  node->right = other.share();
  node->last = std::max(node->left->last, node->right->last);
  FactSet result;
  result.numInline = isShared;
  result.storage.node = node;
  *this = std::move(result);
}
