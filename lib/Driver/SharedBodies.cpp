//===- SharedBodies.cpp - Loops that differ in numbers alone --------------===//

#include "SharedBodies.h"

#include "ParallelBodies.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <map>
#include <optional>
#include <set>

using namespace llvm;

/// Integers below this one are part of what a body is.
static constexpr uint64_t kSmallest = 16;
/// A body with more parameters than this is left alone.
static constexpr size_t kMaxParameters = 32;
/// The argument of a body that is the closure.
static constexpr unsigned kClosure = 3;

/// The place of an operand: the number of the instruction, and which it is.
using Place = std::pair<unsigned, unsigned>;

/// Whether a constant may come from a parameter instead.
static bool canBeParameter(const Instruction &user, unsigned operand) {
  if (isa<SwitchInst, AllocaInst>(user))
    return false;
  if (auto *call = dyn_cast<CallBase>(&user))
    if (call->isCallee(&user.getOperandUse(operand)) ||
        (call->isArgOperand(&user.getOperandUse(operand)) &&
         call->paramHasAttr(operand, Attribute::ImmArg)))
      return false;
  const Value *value = user.getOperand(operand);
  if (auto *integer = dyn_cast<ConstantInt>(value))
    // An i32 is the number of a check that a body ends with.
    return (integer->getType()->isIntegerTy(64) ||
            integer->getType()->isIntegerTy(32)) &&
           integer->getValue().uge(kSmallest);
  return isa<ConstantFP>(value) &&
         (value->getType()->isFloatTy() || value->getType()->isDoubleTy());
}

//===----------------------------------------------------------------------===//
// Comparing bodies
//===----------------------------------------------------------------------===//

namespace {

/// Walks through two functions in step.
class BodyComparison {
public:
  BodyComparison(const Function &a, const Function &b) : a(a), b(b) {}

  /// The places of constants that differ; none if something else does.
  std::optional<std::vector<Place>> run() {
    if (a.getFunctionType() != b.getFunctionType() ||
        a.getAttributes() != b.getAttributes() || a.size() != b.size() ||
        a.getInstructionCount() != b.getInstructionCount())
      return std::nullopt;
    for (auto [x, y] : zip_equal(a.args(), b.args()))
      counterpart[&x] = &y;
    for (auto [x, y] : zip_equal(a, b)) {
      if (x.size() != y.size() || !match(&x, &y))
        return std::nullopt;
    }
    unsigned number = 0;
    for (auto [x, y] : zip_equal(instructions(a), instructions(b)))
      if (!compare(x, y, number++))
        return std::nullopt;
    return differences;
  }

private:
  /// Notes that two values are the same, or checks it.
  bool match(const Value *x, const Value *y) {
    return counterpart.insert({x, y}).first->second == y;
  }

  bool compare(const Instruction &x, const Instruction &y, unsigned number) {
    if (!x.isSameOperationAs(&y) || !x.hasSameSubclassOptionalData(&y) ||
        !haveSameMetadata(x, y) || !match(&x, &y))
      return false;
    for (unsigned i = 0; i < x.getNumOperands(); ++i)
      if (!compareOperands(x, y, i, number))
        return false;
    if (auto *phi = dyn_cast<PHINode>(&x))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (!match(phi->getIncomingBlock(i),
                   cast<PHINode>(y).getIncomingBlock(i)))
          return false;
    return true;
  }

  bool compareOperands(const Instruction &x, const Instruction &y, unsigned i,
                       unsigned number) {
    const Value *p = x.getOperand(i), *q = y.getOperand(i);
    if (!isa<Constant>(p) || !isa<Constant>(q))
      return !isa<Constant>(p) && !isa<Constant>(q) && match(p, q);
    if (p == q)
      return true;
    if (!canBeParameter(x, i) || !canBeParameter(y, i))
      return false;
    differences.push_back({number, i});
    return true;
  }

  static bool haveSameMetadata(const Instruction &x, const Instruction &y) {
    SmallVector<std::pair<unsigned, MDNode *>> ofX, ofY;
    x.getAllMetadataOtherThanDebugLoc(ofX);
    y.getAllMetadataOtherThanDebugLoc(ofY);
    return ofX == ofY;
  }

  const Function &a, &b;
  DenseMap<const Value *, const Value *> counterpart;
  std::vector<Place> differences;
};

/// The hash that equal bodies have in common.
hash_code computeHash(const Function &body) {
  hash_code hash = hash_combine(body.size(), body.getFunctionType());
  for (const Instruction &instruction : instructions(body))
    hash = hash_combine(hash, instruction.getOpcode(),
                        instruction.getNumOperands(), instruction.getType());
  return hash;
}

//===----------------------------------------------------------------------===//
// Making one of them
//===----------------------------------------------------------------------===//

/// Bodies that are the same but for constants.
struct BodyGroup {
  std::vector<Function *> members;
  /// Where constants differ, of all members.
  SetVector<Place, std::vector<Place>, std::set<Place>> places;
};

class BodySharing {
public:
  explicit BodySharing(Module &module)
      : module(module), pointer(PointerType::get(module.getContext(), 0)) {}

