//===- BindMentions.cpp - Names that operations make and mention ----------===//
//
// The second half of tally-bind-symbols: symbols are read where operations make
// them, and everything that mentions a name uses its value.
//
//===----------------------------------------------------------------------===//

#include "SymbolBinder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Operators.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"
#include "tally/Transforms/ExprLowering.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;

//===----------------------------------------------------------------------===//
// Unbacked symbols
//===----------------------------------------------------------------------===//

/// The value at the end of a key path, divided by its factor, after a check
/// that the factor divides it.
Value SymbolBinder::readKeyPath(Operation *op, BindingAttr binding) {
  Value result = op->getResult(binding.getResult());
  symbolic::SymbolType type =
      getEngineType(lookupDeclared(binding.getSymbol()).getType());
  Value value;
  switch (binding.getKind()) {
  case KeyPathKind::Value:
    value = toSymbolType(result, type);
    break;
  case KeyPathKind::Size:
    value = tensor::DimOp::create(builder, loc, result, binding.getDim());
    break;
  case KeyPathKind::StorageOffset:
    value = arith::ConstantIndexOp::create(builder, loc, 0);
    break;
  case KeyPathKind::Stride: {
    // Results are contiguous.
    auto tensor = cast<RankedTensorType>(result.getType());
    value = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t dim = binding.getDim() + 1; dim < tensor.getRank(); ++dim)
      value = arith::MulIOp::create(
          builder, loc, value,
          tensor::DimOp::create(builder, loc, result, dim).getResult());
    break;
  }
  }
  if (binding.getDivisor() == 1)
    return value;
  Expr raw = context.anonymous("d"),
       factor = context.constant(binding.getDivisor());
  facts.setRange(raw, Interval::of(std::numeric_limits<int64_t>::min(),
                                   std::numeric_limits<int64_t>::max()));
  values[raw] = value;
  emitCheck(context.eq(context.mod(raw, factor), context.zero()),
            {{raw, value}}, /*declaredBy=*/{}, getOperatorName(op));
  ExprLowering lowering(builder, loc, facts, [&](Expr s) { return lookup(s); });
  return lowering.build(context.floorDiv(raw, factor));
}

LogicalResult SymbolBinder::bindUnbacked(UnbackedBindingOpInterface op) {
  BindingsAttr bindings = op.getSymbolBindings();
  if (!bindings)
    return success();
  builder.setInsertionPointAfter(op);
  loc = op.getLoc();
  for (BindingAttr binding : bindings.getBindings()) {
    Expr symbol = context.lookup(binding.getSymbol());
    if (Operation *definition = definitions.lookup(symbol)) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "binds symbol '" << binding.getSymbol()
                                      << "', which is bound already";
      diagnostic.attachNote(definition->getLoc()) << "first bound here";
      return diagnostic;
    }
    Value value = readKeyPath(op, binding);
    define(symbol, value, describeKeyPath(op, binding), /*declaredBy=*/{},
           /*isSize=*/binding.getKind() == KeyPathKind::Size);
  }
  op.setSymbolBindings({});
  return success();
}

/// The names that operations of the function mention.
llvm::StringSet<> SymbolBinder::collectMentionedNames() {
  llvm::StringSet<> mentioned;
  function.walk([&](Operation *op) {
    for (const std::string &name : getMentionedNames(op))
      mentioned.insert(name);
  });
  return mentioned;
}

/// Every unbacked name that something mentions must have been defined.
LogicalResult SymbolBinder::checkAllBound() {
  SmallVector<StringRef> unknown;
  for (SymbolDeclAttr decl : table.getSymbols())
    if (isUnknown(context.lookup(decl.getName())))
      unknown.push_back(decl.getName());
  if (unknown.empty())
    return success();
  llvm::StringSet<> mentioned = collectMentionedNames();
  for (StringRef name : unknown)
    if (mentioned.contains(name))
      return function.emitError() << "symbol '" << name
                                  << "' is unbacked, but no operation binds it";
  return success();
}

//===----------------------------------------------------------------------===//
// Operations that mention names
//===----------------------------------------------------------------------===//

/// Rewrites what mentions names, in program order: what the statements before
/// it in its block, and around it, state will have been proven or asserted by
/// then.
LogicalResult SymbolBinder::rewriteRegion(Region &region) {
  for (Block &block : region) {
    symbolic::Facts::Scope scope(facts);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(rewriteOperation(&op)))
        return failure();
  }
  return success();
}

LogicalResult SymbolBinder::rewriteOperation(Operation *op) {
  if (auto size = dyn_cast<SizeOp>(op))
    return rewrite(size);
  if (auto check = dyn_cast<CheckOp>(op))
    return rewriteStatement(check);
  if (auto assume = dyn_cast<AssumeOp>(op))
    return rewriteStatement(assume);
  for (Region &region : op->getRegions())
    if (failed(rewriteRegion(region)))
      return failure();
  return success();
}

