//===- StatementWriter.cpp - Expressions into the IR ----------------------===//

#include "StatementWriter.h"

#include "LongSums.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

/// Returns true if a value can be used at an insertion point of the same block,
/// or comes from a block around.
bool StatementWriter::isAbove(Value value, OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  auto point = builder.getInsertionPoint();
  if (value.getParentBlock() != block)
    return block->getParent()->getParentOp() &&
           value.getParentRegion()->isProperAncestor(block->getParent()) &&
           value.getParentRegion()->hasOneBlock();
  Operation *op = value.getDefiningOp();
  return !op || point == block->end() || order.isBefore(op, &*point);
}

Value StatementWriter::read(OpBuilder &builder, Location loc, Expr symbol) {
  if (Value value = symbols.getReader(symbol); value && isAbove(value, builder))
    return value;
  std::optional<ShapeKey> origin = symbols.getOrigin(symbol);
  if (!origin)
    return {};
  auto [value, dim] = *origin;
  if (dim < 0)
    return value;
  Value &known = readSizes[{builder.getInsertionBlock(), *origin}];
  if (known && isAbove(known, builder))
    return known;
  if (isa<MemRefType>(value.getType()))
    return known = memref::DimOp::create(builder, loc, value, dim);
  return known = tensor::DimOp::create(builder, loc, value, dim);
}

/// The name of a symbol in a statement: that of its `tally.symbol`, or one
/// after where its value comes from.
std::string StatementWriter::getName(Expr symbol) {
  if (Value value = symbols.getReader(symbol))
    return cast<SymbolOp>(value.getDefiningOp()).getName().str();
  std::optional<ShapeKey> origin = symbols.getOrigin(symbol);
  if (!origin)
    return symbol.getName().str();
  auto [value, dim] = *origin;
  return dim < 0 ? chooseName(value) : chooseName(value, dim);
}

/// Sums of more terms are written with what an operation is given.
static constexpr size_t kMaxWrittenTerms = 8;

Expr StatementWriter::abbreviate(Expr expr, Operation *reader) {
  SmallVector<Expr, 4> operands;
  if (expr.getKind() != symbolic::ExprKind::Add) {
    for (Expr operand : expr.getOperands())
      operands.push_back(abbreviate(operand, reader));
    return ArrayRef(operands) == expr.getOperands()
               ? expr
               : context.rebuild(expr, operands);
  }
  for (Value operand : reader->getOperands()) {
    if (expr.getOperands().size() <= kMaxWrittenTerms)
      break;
    if (!operand.getType().isIndex())
      continue;
    Expr part = shapes.getValue(operand);
    if (part.getKind() == symbolic::ExprKind::Add)
      if (Expr shorter =
              replacePart(expr, part, symbols.get({operand, -1}), context))
        expr = shorter;
  }
  return expr;
}

SymbolicShapes::Statement StatementWriter::write(OpBuilder &builder,
                                                 Location loc,
                                                 ArrayRef<Expr> written,
                                                 WriteText writeText) {
  SymbolicShapes::Statement statement;
  // The text is that of the same expression over symbols of the given names,
  // defined in the same order.
  symbolic::ExprContext texts;
  llvm::DenseMap<Expr, Expr> renamed;
  bool named = shapes.isNamedForm();
  llvm::StringSet<> reserved;
  for (Expr symbol : written)
    if (symbols.getReader(symbol))
      reserved.insert(getName(symbol));
  for (Expr symbol : written) {
    if (named && !symbols.getOrigin(symbol)) {
      renamed[symbol] = texts.symbol(symbol.getName(), symbol.getType());
      continue;
    }
    std::string name = getName(symbol);
    auto isTaken = [&](StringRef candidate) {
      return texts.lookup(candidate) || (named && context.lookup(candidate)) ||
             (!symbols.getReader(symbol) && reserved.contains(candidate));
    };
    std::string unique = name;
    for (unsigned suffix = 1; isTaken(unique); ++suffix)
      unique = name + "_" + std::to_string(suffix);
    renamed[symbol] = texts.symbol(unique, symbol.getType());
    statement.values.push_back(read(builder, loc, symbol));
    statement.names.push_back(unique);
  }
  auto rename = [&](Expr symbol) { return renamed.lookup(symbol); };
  statement.expr =
      ExprAttr::get(builder.getContext(), writeText(texts, rename));
  return statement;
}