  void run() {
    auto bodies = tally::findParallelBodies(module);
    // Calls get instructions of their own, which would move places.
    SmallPtrSet<Function *, 16> callers;
    for (auto &[body, uses] : bodies)
      for (Use *use : uses)
        callers.insert(cast<Instruction>(use->getUser())->getFunction());
    std::map<size_t, std::vector<BodyGroup>> groups;
    std::vector<size_t> order;
    for (auto &[body, uses] : bodies) {
      if (body->getNumUses() != uses.size() || body->arg_size() <= kClosure ||
          callers.contains(body))
        continue;
      size_t hash = computeHash(*body);
      if (groups.find(hash) == groups.end())
        order.push_back(hash);
      addTo(groups[hash], body);
    }
    for (size_t hash : order)
      for (BodyGroup &group : groups[hash])
        if (group.members.size() > 1)
          share(group, bodies);
  }

private:
  static void addTo(std::vector<BodyGroup> &groups, Function *body) {
    for (BodyGroup &group : groups)
      if (auto places = BodyComparison(*group.members.front(), *body).run()) {
        auto all = group.places;
        all.insert(places->begin(), places->end());
        if (all.size() > kMaxParameters)
          continue;
        group.places = all;
        group.members.push_back(body);
        return;
      }
    groups.push_back({{body}, {}});
  }

  static std::vector<Constant *> getConstants(Function &body,
                                              const BodyGroup &group) {
    std::vector<Instruction *> all;
    for (Instruction &instruction : instructions(body))
      all.push_back(&instruction);
    std::vector<Constant *> constants;
    for (auto [number, operand] : group.places)
      constants.push_back(cast<Constant>(all[number]->getOperand(operand)));
    return constants;
  }

  void share(BodyGroup &group,
             MapVector<Function *, SmallVector<Use *>> &bodies) {
    Function &shared = *group.members.front();
    // The calls of each member, and what it has for each place.
    std::vector<std::vector<Constant *>> constants;
    for (Function *member : group.members)
      constants.push_back(getConstants(*member, group));
    // Places that hold the same in each member share a parameter.
    std::map<std::vector<Constant *>, unsigned> parameters;
    std::vector<unsigned> parameterOf;
    std::vector<Type *> types;
    for (size_t place = 0; place < group.places.size(); ++place) {
      std::vector<Constant *> column;
      for (const std::vector<Constant *> &row : constants)
        column.push_back(row[place]);
      auto [it, isNew] = parameters.insert({column, types.size()});
      if (isNew)
        types.push_back(column.front()->getType());
      parameterOf.push_back(it->second);
    }
    auto *type = StructType::get(module.getContext(), types);
    for (auto [member, row] : zip_equal(group.members, constants)) {
      std::vector<Constant *> values(types.size());
      for (auto [parameter, constant] : zip_equal(parameterOf, row))
        values[parameter] = constant;
      auto *table = new GlobalVariable(
          module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
          ConstantStruct::get(type, values), member->getName() + "_constants");
      for (Use *use : bodies[member])
        passTable(*use, table, shared);
    }
    readTable(shared, type, group, parameterOf);
    for (Function *member : drop_begin(group.members))
      member->eraseFromParent();
  }

  /// Has a call pass a pair: the closure, and constants of its own.
  void passTable(Use &use, GlobalVariable *table, Function &shared) {
    auto *call = cast<CallInst>(use.getUser());
    Type *pair = StructType::get(pointer, pointer);
    IRBuilder<> entry(&*call->getFunction()->getEntryBlock().begin());
    Value *slot = entry.CreateAlloca(pair);
    IRBuilder<> builder(call);
    unsigned closure = use.getOperandNo() + 1;
    builder.CreateStore(call->getArgOperand(closure), slot);
    builder.CreateStore(table, builder.CreateStructGEP(pair, slot, 1));
    call->setArgOperand(closure, slot);
    use.set(&shared);
  }

  /// Has a body read the closure and its constants from the pair.
  void readTable(Function &body, StructType *type, const BodyGroup &group,
                 ArrayRef<unsigned> parameterOf) {
    std::vector<Instruction *> all;
    for (Instruction &instruction : instructions(body))
      all.push_back(&instruction);
    Argument *argument = body.getArg(kClosure);
    Type *pair = StructType::get(pointer, pointer);
    IRBuilder<> builder(&*body.getEntryBlock().begin());
    Value *closure = builder.CreateLoad(pointer, argument);
    Value *table =
        builder.CreateLoad(pointer, builder.CreateStructGEP(pair, argument, 1));
    std::vector<Value *> values;
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      values.push_back(builder.CreateLoad(
          type->getElementType(i), builder.CreateStructGEP(type, table, i)));
    argument->replaceUsesWithIf(closure, [&](Use &use) {
      return is_contained(all, cast<Instruction>(use.getUser()));
    });
    for (auto [place, parameter] : zip_equal(group.places, parameterOf))
      all[place.first]->setOperand(place.second, values[parameter]);
  }

  Module &module;
  Type *pointer;
};

} // namespace

void tally::shareBodies(Module &module) { BodySharing(module).run(); }
