//===- TallySymbolOps.cpp - Symbols, checks and constants -----------------===//

#include "Assembly.h"
#include "DiscardableAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Expr/SymbolNames.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;

#define GET_OP_CLASSES
#include "tally/IR/TallyOps.cpp.inc"

bool tally::isConstantLike(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<ConstantOp>(op) || matchPattern(op, m_Constant()));
}

symbolic::SymbolType tally::getEngineType(SymbolType type) {
  switch (type) {
  case SymbolType::Int:
    return symbolic::SymbolType::Int;
  case SymbolType::Float:
    return symbolic::SymbolType::Float;
  case SymbolType::Bool:
    return symbolic::SymbolType::Bool;
  }
  llvm_unreachable("unknown type of a symbol");
}

symbolic::SymbolType tally::getSymbolType(Type type) {
  if (type.isInteger(1))
    return symbolic::SymbolType::Bool;
  return isa<FloatType>(type) ? symbolic::SymbolType::Float
                              : symbolic::SymbolType::Int;
}

namespace {
/// An expression, read where an operation stands.
struct ScopedExpr {
  symbolic::ExprContext context;
  symbolic::ParseResult parsed;
  /// Names that the operation gives no value for and that no table declares, in
  /// order of appearance.
  llvm::SetVector<StringRef> unknown;

  /// A name is one of `names`, with the type of its value, or is declared in
  /// the table of the function around the operation.
  ScopedExpr(Operation *op, ExprAttr expr, ValueRange values, ArrayAttr names) {
    SymbolsAttr table = SymbolsAttr::getEnclosing(op);
    parsed = symbolic::parseExpr(expr.getText(), context, [&](StringRef name) {
      for (auto [known, value] : llvm::zip(names, values))
        if (cast<StringAttr>(known).getValue() == name)
          return context.symbol(name, getSymbolType(value.getType()));
      SymbolDeclAttr symbol = table ? table.lookup(name) : SymbolDeclAttr();
      if (symbol)
        return context.symbol(name, getEngineType(symbol.getType()));
      unknown.insert(name);
      return context.symbol(name);
    });
  }
};
} // namespace

/// The names in the text that the operation gives no value for.
static SmallVector<std::string> findFreeNames(ExprAttr expr, ArrayAttr given) {
  SmallVector<std::string> free;
  for (StringRef name : symbolic::findSymbolNames(expr.getText()))
    if (llvm::none_of(given.getAsRange<StringAttr>(), [&](StringAttr known) {
          return known.getValue() == name;
        }))
      free.push_back(name.str());
  return free;
}

SmallVector<std::string> tally::getMentionedNames(Operation *op) {
  if (auto size = dyn_cast<SizeOp>(op))
    return findFreeNames(size.getExpr(), ArrayAttr::get(op->getContext(), {}));
  if (auto check = dyn_cast<CheckOp>(op))
    return findFreeNames(check.getCondition(), check.getNames());
  if (auto assume = dyn_cast<AssumeOp>(op))
    return findFreeNames(assume.getCondition(), assume.getNames());
  return {};
}

std::string tally::getMentionedName(Operation *op) {
  if (auto binding = dyn_cast<UnbackedBindingOpInterface>(op))
    if (BindingsAttr bindings = binding.getSymbolBindings();
        bindings && !bindings.getBindings().empty())
      return bindings.getBindings().front().getSymbol().str();
  SmallVector<std::string> names = getMentionedNames(op);
  return names.empty() ? "" : names.front();
}

/// Verifies that the expression has a meaning where the operation stands, and
/// returns its type.
static FailureOr<symbolic::SymbolType>
verifyExpr(Operation *op, ExprAttr expr, ValueRange values, ArrayAttr names) {
  llvm::StringSet<> given;
  for (StringAttr name : names.getAsRange<StringAttr>())
    if (!given.insert(name.getValue()).second)
      return op->emitOpError() << "gives '" << name.getValue() << "' twice";
  ScopedExpr scoped(op, expr, values, names);
  if (!scoped.unknown.empty()) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "mentions unknown symbol '"
                                    << scoped.unknown.front() << "'";
    tally::detail::describeDeclared(diagnostic, SymbolsAttr::getEnclosing(op));
    return diagnostic;
  }
  if (!scoped.parsed)
    return op->emitOpError() << "in expression '" << expr.getText()
                             << "': " << scoped.parsed.errorMessage;
  return scoped.parsed.expr.getType();
}

//===----------------------------------------------------------------------===//
// SymbolOp
//===----------------------------------------------------------------------===//

