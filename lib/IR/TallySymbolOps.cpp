//===- TallySymbolOps.cpp - Symbols, checks and constants -----------------===//

#include "Assembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Parser.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;

#define GET_OP_CLASSES
#include "tally/IR/TallyOps.cpp.inc"

bool tally::isConstantLike(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<ConstantOp>(op) || matchPattern(op, m_Constant()));
}

/// Verifies that each symbol of an expression is one of `names` or is declared
/// in the table of the function around the operation.
static LogicalResult verifySymbols(Operation *op, ExprAttr expr,
                                   ArrayAttr names) {
  llvm::StringSet<> given;
  if (names)
    for (StringAttr name : names.getAsRange<StringAttr>())
      if (!given.insert(name.getValue()).second)
        return op->emitOpError() << "gives '" << name.getValue() << "' twice";
  SymbolsAttr table = SymbolsAttr::getEnclosing(op);
  symbolic::ExprContext context;
  symbolic::ParseResult parsed = symbolic::parseExpr(
      expr.getText(), context, symbolic::SymbolPolicy::DeclareInt);
  if (!parsed)
    return op->emitOpError() << parsed.errorMessage;
  for (symbolic::Expr symbol : context.getSymbols()) {
    StringRef name = symbol.getName();
    if (given.contains(name) || (table && table.lookup(name)))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "mentions unknown symbol '" << name << "'";
    if (!table)
      return diagnostic << ": the function has no 'tally.symbols' table";
    diagnostic << "; declared are";
    llvm::interleaveComma(table.getSymbols(), diagnostic,
                          [&](SymbolDeclAttr decl) {
                            diagnostic << " '" << decl.getName() << "'";
                          });
    return diagnostic;
  }
  return success();
}

/// The type of an expression, or nothing if it does not parse.
static std::optional<symbolic::SymbolType> getExprType(Operation *op,
                                                       ExprAttr expr) {
  symbolic::ExprContext context;
  if (SymbolsAttr table = SymbolsAttr::getEnclosing(op))
    for (SymbolDeclAttr symbol : table.getSymbols())
      context.symbol(symbol.getName(),
                     static_cast<symbolic::SymbolType>(
                         symbol.getType() == SymbolType::Int    ? 0
                         : symbol.getType() == SymbolType::Bool ? 1
                                                                : 2));
  symbolic::ParseResult parsed = symbolic::parseExpr(
      expr.getText(), context, symbolic::SymbolPolicy::DeclareInt);
  if (!parsed)
    return std::nullopt;
  return parsed.expr.getType();
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
  if (getLower() && getUpper() && *getLower() > *getUpper())
    return emitOpError() << "has an empty range: [" << *getLower() << ", "
                         << *getUpper() << "]";
  if (getDivisor() < 1)
    return emitOpError() << "needs a divisor of at least 1, not "
                         << getDivisor();
  bool hasFacts = getLower() || getUpper() || getDivisor() != 1;
  if (hasFacts && isa<FloatType>(getResult().getType()))
    return emitOpError("declares a range of a float");
  return success();
}

//===----------------------------------------------------------------------===//
// SizeOp
//===----------------------------------------------------------------------===//

LogicalResult SizeOp::verify() {
  if (failed(verifySymbols(*this, getExpr(), /*names=*/{})))
    return failure();
  std::optional<symbolic::SymbolType> type = getExprType(*this, getExpr());
  Type resultType = getResult().getType();
  bool fits = type == symbolic::SymbolType::Bool ? resultType.isInteger(1)
              : type == symbolic::SymbolType::Float
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

/// What both statements verify.
template <typename OpT>
static LogicalResult verifyStatement(OpT op) {
  if (op.getNames().size() != op.getValues().size())
    return op.emitOpError() << "has " << op.getNames().size() << " names for "
                            << op.getValues().size() << " values";
  if (failed(verifySymbols(op, op.getCondition(), op.getNames())))
    return failure();
  if (getExprType(op, op.getCondition()) == symbolic::SymbolType::Int &&
      !op.getCondition().getText().empty() &&
      !symbolic::isValidSymbolName(op.getCondition().getText()))
    return op.emitOpError() << "needs a condition, not the number '"
                            << op.getCondition().getText() << "'";
  return success();
}

/// What both statements build.
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
  return success();
}