/// A symbol may be mentioned only after its definition.
LogicalResult SymbolBinder::requireDominance(Operation *user, Expr symbol) {
  Operation *definition = definitions.lookup(symbol);
  if (!definition || dominance.properlyDominates(definition, user))
    return success();
  InFlightDiagnostic diagnostic = user->emitOpError()
                                  << "mentions symbol '" << symbol.getName()
                                  << "' where it may not have been defined";
  diagnostic.attachNote(definition->getLoc()) << "it is defined here";
  return diagnostic;
}

/// Checks that no divisor is 0 in the parts of an expression that are always
/// evaluated, as far as that is not known.
void SymbolBinder::requireDivisors(Expr expr) {
  using symbolic::ExprKind;
  ExprKind kind = expr.getKind();
  if (kind == ExprKind::Select || kind == ExprKind::And ||
      kind == ExprKind::Or || kind == ExprKind::Residue)
    return;
  for (Expr operand : expr.getOperands())
    requireDivisors(operand);
  if (kind != ExprKind::FloorDiv && kind != ExprKind::Mod)
    return;
  Expr isNonzero = context.ne(expr.getOperand(1), context.zero());
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  if (symbolic::Prover(facts, budget).isProven(isNonzero))
    return;
  emitCheck(isNonzero, {}, {}, reader, /*isAssumed=*/false,
            "a division by zero");
  facts.add(isNonzero);
}

/// Checks that a number has a value, as far as that is not known.
void SymbolBinder::requireDefined(Expr expr) {
  if (facts.isDefined(expr))
    return;
  requireDivisors(expr);
  if (facts.isDefined(expr))
    return;
  Expr isDefined = context.eq(context.residue(expr), context.zero());
  emitCheck(isDefined, {}, {}, reader, /*isAssumed=*/false,
            "the number is undefined");
  facts.add(isDefined);
}

/// Checks that a size has 64 bits, as far as that is not known.
void SymbolBinder::requireFits(Expr expr, StringRef declaredBy) {
  auto require = [&](Expr limit) {
    symbolic::ProverBudget budget;
    budget.strongest = symbolic::Rung::Facts;
    if (symbolic::Prover(facts, budget).isProven(limit))
      return;
    emitCheck(limit, {}, declaredBy,
              /*requiredBy=*/declaredBy.empty() ? reader : "",
              /*isAssumed=*/false, "the number does not fit 64 bits");
    facts.add(limit);
  };
  using Limits = std::numeric_limits<int64_t>;
  require(context.le(expr, context.constant(Limits::max())));
  require(context.ge(expr, context.constant(Limits::min())));
}

LogicalResult SymbolBinder::rewrite(SizeOp size) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      size.getExpr().getText(), context, symbolic::SymbolPolicy::MustExist);
  if (!parsed)
    return size.emitOpError() << parsed.errorMessage;
  Expr expr = parsed.expr;
  if (Expr part = ExprLowering::findUnsupported(expr))
    return size.emitOpError()
           << "cannot compute '" << part.str() << "' at run time";
  for (Expr symbol : context.freeSymbols(expr))
    if (failed(requireDominance(size, symbol)))
      return failure();
  builder.setInsertionPoint(size);
  loc = size.getLoc();
  llvm::SaveAndRestore<StringRef> reads(reader, getOperatorName(size));
  // Whether there is a value comes before how large it is.
  requireDefined(expr);
  if (expr.isInt())
    requireFits(expr);
  ExprLowering lowering(builder, loc, facts, [&](Expr s) { return lookup(s); });
  Value value = lowering.build(expr);
  Type type = size.getResult().getType();
  if (auto integer = dyn_cast<IntegerType>(type); integer && expr.isInt())
    value = arith::IndexCastOp::create(builder, loc, integer, value);
  else if (isa<FloatType>(type) && !type.isF64())
    value = arith::TruncFOp::create(builder, loc, type, value);
  size.replaceAllUsesWith(value);
  size.erase();
  return success();
}

/// Gives a statement the values of the names that it mentions. One that
/// mentions nothing else is a fact from here on.
template <typename OpT>
LogicalResult SymbolBinder::rewriteStatement(OpT statement) {
  SmallVector<Attribute> names(statement.getNames().begin(),
                               statement.getNames().end());
  SmallVector<Value> operands(statement.getValues());
  for (const std::string &name : getMentionedNames(statement)) {
    Expr symbol = context.lookup(name);
    if (failed(requireDominance(statement, symbol)))
      return failure();
    names.push_back(StringAttr::get(statement.getContext(), name));
    operands.push_back(lookup(symbol));
  }
  if (statement.getNames().empty())
    facts.add(symbolic::parseExpr(statement.getCondition().getText(), context,
                                  symbolic::SymbolPolicy::MustExist)
                  .expr);
  statement->setOperands(operands);
  statement.setNamesAttr(ArrayAttr::get(statement.getContext(), names));
  return success();
}
