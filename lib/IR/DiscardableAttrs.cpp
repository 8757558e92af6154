//===- DiscardableAttrs.cpp - Attributes on operations of others ----------===//
//
// The operations on which each discardable attribute of the dialect may stand,
// and the values that it may have. The table is in the description of the
// dialect.
//
//===----------------------------------------------------------------------===//

#include "DiscardableAttrs.h"

#include "tally/IR/ContractLoops.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tally;

namespace {
/// One attribute of an operation, and what is wrong with it.
struct Checked {
  Operation *op;
  NamedAttribute attr;

  InFlightDiagnostic emitError() const {
    return op->emitError() << "'" << attr.getName().getValue() << "' ";
  }

  LogicalResult expectUnit() const {
    if (isa<UnitAttr>(attr.getValue()))
      return success();
    return emitError() << "must be a unit attribute, not " << attr.getValue();
  }

  LogicalResult expectOn(bool isThere, const Twine &place) const {
    if (isThere)
      return success();
    return emitError() << "belongs on " << place;
  }
};
} // namespace

static LogicalResult verifySymbols(const Checked &checked) {
  if (failed(
          checked.expectOn(isa<FunctionOpInterface>(checked.op), "a function")))
    return failure();
  if (!isa<SymbolsAttr>(checked.attr.getValue()))
    return checked.emitError() << "must be a #tally.symbols";
  return success();
}

static LogicalResult verifyCheckedByCallers(const Checked &checked) {
  auto symbol = dyn_cast<SymbolOpInterface>(checked.op);
  if (failed(checked.expectOn(isa<FunctionOpInterface>(checked.op) && symbol &&
                                  !symbol.isPublic(),
                              "a private function: anybody may call another")))
    return failure();
  return checked.expectUnit();
}

/// The types of a function's state, in order.
static SmallVector<Type> getStateTypes(FunctionOpInterface function) {
  SmallVector<Type> types;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (function.getArgAttr(index, attr_names::kState))
      types.push_back(type);
  return types;
}

/// The function that is named takes nothing and returns the state's values.
static LogicalResult verifyInitialState(const Checked &checked) {
  auto isPublic = [](FunctionOpInterface function) {
    auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
    return symbol && symbol.isPublic() && !function.isExternal();
  };
  auto function = dyn_cast<FunctionOpInterface>(checked.op);
  if (failed(checked.expectOn(function && isPublic(function),
                              "a public function: who calls another one "
                              "passes its state")))
    return failure();
  auto name = dyn_cast<FlatSymbolRefAttr>(checked.attr.getValue());
  if (!name)
    return checked.emitError()
           << "must be a symbol, not " << checked.attr.getValue();
  auto initial =
      SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(function, name);
  if (!initial || !isPublic(initial) || initial.getNumArguments() != 0)
    return checked.emitError()
           << "must be a public function without arguments, which " << name
           << " is not";
  SmallVector<Type> types = getStateTypes(function);
  if (types.empty())
    return checked.emitError() << "is of no use: no argument has 'tally.state'";
  if (initial.getResultTypes() == ArrayRef(types))
    return success();
  InFlightDiagnostic diagnostic = checked.emitError() << "must return ";
  llvm::interleaveComma(types, diagnostic);
  diagnostic << ", as the state is, and " << name << " returns ";
  llvm::interleaveComma(initial.getResultTypes(), diagnostic);
  return diagnostic;
}

/// The details of the entry are checked where it is read.
static LogicalResult verifyEntry(const Checked &checked) {
  if (failed(
          checked.expectOn(isa<FunctionOpInterface>(checked.op), "a function")))
    return failure();
  if (!isa<DictionaryAttr>(checked.attr.getValue()))
    return checked.emitError()
           << "must be a dictionary, as tally-describe-entries makes it";
  return success();
}

static LogicalResult verifyStatus(const Checked &checked) {
  if (failed(checked.expectOn(
          isa<FunctionOpInterface, CallOpInterface>(checked.op),
          "a function or a call")))
    return failure();
  return checked.expectUnit();
}

static LogicalResult verifyCustom(const Checked &checked) {
  auto function = dyn_cast<FunctionOpInterface>(checked.op);
  if (failed(checked.expectOn(function && function.isExternal(),
                              "the declaration of a function")))
    return failure();
  return checked.expectUnit();
}

