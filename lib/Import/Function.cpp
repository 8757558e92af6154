//===- Function.cpp - One function of an imported program -----------------===//
//
//===----------------------------------------------------------------------===//

#include "Function.h"

#include "Importer.h"
#include "Lowering.h"
#include "Operators.h"
#include "Symbols.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Tensors and views
//===----------------------------------------------------------------------===//

int64_t Function::addTensor(Tensor tensor, StringRef readOnlyBecause) {
  TensorSlot slot;
  slot.tensor = std::move(tensor);
  slot.storage = unsigned(storages.size());
  storages.emplace_back().readOnlyBecause = readOnlyBecause.str();
  slots.push_back(std::move(slot));
  return int64_t(slots.size()) - 1;
}

int64_t Function::addConstant(Tensor tensor, StringRef name) {
  int64_t slot = addTensor(
      std::move(tensor), ("'" + name + "' is a constant of the program").str());
  getStorage(slot).ofModel = name.str();
  return slot;
}

int64_t Function::addView(int64_t base, Tensor tensor, ViewFn view,
                          WriteBackFn writeBack) {
  assert(view && writeBack && "a view can be made again, and written through");
  TensorSlot slot;
  slot.tensor = std::move(tensor);
  slot.storage = slots[base].storage;
  slot.version = getStorage(base).version;
  slot.base = base;
  slot.view = std::move(view);
  slot.writeBack = std::move(writeBack);
  slots.push_back(std::move(slot));
  return int64_t(slots.size()) - 1;
}

void Function::addPossibleCopy(int64_t slot, int64_t copy, StringRef why) {
  Storage &storage = getStorage(copy);
  if (storage.readOnlyBecause.empty())
    storage.readOnlyBecause = why.str();
  getStorage(slot).copies.push_back(slots[copy].storage);
}

/// Copies of a storage are unknown once it is written.
void Function::forgetCopies(unsigned storage) {
  for (unsigned copy : storages[storage].copies) {
    storages[copy].isUnknown = true;
    forgetCopies(copy);
  }
}

Tensor Function::read(int64_t slot, Lowering &lowering) {
  if (getStorage(slot).isUnknown)
    (void)lowering.error("what is read may have been updated: " +
                         getStorage(slot).readOnlyBecause);
  unsigned version = getStorage(slot).version;
  if (slots[slot].version != version && slots[slot].base >= 0) {
    Tensor base = read(slots[slot].base, lowering);
    ViewFn view = slots[slot].view;
    slots[slot].tensor = view(lowering, base);
    slots[slot].version = version;
  }
  return slots[slot].tensor;
}

LogicalResult Function::write(int64_t slot, Tensor tensor, Lowering &lowering) {
  if (failed(writeStorage(slot, std::move(tensor), lowering)))
    return failure();
  return writeViewsIf(slots[slot].storage, /*from=*/nullptr, lowering);
}

bool Function::canTell(Expr condition) {
  return llvm::all_of(state.getLayoutSymbols(condition), [&](StringRef name) {
    return program.findStride(*this, name).has_value();
  });
}

/// The same condition of values that are there: a stride of an argument becomes
/// a hidden argument.
Expr Function::readStrides(Expr condition) {
  symbolic::Substitution strides;
  for (StringRef name : state.getLayoutSymbols(condition))
    strides[state.getLayoutSymbol(name, symbolic::SymbolType::Int)] =
        program.addStride(*this, name);
  return state.simplify(state.exprs.substitute(condition, strides));
}