Speculation::Speculatability SymbolOp::getSpeculatability() {
  bool hasFacts = getLower() || getUpper() || getDivisor() != 1;
  return hasFacts ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

void SymbolOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

LogicalResult SymbolOp::verify() {
  if (!symbolic::isValidSymbolName(getName()))
    return emitOpError() << "'" << getName() << "' cannot name a symbol";
  // The attributes hold signed numbers; their getters give the bits.
  std::optional<int64_t> lower = getLower(), upper = getUpper();
  if (lower && upper && *lower > *upper)
    return emitOpError() << "has an empty range: [" << *lower << ", " << *upper
                         << "]";
  auto divisor = static_cast<int64_t>(getDivisor());
  if (divisor < 1)
    return emitOpError() << "needs a divisor of at least 1, not " << divisor;
  bool hasFacts = lower || upper || divisor != 1;
  if (hasFacts && isa<FloatType>(getResult().getType()))
    return emitOpError("declares a range of a float");
  return success();
}

//===----------------------------------------------------------------------===//
// SpeculationBarrierOp
//===----------------------------------------------------------------------===//

Speculation::Speculatability SpeculationBarrierOp::getSpeculatability() {
  return Speculation::NotSpeculatable;
}

//===----------------------------------------------------------------------===//
// SizeOp
//===----------------------------------------------------------------------===//

LogicalResult SizeOp::verify() {
  FailureOr<symbolic::SymbolType> type = verifyExpr(
      *this, getExpr(), /*values=*/{}, ArrayAttr::get(getContext(), {}));
  if (failed(type))
    return failure();
  Type resultType = getResult().getType();
  bool fits = *type == symbolic::SymbolType::Bool ? resultType.isInteger(1)
              : *type == symbolic::SymbolType::Float
                  ? isa<FloatType>(resultType)
                  : isa<IndexType, IntegerType>(resultType);
  if (!fits)
    return emitOpError() << "cannot give the value of '" << getExpr().getText()
                         << "' as " << resultType;
  return success();
}

//===----------------------------------------------------------------------===//
// CheckOp, AssumeOp
//===----------------------------------------------------------------------===//

/// Verifies the part that both statements share.
template <typename OpT>
static LogicalResult verifyStatement(OpT op) {
  if (op.getNames().size() != op.getValues().size())
    return op.emitOpError() << "has " << op.getNames().size() << " names for "
                            << op.getValues().size() << " values";
  FailureOr<symbolic::SymbolType> type =
      verifyExpr(op, op.getCondition(), op.getValues(), op.getNames());
  if (failed(type))
    return failure();
  if (*type != symbolic::SymbolType::Bool)
    return op.emitOpError() << "needs a condition, not the number '"
                            << op.getCondition().getText() << "'";
  return success();
}

/// Builds the part that both statements share.
static void buildStatement(OpBuilder &builder, OperationState &state,
                           ExprAttr condition, ValueRange values,
                           ArrayRef<StringRef> names, StringAttr message) {
  state.addOperands(values);
  state.addAttribute("condition", condition);
  state.addAttribute("names", builder.getStrArrayAttr(names));
  if (message)
    state.addAttribute("message", message);
}

LogicalResult CheckOp::verify() { return verifyStatement(*this); }

void CheckOp::build(OpBuilder &builder, OperationState &state,
                    ExprAttr condition, StringAttr message) {
  buildStatement(builder, state, condition, {}, {}, message);
}

void CheckOp::build(OpBuilder &builder, OperationState &state,
                    ExprAttr condition, ValueRange values,
                    ArrayRef<StringRef> names) {
  buildStatement(builder, state, condition, values, names, {});
}

LogicalResult AssumeOp::verify() { return verifyStatement(*this); }

void AssumeOp::build(OpBuilder &builder, OperationState &state,
                     ExprAttr condition, StringAttr message) {
  buildStatement(builder, state, condition, {}, {}, message);
}

void AssumeOp::build(OpBuilder &builder, OperationState &state,
                     ExprAttr condition, ValueRange values,
                     ArrayRef<StringRef> names) {
  buildStatement(builder, state, condition, values, names, {});
}

//===----------------------------------------------------------------------===//
// AssertOp
//===----------------------------------------------------------------------===//

void AssertOp::build(OpBuilder &builder, OperationState &state, Value condition,
                     StringRef message, ValueRange guarded) {
  build(builder, state, guarded.getTypes(), condition, ExprAttr(),
        /*values=*/ValueRange{}, builder.getStrArrayAttr({}),
        builder.getStringAttr(message), /*required_by=*/StringAttr(),
        /*declared_by=*/StringAttr(), /*sources=*/DictionaryAttr(), guarded);
}

LogicalResult AssertOp::verify() {
  if (!getExpr() && !getMessage())
    return emitOpError("needs an expression or a message to report");
  if (getNames().size() != getValues().size())
    return emitOpError() << "has " << getNames().size() << " names for "
                         << getValues().size() << " values";
  if (getGuarded().getTypes() != getResultTypes())
    return emitOpError("returns other types than it guards");
  if (std::optional<DictionaryAttr> sources = getSources())
    for (NamedAttribute source : *sources)
      if (!isa<StringAttr>(source.getValue()))
        return emitOpError() << "needs a string as the source of '"
                             << source.getName().getValue() << "'";
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "the condition is not known to hold");
  rewriter.replaceOp(op, op.getGuarded());
  return success();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

void tally::ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}

LogicalResult tally::ConstantOp::verify() {
  if (static_cast<int64_t>(getOffset()) < 0)
    return emitOpError("needs an offset of at least 0");
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.getElementType().isIntOrFloat())
    return emitOpError() << "cannot hold elements of type "
                         << type.getElementType();
  std::optional<ArrayRef<int64_t>> range = getRange();
  if (!range)
    return success();
  if (range->size() != 2 || range->front() > range->back())
    return emitOpError("needs a range of two numbers, the least and the "
                       "greatest element");
  if (!type.getElementType().isInteger() || type.getElementTypeBitWidth() > 64)
    return emitOpError() << "has a range, but elements of type "
                         << type.getElementType()
                         << ": only integers of at most 64 bits have one";
  return success();
}
