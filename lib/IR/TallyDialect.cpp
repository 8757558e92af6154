//===- TallyDialect.cpp - The tally dialect -------------------------------===//

#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tally/Symbolic/Parser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tally;

#include "tally/IR/TallyDialect.cpp.inc"

#include "tally/IR/TallyInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

namespace {
/// Names belong to the table of a function: what mentions one stays in it until
/// it has been bound.
struct TallyInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    return !callable->hasAttr("no_inline");
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const final {
    return getMentionedName(op).empty();
  }
};
} // namespace

void TallyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tally/IR/TallyOps.cpp.inc"
      >();
  addInterfaces<TallyInlinerInterface>();
}

Operation *TallyDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Attributes of functions, arguments and results
//===----------------------------------------------------------------------===//

/// Verifies that the names in an expression are in the table.
static LogicalResult verifyNames(FunctionOpInterface function, ExprAttr expr,
                                 const Twine &where) {
  SymbolsAttr table = SymbolsAttr::get(function);
  symbolic::ExprContext context;
  symbolic::ParseResult parsed = symbolic::parseExpr(
      expr.getText(), context, symbolic::SymbolPolicy::DeclareInt);
  for (symbolic::Expr symbol : context.getSymbols()) {
    if (table && table.lookup(symbol.getName()))
      continue;
    InFlightDiagnostic diagnostic = function.emitError()
                                    << "unknown symbol '" << symbol.getName()
                                    << "' in " << where;
    if (!table)
      diagnostic << ": the function has no 'tally.symbols' table";
    return diagnostic;
  }
  return success(static_cast<bool>(parsed));
}

/// Verifies a `tally.shape` against the type it describes.
static LogicalResult verifyShape(FunctionOpInterface function, Attribute attr,
                                 Type type, const Twine &where) {
  auto shape = dyn_cast<ShapeAttr>(attr);
  if (!shape)
    return function.emitError()
           << "'tally.shape' of " << where << " must be a #tally.shape";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return function.emitError() << "'tally.shape' of " << where
                                << " needs a ranked tensor, not " << type;
  int64_t rank = tensor.getRank();
  if (rank != static_cast<int64_t>(shape.getSizes().size()))
    return function.emitError()
           << "'tally.shape' of " << where << " has " << shape.getSizes().size()
           << " sizes for a tensor of rank " << rank;
  for (ExprAttr size : shape.getSizes())
    if (failed(verifyNames(function, size, where)))
      return failure();
  return success();
}

/// Refuses an attribute of the dialect that nobody would read.
static LogicalResult verifyIsKnown(Operation *op, StringRef name,
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

LogicalResult TallyDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  using namespace attr_names;
  if (failed(verifyIsKnown(op, attr.getName(),
                           {SymbolsAttr::attrName, kChecked, kUnchecked, kEntry,
                            kStatus, kRuntime, kDims},
                           "an operation")))
    return failure();
  if (attr.getName() != SymbolsAttr::attrName)
    return success();
  if (!isa<FunctionOpInterface>(op))
    return op->emitError("'tally.symbols' belongs on a function");
  if (!isa<SymbolsAttr>(attr.getValue()))
    return op->emitError("'tally.symbols' must be a #tally.symbols");
  return success();
}

LogicalResult TallyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumArguments())
    return success();
  Type type = function.getArgumentTypes()[index];
  std::string where = "argument " + std::to_string(index);
  using namespace attr_names;
  if (failed(verifyIsKnown(op, attr.getName(),
                           {kShape, kValue, kName, kUnsigned}, where)))
    return failure();
  if (attr.getName() == attr_names::kShape)
    return verifyShape(function, attr.getValue(), type, where);
  if (attr.getName() == attr_names::kValue) {
    auto expr = dyn_cast<ExprAttr>(attr.getValue());
    if (!expr || !type.isIntOrIndexOrFloat())
      return op->emitError() << "'tally.value' of " << where
                             << " must be a #tally.expr on a scalar";
    return verifyNames(function, expr, where);
  }
  if (attr.getName() == attr_names::kName && !isa<StringAttr>(attr.getValue()))
    return op->emitError() << "'tally.name' of " << where
                           << " must be a string";
  return success();
}

LogicalResult TallyDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumResults())
    return success();
  Type type = function.getResultTypes()[index];
  std::string where = "result " + std::to_string(index);
  using namespace attr_names;
  if (failed(verifyIsKnown(op, attr.getName(),
                           {kShape, kName, kUnsigned, kMutates}, where)))
    return failure();
  if (attr.getName() == attr_names::kShape)
    return verifyShape(function, attr.getValue(), type, where);
  if (attr.getName() != attr_names::kMutates)
    return success();
  auto argument = dyn_cast<IntegerAttr>(attr.getValue());
  if (!argument || argument.getInt() < 0 ||
      argument.getInt() >= static_cast<int64_t>(function.getNumArguments()))
    return op->emitError() << "'tally.mutates' of " << where
                           << " must be the number of an argument";
  if (function.getArgumentTypes()[argument.getInt()] != type)
    return op->emitError() << "'tally.mutates' of " << where << ": argument "
                           << argument.getInt() << " has another type";
  return success();
}