/// Updates what may share a storage that was written. That this led to `from`
/// is known: each tensor that may be a view of another one has one such.
LogicalResult Function::writeViewsIf(unsigned storage, const ViewIf *from,
                                     Lowering &lowering) {
  for (const ViewIf &link : viewsIf) {
    bool isCopy = slots[link.copy].storage == storage;
    if (&link == from || (!isCopy && slots[link.slot].storage != storage))
      continue;
    int64_t other = isCopy ? link.slot : link.copy;
    Expr isView = readStrides(link.condition);
    Tensor kept = read(other, lowering);
    StringRef readOnly = getStorage(other).readOnlyBecause;
    if (!readOnly.empty()) {
      Expr isEmpty = state.exprs.eq(lowering.numel(kept), lowering.literal(0));
      lowering.check(
          state.exprs.logicalOr(isEmpty, state.exprs.logicalNot(isView)),
          Twine(lowering.target) +
              ": an in-place update through a view is not "
              "supported here: " +
              readOnly);
      continue;
    }
    Tensor written =
        isCopy ? link.writeBack(lowering, kept, read(link.copy, lowering))
               : link.view(lowering, read(link.slot, lowering));
    Operand condition(lowering.scalar(isView, Dtype::Bool), Dtype::Bool);
    condition.isRaw = true;
    Tensor next = lowering.map(
        {condition, written, kept}, kept.dtype, kept.dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.select(args[0], args[1], args[2]);
        },
        kept.sizes);
    next.recordedOne = kept.recordedOne;
    next.tracedOne = kept.tracedOne;
    if (failed(writeStorage(other, std::move(next), lowering)) ||
        failed(writeViewsIf(slots[other].storage, &link, lowering)))
      return failure();
  }
  return success();
}

