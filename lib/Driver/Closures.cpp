//===- Closures.cpp - What parallel loops get from outside ----------------===//

#include "Closures.h"

#include "ParallelBodies.h"
#include "tally/Runtime/RuntimeFunctions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <optional>

using namespace llvm;

/// The argument of a body that is the closure.
static constexpr unsigned kClosure = 3;

namespace {

/// Where a number or a pointer is in a structure of structures.
using Path = SmallVector<unsigned, 4>;

/// What a body reads of its closure.
struct Reads {
  LoadInst *whole;
  /// What takes each part out of the closure.
  std::map<Path, SmallVector<Instruction *>> parts;
};

/// A call that passes a closure: what the closure is made of.
struct Passing {
  CallInst *call;
  StoreInst *store;
  AllocaInst *slot;
};

class ClosureShrinker {
public:
  explicit ClosureShrinker(Module &module) : module(module) {}

  void run() {
    for (auto &[body, uses] : tally::findParallelBodies(module)) {
      // Another call may have it from a choice of bodies.
      if (!body->hasNUses(uses.size()))
        continue;
      std::optional<Reads> reads = findReads(*body);
      std::optional<SmallVector<Passing>> passings = findPassings(uses);
      if (reads && passings && all_of(*passings, [&](const Passing &passing) {
            return passing.store->getValueOperand()->getType() ==
                   reads->whole->getType();
          }))
        shrink(*body, *reads, *passings);
    }
  }

private:
  static bool collectParts(Instruction &aggregate, const Path &path,
                           Reads &reads);
  static std::optional<Reads> findReads(Function &body);
  static std::optional<SmallVector<Passing>> findPassings(ArrayRef<Use *> uses);
  void shrink(Function &body, Reads &reads, ArrayRef<Passing> passings);
  AllocaInst *getSlot(Function &function, StructType *type);

  Module &module;
  /// The place of the closures of a function.
  DenseMap<Function *, AllocaInst *> slots;
};

} // namespace

/// Notes the parts that are taken out of a structure; false if something else
/// is done with it.
bool ClosureShrinker::collectParts(Instruction &aggregate, const Path &path,
                                   Reads &reads) {
  for (User *user : aggregate.users()) {
    auto *part = dyn_cast<ExtractValueInst>(user);
    if (!part)
      return false;
    Path inner = path;
    append_range(inner, part->indices());
    if (!part->getType()->isAggregateType())
      reads.parts[inner].push_back(part);
    else if (!collectParts(*part, inner, reads))
      return false;
  }
  return true;
}

std::optional<Reads> ClosureShrinker::findReads(Function &body) {
  if (body.arg_size() <= kClosure || !body.getArg(kClosure)->hasOneUse())
    return std::nullopt;
  auto *whole = dyn_cast<LoadInst>(*body.getArg(kClosure)->user_begin());
  if (!whole || !whole->isSimple() || !isa<StructType>(whole->getType()))
    return std::nullopt;
  Reads reads{whole, {}};
  if (!collectParts(*whole, {}, reads) || reads.parts.empty())
    return std::nullopt;
  return reads;
}

/// The calls that a body is passed to; none if one of them has its closure from
/// elsewhere, or has several.
std::optional<SmallVector<Passing>>
ClosureShrinker::findPassings(ArrayRef<Use *> uses) {
  SmallVector<Passing> passings;
  for (Use *use : uses) {
    auto *call = dyn_cast<CallInst>(use->getUser());
    if (!call || call->getCalledFunction()->getName() !=
                     tally::runtime_functions::kParallelFor.name)
      return std::nullopt;
    auto *slot =
        dyn_cast<AllocaInst>(call->getArgOperand(use->getOperandNo() + 1));
    if (!slot || !slot->hasNUses(2))
      return std::nullopt;
    for (User *user : slot->users())
      if (auto *store = dyn_cast<StoreInst>(user);
          store && store->isSimple() && store->getPointerOperand() == slot &&
          store->getParent() == call->getParent() && store->comesBefore(call))
        passings.push_back({call, store, slot});
    if (passings.empty() || passings.back().call != call)
      return std::nullopt;
  }
  return passings;
}

AllocaInst *ClosureShrinker::getSlot(Function &function, StructType *type) {
  const DataLayout &layout = module.getDataLayout();
  AllocaInst *&slot = slots[&function];
  if (!slot) {
    IRBuilder<> builder(&*function.getEntryBlock().begin());
    slot = builder.CreateAlloca(type, nullptr, "closure");
  } else if (layout.getTypeAllocSize(type) >
             layout.getTypeAllocSize(slot->getAllocatedType())) {
    slot->setAllocatedType(type);
  }
  slot->setAlignment(std::max(slot->getAlign(), layout.getPrefTypeAlign(type)));
  return slot;
}

/// A part of a structure: what was inserted there.
static Value *getPart(IRBuilder<> &builder, Value *whole,
                      ArrayRef<unsigned> path) {
  while (auto *insertion = dyn_cast<InsertValueInst>(whole)) {
    ArrayRef<unsigned> indices = insertion->getIndices();
    bool isInside = path.take_front(indices.size()) == indices;
    whole = isInside ? insertion->getInsertedValueOperand()
                     : insertion->getAggregateOperand();
    path = path.drop_front(isInside ? indices.size() : 0);
  }
  return path.empty() ? whole : builder.CreateExtractValue(whole, path);
}

void ClosureShrinker::shrink(Function &body, Reads &reads,
                             ArrayRef<Passing> passings) {
  SmallVector<Type *> types;
  for (auto &[path, parts] : reads.parts)
    types.push_back(parts.front()->getType());
  auto *type = StructType::get(module.getContext(), types);

  IRBuilder<> builder(reads.whole);
  for (auto [field, entry] : enumerate(reads.parts)) {
    LoadInst *load = builder.CreateLoad(
        types[field],
        builder.CreateStructGEP(type, body.getArg(kClosure), field));
    load->copyMetadata(*reads.whole, LLVMContext::MD_access_group);
    for (Instruction *part : entry.second)
      part->replaceAllUsesWith(load);
  }
  for (auto &[path, parts] : reads.parts)
    for (Instruction *part : parts)
      RecursivelyDeleteTriviallyDeadInstructions(part);

  for (auto [call, store, slot] : passings) {
    AllocaInst *shared = getSlot(*call->getFunction(), type);
    Value *whole = store->getValueOperand();
    builder.SetInsertPoint(call);
    for (auto [field, entry] : enumerate(reads.parts)) {
      Value *value = getPart(builder, whole, entry.first);
      builder.CreateStore(value, builder.CreateStructGEP(type, shared, field));
    }
    call->replaceUsesOfWith(slot, shared);
    store->eraseFromParent();
    slot->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(whole);
  }
}

void tally::shrinkClosures(Module &module) { ClosureShrinker(module).run(); }