/// The kernel verifies the meaning of the numbers.
static LogicalResult verifyDims(const Checked &checked) {
  if (failed(
          checked.expectOn(isa_and_nonnull<KernelOp>(checked.op->getParentOp()),
                           "an operation in the body of a tally.kernel")))
    return failure();
  auto dims = dyn_cast<DenseI64ArrayAttr>(checked.attr.getValue());
  if (!dims)
    return checked.emitError()
           << "must be an array of i64, not " << checked.attr.getValue();
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims.asArrayRef())
    if (!seen.insert(dim).second)
      return checked.emitError()
             << "has dimension " << dim
             << " twice; each loop runs over one of its own";
  auto loops = checked.op->getAttrOfType<ArrayAttr>("iterator_types");
  if (loops && loops.size() != static_cast<size_t>(dims.size()))
    return checked.emitError() << "has " << dims.size() << " dimensions for "
                               << loops.size() << " loops";
  return success();
}

static LogicalResult verifyIndependent(const Checked &checked) {
  if (failed(checked.expectOn(
          isa<LoopLikeOpInterface, BranchOpInterface>(checked.op),
          "a loop, or on the branch that repeats it")))
    return failure();
  Attribute value = checked.attr.getValue();
  if (value.getAbstractAttribute().getName() != "llvm.loop_annotation")
    return checked.emitError()
           << "must be a #llvm.loop_annotation, not " << value;
  return success();
}

static LogicalResult verifyPoints(const Checked &checked) {
  if (failed(checked.expectOn(isa<LoopLikeOpInterface>(checked.op), "a loop")))
    return failure();
  auto points = dyn_cast<IntegerAttr>(checked.attr.getValue());
  if (!points || points.getValue().getSExtValue() < 1)
    return checked.emitError()
           << "must be a positive integer, not " << checked.attr.getValue();
  return success();
}

static LogicalResult verifyFallbacks(const Checked &checked) {
  if (failed(checked.expectOn(isa<ContractOp>(checked.op), "a tally.contract")))
    return failure();
  auto kernels = dyn_cast<ArrayAttr>(checked.attr.getValue());
  if (!kernels || kernels.empty() || kernels.size() > 2 ||
      !llvm::all_of(kernels, llvm::IsaPred<SymbolRefAttr>))
    return checked.emitError()
           << "must be one or two symbols, not " << checked.attr.getValue();
  return success();
}

static LogicalResult verifyUnit(const Checked &checked) {
  return checked.expectUnit();
}

namespace {
struct Rule {
  StringRef name;
  LogicalResult (*verify)(const Checked &);
};
} // namespace

static ArrayRef<Rule> getRules() {
  static const Rule rules[] = {
      {SymbolsAttr::attrName, verifySymbols},
      {attr_names::kChecked, verifyUnit},
      {attr_names::kUnchecked, verifyUnit},
      {attr_names::kCheckedByCallers, verifyCheckedByCallers},
      {attr_names::kEntry, verifyEntry},
      {attr_names::kInitialState, verifyInitialState},
      {attr_names::kStatus, verifyStatus},
      {attr_names::kCustom, verifyCustom},
      {attr_names::kDims, verifyDims},
      {kFallbacksAttr, verifyFallbacks},
      {attr_names::kIndependent, verifyIndependent},
      {attr_names::kPoints, verifyPoints},
  };
  return rules;
}

LogicalResult tally::detail::verifyIsKnown(Operation *op, StringRef name,
                                           ArrayRef<StringRef> known,
                                           const Twine &where) {
  if (llvm::is_contained(known, name))
    return success();
  InFlightDiagnostic diagnostic = op->emitError() << "unknown attribute '"
                                                  << name << "' on " << where;
  constexpr unsigned maxTypos = 2;
  StringRef nearest = *llvm::min_element(known, [&](StringRef a, StringRef b) {
    return name.edit_distance(a) < name.edit_distance(b);
  });
  if (name.edit_distance(nearest) <= maxTypos)
    return diagnostic << "; did you mean '" << nearest << "'?";
  diagnostic << "; there are ";
  llvm::interleave(
      known, [&](StringRef each) { diagnostic << "'" << each << "'"; },
      [&] { diagnostic << ", "; });
  return diagnostic;
}

LogicalResult tally::detail::verifyDiscardableAttr(Operation *op,
                                                   NamedAttribute attr) {
  SmallVector<StringRef> known;
  for (const Rule &rule : getRules()) {
    if (rule.name == attr.getName().getValue())
      return rule.verify({op, attr});
    known.push_back(rule.name);
  }
  return verifyIsKnown(op, attr.getName(), known, "an operation");
}

void tally::detail::describeDeclared(InFlightDiagnostic &diagnostic,
                                     SymbolsAttr table) {
  if (!table) {
    diagnostic << ": the function has no 'tally.symbols' table";
    return;
  }
  if (table.getSymbols().empty())
    return;
  diagnostic << "; declared are ";
  llvm::interleaveComma(table.getSymbols(), diagnostic,
                        [&](SymbolDeclAttr symbol) {
                          diagnostic << "'" << symbol.getName() << "'";
                        });
}
