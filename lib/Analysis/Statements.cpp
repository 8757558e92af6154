//===- Statements.cpp - Expressions in the IR and out of it ---------------===//

#include "ShapesImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Symbolic/Text/Parser.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Expr SymbolicShapes::parse(ExprAttr expr, ArrayRef<StringRef> names,
                           ValueRange values) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      expr.getText(), impl->context, [&](StringRef name) -> Expr {
        const auto *found = llvm::find(names, name);
        if (found != names.end() &&
            static_cast<size_t>(found - names.begin()) < values.size())
          return getValue(values[found - names.begin()]);
        return impl->named ? impl->context.lookup(name) : Expr();
      });
  return parsed.expr;
}

Expr SymbolicShapes::getCondition(Operation *statement) {
  if (auto known = impl->conditions.find(statement);
      known != impl->conditions.end())
    return known->second;
  return impl->readCondition(statement);
}

Expr SymbolicShapes::Impl::readCondition(Operation *statement) {
  auto read = [&](auto op) -> Expr {
    auto names =
        llvm::map_to_vector(op.getNames().template getAsRange<StringAttr>(),
                            [](StringAttr name) { return name.getValue(); });
    Expr condition = shapes.parse(op.getCondition(), names, op.getValues());
    return condition ? shorten(condition, op) : condition;
  };
  if (auto check = dyn_cast<CheckOp>(statement))
    return read(check);
  if (auto assume = dyn_cast<AssumeOp>(statement))
    return read(assume);
  if (auto assertion = dyn_cast<AssertOp>(statement))
    return shapes.getValue(assertion.getCondition());
  return {};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// True if a value can be used at an insertion point of the same block, or
/// comes from a block around.
bool SymbolicShapes::Impl::isAbove(Value value, OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  auto point = builder.getInsertionPoint();
  if (value.getParentBlock() != block)
    return block->getParent()->getParentOp() &&
           value.getParentRegion()->isProperAncestor(block->getParent()) &&
           value.getParentRegion()->hasOneBlock();
  Operation *op = value.getDefiningOp();
  return !op || point == block->end() || order.isBefore(op, &*point);
}

Value SymbolicShapes::Impl::readSymbol(OpBuilder &builder, Location loc,
                                       Expr symbol) {
  if (Value value = symbolValues.lookup(symbol);
      value && isAbove(value, builder))
    return value;
  auto found = origins.find(symbol);
  if (found == origins.end())
    return {};
  auto [value, dim] = found->second;
  if (dim < 0)
    return value;
  Value &read = readSizes[{builder.getInsertionBlock(), found->second}];
  if (read && isAbove(read, builder))
    return read;
  if (isa<MemRefType>(value.getType()))
    return read = memref::DimOp::create(builder, loc, value, dim);
  return read = tensor::DimOp::create(builder, loc, value, dim);
}

Value SymbolicShapes::read(OpBuilder &builder, Location loc, Expr symbol) {
  return impl->readSymbol(builder, loc, symbol);
}

/// The name of a symbol in a statement: that of the table, that of its
/// `tally.symbol`, or a fresh one.
std::string SymbolicShapes::Impl::getStatementName(Expr symbol,
                                                   unsigned number) {
  if (Value value = symbolValues.lookup(symbol))
    return cast<SymbolOp>(value.getDefiningOp()).getName().str();
  auto found = origins.find(symbol);
  bool isSize = found != origins.end() && found->second.second >= 0;
  StringRef kind = isSize ? "d" : symbol.isBool() ? "ok" : "v";
  return (kind + Twine(number)).str();
}

/// Sums of more terms are written with what an operation is given.
static constexpr size_t maxWrittenTerms = 8;

/// The same number or condition with the operands of an operation in place of
/// the long sums that they are.
Expr SymbolicShapes::Impl::abbreviate(Expr expr, Operation *reader) {
  SmallVector<Expr, 4> operands;
  if (expr.getKind() != symbolic::ExprKind::Add) {
    for (Expr operand : expr.getOperands())
      operands.push_back(abbreviate(operand, reader));
    return ArrayRef(operands) == expr.getOperands()
               ? expr
               : context.rebuild(expr, operands);
  }
  for (Value operand : reader->getOperands()) {
    if (expr.getOperands().size() <= maxWrittenTerms)
      break;
    if (!operand.getType().isIndex())
      continue;
    Expr part = shapes.getValue(operand);
    if (part.getKind() == symbolic::ExprKind::Add)
      if (Expr shorter =
              replacePart(expr, part, symbolOf({operand, -1}), context))
        expr = shorter;
  }
  return expr;
}

SymbolicShapes::Statement SymbolicShapes::state(OpBuilder &builder,
                                                Location loc, Expr expr,
                                                Operation *reader) {
  if (reader)
    expr = impl->abbreviate(expr, reader);
  return impl->write(builder, loc, impl->context.freeSymbols(expr),
                     [&](symbolic::ExprContext &texts, Impl::Rename rename) {
                       return texts.import(expr, rename).str();
                     });
}

SymbolicShapes::Statement
SymbolicShapes::state(OpBuilder &builder, Location loc,
                      ArrayRef<symbolic::Comparison> comparisons,
                      Operation *reader) {
  auto told = symbolic::mapSides(comparisons, [&](Expr side) {
    return reader ? impl->abbreviate(side, reader) : side;
  });
  return impl->write(
      builder, loc, symbolic::freeSymbols(told, impl->context),
      [&](symbolic::ExprContext &texts, Impl::Rename rename) {
        return symbolic::toString(symbolic::mapSides(
            told, [&](Expr side) { return texts.import(side, rename); }));
      });
}

SymbolicShapes::Statement SymbolicShapes::Impl::write(OpBuilder &builder,
                                                      Location loc,
                                                      ArrayRef<Expr> symbols,
                                                      WriteText writeText) {
  SymbolicShapes::Statement statement;
  // The text is that of the same expression over symbols of the given names,
  // defined in the same order.
  symbolic::ExprContext texts;
  llvm::DenseMap<Expr, Expr> renamed;
  unsigned locals = 0;
  for (Expr symbol : symbols) {
    if (named && !origins.contains(symbol)) {
      renamed[symbol] = texts.symbol(symbol.getName(), symbol.getType());
      continue;
    }
    std::string name = getStatementName(symbol, locals++);
    auto isTaken = [&](StringRef candidate) {
      return texts.lookup(candidate) || (named && context.lookup(candidate));
    };
    std::string unique = name;
    for (unsigned suffix = 1; isTaken(unique); ++suffix)
      unique = name + "_" + std::to_string(suffix);
    renamed[symbol] = texts.symbol(unique, symbol.getType());
    statement.values.push_back(readSymbol(builder, loc, symbol));
    statement.names.push_back(unique);
  }
  auto rename = [&](Expr symbol) { return renamed.lookup(symbol); };
  statement.expr =
      ExprAttr::get(builder.getContext(), writeText(texts, rename));
  return statement;
}