LogicalResult Function::writeStorage(int64_t slot, Tensor tensor,
                                     Lowering &lowering) {
  if (!getStorage(slot).ofModel.empty())
    program.addState(getStorage(slot).ofModel);
  else if (!getStorage(slot).readOnlyBecause.empty())
    return lowering.error("an in-place update is not supported here: " +
                          getStorage(slot).readOnlyBecause);
  // Bases are read before the storage gets its new version.
  SmallVector<Tensor> bases;
  for (int64_t i = slot; slots[i].base >= 0; i = slots[i].base)
    bases.push_back(read(slots[i].base, lowering));
  unsigned version = ++getStorage(slot).version;
  forgetCopies(slots[slot].storage);
  slots[slot].tensor = tensor;
  slots[slot].version = version;
  int64_t current = slot;
  for (const Tensor &base : bases) {
    WriteBackFn writeBack = slots[current].writeBack;
    tensor = writeBack(lowering, base, tensor);
    // A view that repeats the base is made again, and so are views of that.
    if (slots[current].repeatsBase)
      for (int64_t i = slot; i != slots[current].base; i = slots[i].base)
        slots[i].version = version - 1;
    current = slots[current].base;
    slots[current].tensor = tensor;
    slots[current].version = version;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Recorded numbers
//===----------------------------------------------------------------------===//

/// A recorded expression, in the symbols that the function knows.
static llvm::Expected<Expr>
readSymInt(const SymInt &number, FunctionState &state, bool isFormal = false) {
  if (number.literal)
    return state.exprs.constant(*number.literal);
  return readSrepr(number.srepr, state.exprs,
                   [&](StringRef name, symbolic::SymbolType type) {
                     Expr known = state.lookup(name);
                     return known || !isFormal
                                ? known
                                : state.getLayoutSymbol(name, type);
                   });
}

FailureOr<Expr> Function::getRecorded(const SymInt &number, Location loc) {
  llvm::Expected<Expr> expr = readSymInt(number, state);
  if (expr)
    return *expr;
  emitError(loc) << llvm::toString(expr.takeError());
  return failure();
}

Expr Function::findRecorded(const SymInt &number, bool isFormal) {
  llvm::Expected<Expr> expr = readSymInt(number, state, isFormal);
  if (expr)
    return *expr;
  llvm::consumeError(expr.takeError());
  return Expr();
}

FailureOr<Expr> Function::getRecordedSize(const SymInt &number, Location loc) {
  FailureOr<Expr> size = getRecorded(number, loc);
  if (failed(size) || size->isInt())
    return size;
  emitError(loc) << "the size '" << number.srepr << "' is not an integer";
  return failure();
}

FailureOr<Sizes> Function::getRecordedSizes(const TensorMeta &meta,
                                            Location loc) {
  Sizes sizes;
  for (const SymInt &number : meta.sizes) {
    FailureOr<Expr> size = getRecordedSize(number, loc);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

void Function::declareSymbols(const SymInt &number, bool isSize) {
  if (number.literal)
    return;
  llvm::Expected<Expr> expr =
      readSrepr(number.srepr, state.exprs,
                [&](StringRef name, symbolic::SymbolType type) {
                  if (Expr known = state.lookup(name))
                    return known;
                  // A symbol inside a larger expression is a number, not a
                  // size.
                  bool isLone = getLoneSymbol(number.srepr).has_value();
                  return state.declareBacked(name, type, isSize && isLone);
                });
  // An error in it is reported where it is read.
  if (!expr)
    llvm::consumeError(expr.takeError());
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Returns true if an argument, or an element of a list, has this name.
static bool names(const Argument &argument, StringRef name) {
  return argument.text == name ||
         llvm::any_of(argument.list, [&](const Argument &element) {
           return names(element, name);
         });
}

bool isUnused(StringRef name, const Graph &graph) {
  auto isName = [&](const Argument &output) { return names(output, name); };
  return name.empty() ||
         (llvm::none_of(graph.outputs, isName) &&
          llvm::none_of(graph.nodes, [&](const Node &node) {
            return llvm::any_of(node.inputs, [&](const NamedArgument &input) {
              return names(input.value, name);
            });
          }));
}

bool isUnusedRandom(const Node &node, const Graph &graph) {
  StringRef target = node.target;
  bool isRandom =
      target.consume_front("aten.") &&
      llvm::is_contained({"rand", "rand_like", "randn", "randn_like", "randint",
                          "randint_like", "randperm", "bernoulli",
                          "multinomial", "normal"},
                         target.split('.').first);
  return isRandom && llvm::all_of(node.outputs, [&](const Argument &output) {
           return isUnused(output.text, graph);
         });
}

LogicalResult Function::importNodes(GraphScope &scope, ArrayRef<Node> nodes) {
  for (; !nodes.empty(); nodes = nodes.drop_front()) {
    const Node &node = nodes.front();
    // The nodes between the ends of a vmap belong together.
    if (isVmapStart(node)) {
      size_t count = countVmapNodes(nodes);
      if (failed(importVmap(*this, scope, nodes.take_front(count))))
        return failure();
      nodes = nodes.drop_front(count - 1);
      continue;
    }
    Location loc = program.getLocation(node);
    Lowering lowering(*this, scope, node, loc);
    if (const OperatorTable::LowerFn *lower =
            program.findOperator(node.target)) {
      if (failed(importCall(lowering, *lower)))
        return failure();
    } else {
      LoweringTable::Entry entry =
          LoweringTable::get(node.isOnPairs).lookup(node.target);
      if (!entry.lower && isUnusedRandom(node, scope.graph))
        continue;
      if (!entry.lower)
        return lowering.error("is not supported");
      lowering.updated = entry.updated;
      checkOverlaps(lowering);
      entry.lower(lowering);
      if (entry.copies)
        lowering.copyResults();
    }
    if (lowering.hasFailed() || failed(lowering.checkAllArgumentsRead()))
      return failure();
    for (unsigned i = 0; i < lowering.numResults(); ++i)
      if (!scope.values.contains(lowering.resultName(i)) &&
          !isUnused(lowering.resultName(i), scope.graph))
        return lowering.error("gives no result '" + lowering.resultName(i) +
                              "'");
  }
  return success();
}

FailureOr<SmallVector<Binding>> Function::getOutputs(GraphScope &scope,
                                                     Location loc) {
  SmallVector<Binding> bindings;
  for (const Argument &output : scope.graph.outputs) {
    Binding binding;
    switch (output.kind) {
    case Argument::Kind::Name: {
      auto it = scope.values.find(output.text);
      if (it == scope.values.end()) {
        emitError(loc) << "the output '" << output.text << "' is not defined";
        return failure();
      }
      binding = it->second;
      break;
    }
    case Argument::Kind::Int:
      binding.scalar = state.exprs.constant(output.integer);
      break;
    case Argument::Kind::Float:
      binding.scalar = state.exprs.floatConstant(output.real);
      break;
    case Argument::Kind::Bool:
      binding.scalar = state.exprs.boolean(output.boolean);
      break;
    default:
      break;
    }
    bindings.push_back(binding);
  }
  return bindings;
}

} // namespace tally::import_pt2
